/**
 * Faults that a wider one contains: a codec that refuses the wide one's cases may still have the
 * narrow one, so each needs cases of its own.
 */
import { type Fault, faultsOf, type Link, type Switches } from "./plainCodec.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const text = (change: (text: string) => string): Switches => ({ text: change });

const reading = [
  ...faultsOf("white", {
    "drops a next-line character at the end": text((t) => t.replace(/\u0085$/u, "")),
    // oxlint-disable-next-line no-control-regex
    "trims separators of records": text((t) => t.replace(/[\x1c-\x1f]+$/u, "")),
  }),
  ...faultsOf("stop", {
    "drops a pair of quotes": text((t) => t.replace(/^"(.*)"$/su, "$1")),
    "drops a pair of angle brackets": text((t) => t.replace(/^<(.*)>$/su, "$1")),
  }),
  ...faultsOf("unicode", {
    "reads an en dash as -": text((t) => t.replaceAll("\u2013", "-")),
    "reads a hyphen of its own as -": text((t) => t.replaceAll("\u2010", "-")),
    "reads a minus as -": text((t) => t.replaceAll("\u2212", "-")),
    "reads the sign of Kelvin as K": text((t) => t.replaceAll("\u212a", "K")),
  }),
  ...faultsOf("tail", {
    "ignores tail bits of long texts": text((t) =>
      t.replace(/(?<=^.{40,})[\w-](?==*$)/su, (last, at: number) => {
        const value = ALPHABET.indexOf(last);
        return ALPHABET.charAt(value - (value % [1, 1, 16, 4][(at + 1) % 4]!));
      }),
    ),
  }),
  ...faultsOf("padding", {
    "reads three = as one": text((t) => t.replace(/={3,}$/u, "=")),
    "reads == as =": text((t) => (t.length % 4 === 1 ? t.replace(/([^=])==$/u, "$1=") : t)),
    "drops a = after whole groups": text((t) =>
      t.length % 4 === 1 ? t.replace(/([^=])=$/u, "$1") : t,
    ),
    "reads = as ==": text((t) => (t.length % 4 === 3 ? t.replace(/([^=])=$/u, "$1==") : t)),
  }),
];

/** Puts the last counts of a stream there where it ends before them. */
const completed = (version: number, lists: number): Switches => ({
  bytes: (bytes) => {
    if (bytes[3] !== version || bytes.length < 6) return bytes;
    let at = 6;
    for (let list = 0; list < lists; list++) at += 1 + 2 * (bytes[at] ?? 0);
    const missing = version - 3 - lists;
    return at === bytes.length ? [...bytes, ...Array.from({ length: missing }, () => 0)] : bytes;
  },
});

const fields = [
  ...faultsOf("truncated", {
    "reads version 5 without extended hashes": completed(5, 1),
    "reads version 6 without masteries": completed(6, 2),
    "reads version 6 without extended hashes": completed(6, 1),
    "reads version 5 without lists": completed(5, 0),
    "reads version 6 without lists": completed(6, 0),
  }),
  ...faultsOf("header", {
    "refuses an ascendancy of class 0": {
      link: (l) => (l["class"] === 0 && l["ascendancy"] > 0 ? undefined : l),
    },
    "drops extended hashes of an atlas tree": {
      link: (l) =>
        l["version"] > 4 && l["class"] === 0 && l["ascendancy"] === 0
          ? { ...l, extendedHashes: [] }
          : l,
    },
  }),
];

const masteries = (change: (mastery: any) => unknown): Switches => ({
  list: (value, field) =>
    Array.isArray(value) && field === "masteries" ? value.map(change) : value,
});
const isObject = (value: unknown): value is Link => typeof value === "object" && value !== null;
const wrapped = (member: string): Switches =>
  masteries((one) =>
    isObject(one) && Number.isInteger(one[member])
      ? { ...one, [member]: one[member] & 65_535 }
      : one,
  );
const member = (name: string, from: unknown, to: unknown): Switches => ({
  input: (l: Link) => (isObject(l) && l[name] === from ? { ...l, [name]: to } : l),
});

const written = faultsOf("encode-refused", {
  "wraps the node of a mastery": wrapped("node"),
  "wraps the effect of a mastery": wrapped("effect"),
  "reads a pair as a mastery": masteries((one) =>
    Array.isArray(one) ? { node: one[0], effect: one[1] } : one,
  ),
  "writes version 6.1 as 6": member("version", 6.1, 6),
  "writes fullscreen true as 1": member("fullscreen", true, 1),
  "writes fullscreen null as 0": member("fullscreen", null, 0),
  "writes no class as 0": member("class", undefined, 0),
});

export const narrowFaults: ReadonlyArray<Fault> = [...reading, ...fields, ...written];
