/**
 * Inputs for fuzzing: mutated links, as payloads. A seeded generator makes the same inputs on every
 * machine.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \u0141%";
const CAPACITY = 1 << 14;

/** Payloads of the seed corpus, one a line. */
export const seedCorpus = (): Array<string> => readLines(join(import.meta.dirname, "corpus.txt"));

/** Byte sequences that mutations insert, from the dictionary. */
const dictionary = (): Array<Buffer> =>
  readLines(join(import.meta.dirname, "tree-link.dict")).flatMap((line) => {
    const text = /"(.*)"/u.exec(line)?.[1];
    return text === undefined ? [] : [Buffer.from(text.replaceAll("\\x", ""), "hex")];
  });

const readLines = (file: string): Array<string> =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

/** Makes inputs out of a corpus that the caller may extend. */
export const makeInputs = (seed: number, corpus: ReadonlyArray<string>) => {
  let state = seed | 0;
  /** A number from 0 to `below` - 1 (mulberry32). */
  const random = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const words = dictionary();
  const bytes = Buffer.alloc(CAPACITY);

  const mutateBytes = (payload: string): string => {
    let size = bytes.write(payload, "base64url");
    for (let edits = 1 + random(3); edits > 0; edits--) {
      const at = random(size + 1);
      const edit = random(8);
      if (edit === 0) {
        bytes.copyWithin(at + 1, at, size);
        bytes[at] = random(256);
        size++;
      } else if (edit === 1) {
        const length = Math.min(1 + random(4), size - at);
        bytes.copyWithin(at, at + length, size);
        size -= length;
      } else if (edit === 2) {
        const word = words[random(words.length)]!;
        word.copy(bytes, at);
        size = Math.max(size, at + word.length);
      } else if (edit === 3) bytes[at] = bytes[at]! ^ (1 << random(8));
      else if (edit === 4) {
        const length = Math.min(random(64), size - at);
        bytes.copyWithin(at + length, at, size);
        size += length;
      } else if (edit === 5) {
        // The lists' counts are what decides: change one, and what follows moves.
        const count = 6 + 2 * random(4);
        if (count < size) bytes[count] = random(4);
      } else if (edit === 6) bytes[at] = random(256);
      else {
        const length = random(random(200) === 0 ? 6_000 : 24);
        for (let i = 0; i < length; i++) bytes[size++] = random(256);
      }
      if (size > CAPACITY - 8_192) size = random(600);
    }
    const text = bytes.toString("base64url", 0, size);
    return random(2) === 0 ? text : text.padEnd(Math.ceil(text.length / 4) * 4, "=");
  };

  const mutateText = (payload: string): string => {
    const at = random(payload.length + 1);
    const edit = random(4);
    const character = ALPHABET[random(ALPHABET.length)]!;
    if (edit === 0) return payload.slice(0, at) + character + payload.slice(at);
    if (edit === 1) return payload.slice(0, at) + payload.slice(at + 1 + random(4));
    if (edit === 2) return payload.slice(0, at) + character + payload.slice(at + 1);
    return payload.slice(0, at) + String.fromCharCode(random(65_536)) + payload.slice(at + 1);
  };

  const next = (): string => {
    const parent = corpus[random(corpus.length)]!;
    return random(4) === 0 ? mutateText(parent) : mutateBytes(parent);
  };
  return { next, random };
};
