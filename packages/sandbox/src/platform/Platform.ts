/**
 * The functions of a runtime that the sandbox's core needs: hashes, random bytes, clocks,
 * compression. Everything but compression is synchronous.
 */

export type Coding = "gzip" | "br";

export interface Platform {
  /** Returns the SHA-256 of a text in UTF-8. */
  sha256(text: string, encoding: "hex" | "base64url"): string;
  /** Returns random bytes as base64url without padding. */
  random(bytes: number): string;
  /** Returns the milliseconds of a clock that never goes back. */
  monotonic(): number;
  /** The content codings that `compress` knows. */
  readonly codings: ReadonlyArray<Coding>;
  /** Compresses bytes in a content coding. */
  compress(bytes: Uint8Array, coding: Coding): Promise<Uint8Array>;
}
