/** Names and errors of content codings. */
import { helpOf } from "../helpOf.ts";

/** A content coding (RFC 9110 §8.4.1). */
export type Coding = "gzip" | "deflate" | "br" | "zstd";

/** The codings that the clients ask for. */
export const ACCEPTED_CODINGS: ReadonlyArray<Coding> = ["gzip"];

/** The bound of a body. */
export interface InflateOptions {
  /**
   * The most bytes of output, at least 1. It bounds CPU too: the slowest coding, brotli, makes some
   * 300 to 600 MB a second, whatever the size of the body.
   */
  readonly limit: number;
  /** The codings that the request asked for. Default: `ACCEPTED_CODINGS`. */
  readonly codings?: ReadonlyArray<Coding> | undefined;
}

/**
 * A body was not inflated: too large, cut, in another coding, or in one that was not asked for.
 *
 * What to do: raise the limit for `too-large`; repeat the request for `truncated`.
 */
export class InflateError extends Error {
  override readonly name = "InflateError";
  /**
   * `refused`: the coding was not asked for. `too-large`: the output exceeds the limit.
   * `truncated`: the end is missing, or the checksum differs. `corrupt`: this is not the coding, or
   * bytes stand after the end of its last member (RFC 1952 §2.2; other codings have one member).
   * Without zlib a checksum that differs and a second member are `corrupt` too.
   * `limit`: the limit is none; nothing was read.
   */
  readonly kind: "refused" | "too-large" | "truncated" | "corrupt" | "limit";
  constructor(kind: InflateError["kind"], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }

  /** The address of the error's page. */
  get help(): string {
    return helpOf(this.name);
  }
}

/** The name of a coding: lower case, with the alias of RFC 9110 §8.4.1.3. */
export const normalise = (encoding: string): string => {
  const name = encoding.trim().toLowerCase();
  if (name === "") return "identity";
  return name === "x-gzip" ? "gzip" : name;
};

/**
 * The coding that a `Content-Encoding` names; `identity` for none. Throws an `InflateError` of kind
 * `refused` for one that is not among `codings`.
 */
export const acceptedCoding = (
  encoding: string,
  codings: ReadonlyArray<Coding> = ACCEPTED_CODINGS,
): Coding | "identity" => {
  const name = normalise(encoding);
  if (name === "identity") return name;
  const coding = codings.find((known) => known === name);
  if (coding === undefined) throw refused(name);
  return coding;
};

/** The accepted coding, for a limit that every inflater takes: to some, one that is no number is none. */
export const boundedCoding = (
  encoding: string,
  { codings, limit }: InflateOptions,
): Coding | "identity" => {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new InflateError("limit", "limit must be an integer of at least 1");
  return acceptedCoding(encoding, codings);
};

/** The error of a coding that was not asked for. */
export const refused = (name: string) =>
  new InflateError("refused", `${name.slice(0, 40)} was not asked for`);

/**
 * Refuses a response over the platform's `fetch`, by its header and before a byte is read: `fetch`
 * inflates whatever the header names. `undefined` for one that was asked for, and where it cannot be
 * told: browsers ask for codings of their own, and let no program set `Accept-Encoding`.
 */
export const refusalOf = (
  encoding: string | undefined,
  codings?: ReadonlyArray<Coding>,
): InflateError | undefined => {
  try {
    acceptedCoding(encoding ?? "", codings);
    return undefined;
  } catch (cause) {
    return mayAsk() ? (cause as InflateError) : undefined;
  }
};

const mayAsk = (): boolean =>
  new Request("https://localhost", { headers: { "accept-encoding": "gzip" } }).headers.has(
    "accept-encoding",
  );

/** The error of an output beyond the limit. */
export const tooLarge = (limit: number) =>
  new InflateError("too-large", `more than ${limit} bytes`);
