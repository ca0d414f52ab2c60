/** Requests to the API of the server that the page came from. */
import { useEffect, useState } from "preact/hooks";

/** A refusal: `parameter` names what was wrong with the request. */
export class ApiError extends Error {
  readonly status: number;
  readonly parameter: string | undefined;
  constructor(status: number, detail: string, parameter: string | undefined) {
    super(detail);
    this.status = status;
    this.parameter = parameter;
  }
}

const read = async <A>(response: Response): Promise<A> => {
  if (response.ok) return (await response.json()) as A;
  const body = (await response.json().catch(() => ({}))) as {
    readonly detail?: string;
    readonly title?: string;
    readonly parameter?: string;
  };
  const detail = body.detail ?? body.title ?? `The server answered with ${response.status}.`;
  throw new ApiError(response.status, detail, body.parameter);
};

/** Gets a path below `/api/`. */
export const get = async <A>(path: string, signal?: AbortSignal): Promise<A> =>
  read<A>(await fetch(`/api/${path}`, signal === undefined ? {} : { signal }));

/** Posts JSON. */
export const post = async <A>(path: string, body: unknown): Promise<A> =>
  read<A>(
    await fetch(`/api/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );

/** The outcome of a request; the last result stays while the next one is loading. */
export interface Loaded<A> {
  readonly result: A | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
}

/** Gets a path again whenever it or `version` changes; `undefined` asks for nothing. */
export const useApi = <A>(path: string | undefined, version: unknown = 0): Loaded<A> => {
  const [loaded, setLoaded] = useState<Loaded<A>>({
    result: undefined,
    error: undefined,
    isLoading: path !== undefined,
  });
  useEffect(() => {
    if (path === undefined) {
      setLoaded({ result: undefined, error: undefined, isLoading: false });
      return undefined;
    }
    const abort = new AbortController();
    setLoaded((before) => ({ ...before, isLoading: true }));
    get<A>(path, abort.signal).then(
      (result) => setLoaded({ result, error: undefined, isLoading: false }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const known =
          error instanceof ApiError
            ? error
            : new ApiError(0, "The server does not answer.", undefined);
        setLoaded((before) => ({ result: before.result, error: known, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [path, version]);
  return loaded;
};

/** What completes two letters or more. */
export const useSuggestions = (what: "terms" | "mods" | "sellers", typed: string) =>
  useApi<{ readonly suggestions: ReadonlyArray<string> }>(
    typed.length > 1 ? `suggest?what=${what}&q=${encodeURIComponent(typed)}` : undefined,
  ).result?.suggestions ?? [];

/** Listens to a stream of events; `undefined` listens to nothing. */
export const useEvents = <A>(path: string | undefined, onEvent: (event: A) => void): void => {
  useEffect(() => {
    if (path === undefined) return undefined;
    const events = new EventSource(`/api/${path}`);
    const listen = ({ data }: MessageEvent<string>) => onEvent(JSON.parse(data) as A);
    events.addEventListener("message", listen);
    return () => events.close();
  }, [path]);
};
