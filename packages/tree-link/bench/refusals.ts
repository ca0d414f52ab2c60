/** Refusals of each kind, beside a decode of the same links. */
import { decode, safeDecode, type TreeLinkReason } from "@game-data/tree-link";
import type { Task } from "./interleave.ts";

/** A text in which one character is replaced; wide ones make the engine store two bytes a character. */
const withCharacter = (text: string, at: number, character: string) =>
  Buffer.from(text.slice(0, at) + character + text.slice(at + 1), "utf16le").toString("utf16le");

const withBytes = (text: string, change: (bytes: Buffer) => Uint8Array): string => {
  const body = Buffer.from(change(Buffer.from(text, "base64url"))).toString("base64url");
  return body.padEnd(Math.ceil(body.length / 4) * 4, "=");
};

const version4 = (text: string, fullscreen: number) =>
  withBytes(text, (bytes) => {
    bytes[3] = 4;
    bytes[6] = fullscreen;
    return bytes;
  });

/** One way to break a payload of version 6 for each reason that `decode` gives. */
const KINDS: ReadonlyArray<readonly [name: string, TreeLinkReason, (text: string) => unknown]> = [
  [
    "a foreign character",
    "invalid-character",
    (text) => withCharacter(text, text.length >> 1, "."),
  ],
  ["a wide character", "invalid-character", (text) => withCharacter(text, text.length >> 1, "Ł")],
  ["wrong padding", "invalid-padding", (text) => `${text.replace(/=+$/u, "")}===`],
  ["a cut inside a byte", "truncated", (text) => text.replace(/=+$/u, "").slice(0, -1)],
  ["a cut", "truncated", (text) => withBytes(text, (bytes) => bytes.subarray(0, -1))],
  ["another version", "unknown-version", (text) => `AAAABw${text.slice(6)}`],
  ["a build code", "unknown-version", (text) => `eNpj${text.slice(4)}`],
  [
    "a byte behind",
    "trailing-bytes",
    (text) => withBytes(text, (bytes) => Buffer.concat([bytes, Buffer.of(0)])),
  ],
  [
    "half a hash",
    "odd-tail",
    (text) => withBytes(version4(text, 0), (bytes) => bytes.subarray(0, -1)),
  ],
  ["another fullscreen", "invalid-fullscreen", (text) => version4(text, 2)],
  ["no text", "invalid-type", () => 5],
];

/** Tasks by kind; `ours` is the one that is refused the slowest, a foreign character. */
export const refusalsOf = (payloads: ReadonlyArray<string>): Record<string, Task> => {
  const tasks: Record<string, Task> = {
    ours: () => undefined,
    decode: (i) => decode(payloads[i]!),
  };
  for (const [name, reason, break_] of KINDS) {
    const broken = payloads.map(break_) as ReadonlyArray<string>;
    for (const text of broken) {
      const result = safeDecode(text);
      if (result.ok || result.error.reason !== reason) throw new Error(`${name} is not ${reason}`);
    }
    tasks[name] = (i) => safeDecode(broken[i]!);
  }
  tasks["ours"] = tasks["a foreign character"]!;
  return tasks;
};
