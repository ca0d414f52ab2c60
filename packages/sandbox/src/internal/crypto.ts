/** Hashes, secrets and comparisons of the OAuth server, on `node:crypto`. */
import { createHmac, hash, randomFillSync, timingSafeEqual } from "node:crypto";

/** SHA-256 of a text, in hex: the only form in which tokens, codes and secrets are stored. */
export const sha256 = (text: string): string => hash("sha256", text, "hex");

/** SHA-256 of a text, base64url without padding: the S256 transformation of RFC 7636 §4.2. */
export const sha256Base64Url = (text: string): string => hash("sha256", text, "base64url");

const TOKEN_BYTES = 32;

/**
 * Random bytes for many tokens, drawn at once: a call to the system for each costs more than all
 * else about a token.
 */
const pool = Buffer.alloc(TOKEN_BYTES * 128);
let drawn = pool.length;

/** 256 random bits, base64url: 43 characters. */
export const randomToken = (): string => {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const bytes = pool.subarray(drawn, (drawn += TOKEN_BYTES));
  const token = bytes.toString("base64url");
  // What was handed out does not stay behind in memory.
  bytes.fill(0);
  return token;
};

/**
 * A secret that follows from a seed, so that a restarted sandbox knows it without having stored it.
 */
export const derivedSecret = (seed: number, label: string): string =>
  createHmac("sha256", `game-data-sandbox:${seed}`).update(label).digest("base64url");

/** Equality of two hashes of equal length in constant time. */
export const equalHashes = (left: string, right: string): boolean => {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
};
