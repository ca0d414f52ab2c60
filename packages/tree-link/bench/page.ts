/** The part of the benchmark that runs in a page. */
import { decode } from "@game-data/tree-link";
import { interleave, type Figure } from "./interleave.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VALUES = new Uint8Array(128).fill(128);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;
const bytes = new Uint8Array(4096);

/** A strict table: text to bytes alone, every character checked, no link read. */
const strictTable = (text: string): number => {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 61) end--;
  let seen = 0;
  let at = 0;
  for (let i = 0; i + 3 < end; i += 4) {
    const [a, b] = [text.charCodeAt(i), text.charCodeAt(i + 1)];
    const [c, d] = [text.charCodeAt(i + 2), text.charCodeAt(i + 3)];
    const [w, x, y, z] = [VALUES[a & 127]!, VALUES[b & 127]!, VALUES[c & 127]!, VALUES[d & 127]!];
    seen |= a | b | c | d | w | x | y | z;
    const group = (w << 18) | (x << 12) | (y << 6) | z;
    bytes[at] = group >> 16;
    bytes[at + 1] = group >> 8;
    bytes[at + 2] = group;
    at += 3;
  }
  let rest = 0;
  const left = end % 4;
  for (let i = end - left; i < end; i++) {
    const code = text.charCodeAt(i);
    seen |= code | VALUES[code & 127]!;
    rest = (rest << 6) | VALUES[code & 127]!;
  }
  if (left > 1) bytes[at++] = left === 2 ? rest >> 4 : rest >> 10;
  if (left === 3) bytes[at++] = rest >> 2;
  return seen < 128 ? at : -1;
};

/** Measures decoding of `payloads` in this browser. */
export const measure = (payloads: ReadonlyArray<string>): Figure => {
  return interleave(
    {
      ours: (i) => decode(payloads[i]!),
      "strict table": (i) => strictTable(payloads[i]!),
    },
    "strict table",
    payloads.length,
  );
};
