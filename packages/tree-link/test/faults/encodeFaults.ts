/** Faults in writing. */
import { type Fault, faultsOf, type Link, OTHERS, type Switches } from "./plainCodec.ts";

const isUint = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;

/** Numbers that a lax check lets through: what it makes of them, `undefined` to refuse. */
const lax = (repair: (value: any, max: number, field: string) => number | undefined): Switches => ({
  number: (value, max, field) => (isUint(value, max) ? value : repair(value, max, field)),
});
const numeric = (value: unknown): value is number => typeof value === "number";
const isObject = (value: unknown): value is Link => typeof value === "object" && value !== null;
const member = (name: string, from: unknown, to: unknown): Switches => ({
  input: (l: Link) => (isObject(l) && l[name] === from ? { ...l, [name]: to } : l),
});
const masteries = (change: (mastery: any) => unknown): Switches => ({
  list: (value, field) =>
    Array.isArray(value) && field === "masteries" ? value.map(change) : value,
});
const wrapped = (part: string): Switches =>
  masteries((one) =>
    isObject(one) && Number.isInteger(one[part]) ? { ...one, [part]: one[part] & 65_535 } : one,
  );

/** The same fault in each of some fields. */
const each = (verb: string, fields: ReadonlyArray<string>, fault: (name: string) => Switches) =>
  Object.fromEntries(fields.map((name) => [`${verb} ${name}`, fault(name)]));

const accepted = faultsOf("encode-refused", {
  ...each("wraps", ["class", "hashes", "extendedHashes"], (name) =>
    lax((value, max, field) => (field === name && numeric(value) ? value & max : undefined)),
  ),
  ...each("wraps the count of", ["hashes", "extendedHashes", "masteries"], (name) => ({
    writtenCount: (count, field) =>
      field === name ? count & 255 : count > 255 ? undefined : count,
  })),
  ...each("reads as empty missing", ["extendedHashes", "masteries"], (name) => ({
    list: (value, field) => (field === name ? (value ?? []) : value),
  })),
  ...each("drops what has no room:", OTHERS, (name) => ({ room: (_, field) => field === name })),
  "wraps the node of a mastery": wrapped("node"),
  "wraps the effect of a mastery": wrapped("effect"),
  "reads a pair as a mastery": masteries((one) =>
    Array.isArray(one) ? { node: one[0], effect: one[1] } : one,
  ),
  "writes version 6.1 as 6": member("version", 6.1, 6),
  "writes version 7 as 6": member("version", 7, 6),
  "writes fullscreen true as 1": member("fullscreen", true, 1),
  "writes fullscreen null as 0": member("fullscreen", null, 0),
  "writes no class as 0": member("class", undefined, 0),
  "rounds fractions": lax((value, max) =>
    numeric(value) && isUint(Math.round(value), max) ? Math.round(value) : undefined,
  ),
  "accepts -1": lax((value, max) => (value === -1 ? max : undefined)),
  "accepts one too many": lax((value, max) => (value === max + 1 ? 0 : undefined)),
  "accepts 65536": lax((value) => (value === 65_536 ? 0 : undefined)),
  "accepts uint32 numbers": lax((value) => (value === 2 ** 32 ? 0 : undefined)),
  "reads numbers in text": lax((value, max) =>
    typeof value === "string" && value !== "" && isUint(Number(value), max)
      ? Number(value)
      : undefined,
  ),
  "reads an empty text as 0": lax((value) => (value === "" ? 0 : undefined)),
  "reads [] as 0": lax((value) => (Array.isArray(value) && value.length === 0 ? 0 : undefined)),
  "reads objects as 0": lax((value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? 0 : undefined,
  ),
  "accepts second ascendancies up to 255": lax((value, _, field) =>
    field === "alternateAscendancy" && isUint(value, 255) ? value & 63 : undefined,
  ),
  "accepts ascendancies up to 255": lax((value, _, field) =>
    field === "ascendancy" && isUint(value, 255) ? value & 3 : undefined,
  ),
  "accepts any fullscreen": lax((value, _, field) =>
    field === "fullscreen" && isUint(value, 255) ? value : undefined,
  ),
  "accepts 256 entries": { writtenCount: (count) => (count > 256 ? undefined : count) },
  "reads a number as a list": { list: (value) => (numeric(value) ? [value] : value) },
  "reads an object as a list": {
    list: (value) => (typeof value === "object" && value !== null ? Object.values(value) : value),
  },
  "reads a text as a list": {
    list: (value) => (typeof value === "string" ? [...value].map(Number) : value),
  },
  "drops entries that are null": {
    list: (value) => (Array.isArray(value) ? value.filter((one) => one !== null) : value),
  },
  "writes a version in text": {
    input: (l: Link) =>
      l && /^[456]$/u.test(l["version"]) ? { ...l, version: Number(l["version"]) } : l,
  },
  "writes version 3 as 4": {
    input: (l: Link) =>
      l?.["version"] === 3
        ? { version: 4, class: 0, ascendancy: 0, fullscreen: 0, hashes: l["hashes"] }
        : l,
  },
});

const written = faultsOf("encode", {
  "exchanges the ascendancies": {
    stream: (b, l) => (l["version"] === 6 ? b.with(5, ((b[5]! & 3) << 6) | (b[5]! >> 2)) : b),
  },
  "sorts extended hashes when it writes": {
    input: (l: Link) =>
      Array.isArray(l?.["extendedHashes"])
        ? { ...l, extendedHashes: l["extendedHashes"].toSorted((a, b) => a - b) }
        : l,
  },
});

export const encodeFaults: ReadonlyArray<Fault> = [...accepted, ...written];
