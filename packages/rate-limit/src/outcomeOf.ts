/** Reads the outcome of a request from what its sender returned. */
import { isObject } from "./core/basics.ts";
import { attempt } from "./core/sound.ts";
import type { RequestOutcome } from "./Model.ts";

/** The outcome of what looks like a response: `fetch`, undici, got, axios. */
export const outcomeOf = (result: unknown): RequestOutcome => {
  if (!isObject(result)) return { status: undefined };
  const { headers, status, statusCode } = result;
  const code = status ?? statusCode;
  return {
    status: typeof code === "number" ? code : undefined,
    headers: headersOf(headers),
  };
};

const headersOf = (headers: unknown): Record<string, string> | undefined => {
  if (typeof headers !== "object" || headers === null) return undefined;
  return attempt<Record<string, string> | undefined>(
    () => {
      const entries =
        Symbol.iterator in headers
          ? [...(headers as Iterable<readonly [string, string]>)]
          : Object.entries(headers);
      const found: Record<string, string> = {};
      for (const [name, value] of entries)
        if (value !== undefined) found[name.toLowerCase()] = String(value);
      return found;
    },
    () => undefined,
  );
};
