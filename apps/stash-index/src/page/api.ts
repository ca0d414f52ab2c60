/** Sends requests to the page's own server. */
import { useEffect, useState } from "preact/hooks";

/** A refusal of the server. `parameter` names the invalid parameter. */
export interface Problem {
  readonly detail?: string;
  readonly title?: string;
  readonly parameter?: string;
}

/** Sends a request to a path below `/api/`. Throws a `Problem` if it is refused or fails. */
export const send = async <A>(path: string, init: RequestInit = {}): Promise<A> => {
  const response = await fetch(`/api/${path}`, init).catch(() => undefined);
  const body: unknown = await response?.json().catch(() => undefined);
  if (response?.ok) return body as A;
  const problem: Problem = body ?? { detail: "The server does not respond." };
  // oxlint-disable-next-line no-throw-literal -- a refusal is data of the server, without a stack
  throw problem;
};

export const post = <A>(path: string, body: object, init?: RequestInit): Promise<A> =>
  send<A>(path, {
    ...init,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** State of a request. `result` is the last result while another request is loading. */
export interface Loaded<A> {
  readonly result?: A | undefined;
  readonly error?: Problem | undefined;
}

/** Requests a path when `path` or `version` changes. Requests nothing for `undefined`. */
export const useApi = <A>(path: string | undefined, version = 0): Loaded<A> => {
  const [loaded, setLoaded] = useState<Loaded<A>>({});
  useEffect(() => {
    const abort = new AbortController();
    const set = (change: (before: Loaded<A>) => Loaded<A>) =>
      abort.signal.aborted ? undefined : setLoaded(change);
    if (path === undefined) set(() => ({}));
    else
      send<A>(path, { signal: abort.signal }).then(
        (result) => set(() => ({ result })),
        (error: Problem) => set(({ result }) => ({ result, error })),
      );
    return () => abort.abort();
  }, [path, version]);
  return loaded;
};

/** Subscribes to a stream of events, or to nothing for `undefined`. */
export const useEvents = <A>(path: string | undefined, onEvent: (event: A) => void): void => {
  useEffect(() => {
    if (path === undefined) return undefined;
    const events = new EventSource(`/api/${path}`);
    events.addEventListener("message", ({ data }) => onEvent(JSON.parse(data)));
    return () => events.close();
  }, [path]);
};
