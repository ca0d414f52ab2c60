/** The control plane, as the console asks it. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { JournalEntry } from "../src/journal/JournalEntry.ts";

/** A refusal of the control plane, with its reason. */
class Refused extends Error {}

const KEY = "control-key";

/** Takes the control key out of the address, `#key=…`, and keeps it in this tab. */
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

/** Asks the control plane; a body is sent as JSON. */
export const ask = async <A>(method: string, path: string, body?: unknown): Promise<A> => {
  const response = await fetch(`control${path}`, {
    method,
    headers: {
      ...headers(),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error("The sandbox does not answer. Start it again, and reload this page.", {
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

/** A value of the control plane, read again every `everyMillis` and on `refresh`. */
export const useControl = <A>(path: string, everyMillis?: number) => {
  const [value, setValue] = useState<A>();
  const [problem, setProblem] = useState<string>();
  const shown = useRef(path);
  shown.current = path;
  const refresh = useCallback(async (): Promise<void> => {
    const [next, failed] = await ask<A>("GET", path).then(
      (answer) => [answer, undefined] as const,
      (cause: Error) => [undefined, cause.message] as const,
    );
    // A late response may be for a path that is no longer shown.
    if (shown.current !== path) return;
    if (failed === undefined) setValue(() => next);
    setProblem(failed);
  }, [path]);
  useEffect(() => {
    setValue(undefined);
    void refresh();
    if (everyMillis === undefined) return undefined;
    const timer = setInterval(() => void refresh(), everyMillis);
    return () => clearInterval(timer);
  }, [refresh, everyMillis]);
  return { value, problem, refresh };
};

/** State of the journal's stream. */
export type Connection = "connecting" | "live" | "lost";

const RETRY_MILLIS = 1000;

/**
 * Follows the journal through `fetch`, which can carry the control key where `EventSource` cannot.
 * After a loss it goes on behind the last entry that came.
 */
export const followJournal = (
  onEntry: (entry: JournalEntry) => void,
  onState: (state: Connection) => void,
): (() => void) => {
  const stop = new AbortController();
  let last = 0;
  const read = async (): Promise<void> => {
    const response = await fetch("control/journal/stream", {
      headers: { ...headers(), "last-event-id": String(last) },
      signal: stop.signal,
    });
    if (!response.ok || response.body === null) throw new Error(String(response.status));
    onState("live");
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = /^data: (.*)$/mu.exec(block)?.[1];
        if (data === undefined || block.startsWith("event: dropped")) continue;
        const entry = JSON.parse(data) as JournalEntry;
        last = entry.id;
        onEntry(entry);
      }
    }
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await read().catch(() => {});
      if (stop.signal.aborted) return;
      onState("lost");
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS));
    }
  };
  void run();
  return () => stop.abort();
};
