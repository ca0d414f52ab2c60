/** Requests of the console to the control plane. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Error of a refused request. Its message is the reason of the control plane. */
class Refused extends Error {}

const KEY = "control-key";

/** Moves the control key from the address (`#key=…`) to the storage of this tab. */
export const takeKey = (): void => {
  const key = /^#key=(.+)$/u.exec(location.hash)?.[1];
  if (key === undefined) return;
  sessionStorage.setItem(KEY, decodeURIComponent(key));
  history.replaceState(null, "", location.pathname);
};

const headers = (): Record<string, string> => {
  const key = sessionStorage.getItem(KEY);
  return key === null ? {} : { authorization: `Bearer ${key}` };
};

/** Sends a request to the control plane, with `body` as JSON. */
export const send = async <A>(method: string, path: string, body?: unknown): Promise<A> => {
  const response = await fetch(`control${path}`, {
    method,
    headers: {
      ...headers(),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error("The sandbox does not answer. Start it again.", {
      cause,
    });
  });
  const text = await response.text();
  const value = text === "" ? undefined : (JSON.parse(text) as A & { readonly reason?: string });
  if (!response.ok) throw new Refused(reasonOf(response.status, value));
  return value as A;
};

const reasonOf = (status: number, value: unknown): string => {
  if (status === 401) return "This sandbox asks for its control key: open /#key=KEY";
  const { error, reason } = (value ?? {}) as {
    readonly reason?: string;
    readonly error?: { readonly message?: string };
  };
  return reason ?? error?.message ?? `The sandbox answered ${status}.`;
};

/** Reads a value of the control plane, again every `everyMillis` and at each `refresh`. */
export const useControl = <A>(path: string, everyMillis?: number) => {
  const [value, setValue] = useState<A>();
  const [problem, setProblem] = useState<string>();
  const shown = useRef(path);
  shown.current = path;
  const refresh = useCallback(async (): Promise<void> => {
    const [next, failed] = await send<A>("GET", path).then(
      (answer) => [answer, undefined] as const,
      (cause: Error) => [undefined, cause.message] as const,
    );
    // Ignore a late response for a path that is no longer shown.
    if (shown.current !== path) return;
    if (failed === undefined) setValue(() => next);
    setProblem(failed);
  }, [path]);
  useEffect(() => {
    setValue(undefined);
    void refresh();
  }, [refresh]);
  useEffect(() => {
    if (everyMillis === undefined) return undefined;
    const timer = setInterval(() => void refresh(), everyMillis);
    return () => clearInterval(timer);
  }, [refresh, everyMillis]);
  return { value, problem, refresh };
};
