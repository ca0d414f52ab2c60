/** Refuses a coding that was not asked for, of responses that the platform's `fetch` inflates. */
import { acceptedCoding, type InflateError } from "@game-data/contract/inflate";

/**
 * Refuses a response over the platform's `fetch`, by its header and before a byte is read: `fetch`
 * inflates whatever the header names. `undefined` for one that was asked for, and where it cannot be
 * told: browsers ask for codings of their own, and let no program set `Accept-Encoding`.
 */
export const refusalOf = (encoding: string | undefined): InflateError | undefined => {
  try {
    acceptedCoding(encoding ?? "");
    return undefined;
  } catch (cause) {
    return mayAsk() ? (cause as InflateError) : undefined;
  }
};

const mayAsk = (): boolean =>
  new Request("https://localhost", { headers: { "accept-encoding": "gzip" } }).headers.has(
    "accept-encoding",
  );
