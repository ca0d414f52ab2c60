/** Faults in writing. */
import { type Fault, faultsOf, type Link, type Switches } from "./plainCodec.ts";

const isUint = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;

/** Numbers that a lax check lets through: what it makes of them, `undefined` to refuse. */
const lax = (repair: (value: any, max: number, field: string) => number | undefined): Switches => ({
  number: (value, max, field) => (isUint(value, max) ? value : repair(value, max, field)),
});
const numeric = (value: unknown): value is number => typeof value === "number";
const only = (...fields: Array<string>) =>
  lax((value, max, field) => (fields.includes(field) && numeric(value) ? value & max : undefined));

const accepted = faultsOf("encode-refused", {
  "wraps numbers": lax((value, max) => (numeric(value) ? value & max : undefined)),
  "clamps numbers": lax((value, max) =>
    numeric(value) ? Math.min(max, Math.max(0, Math.floor(value))) : undefined,
  ),
  "cuts fractions": lax((value, max) =>
    numeric(value) && isUint(Math.floor(value), max) ? Math.floor(value) : undefined,
  ),
  "rounds fractions": lax((value, max) =>
    numeric(value) && isUint(Math.round(value), max) ? Math.round(value) : undefined,
  ),
  "accepts -1": lax((value, max) => (value === -1 ? max : undefined)),
  "accepts negative numbers": lax((value, max) =>
    numeric(value) && value < 0 && value >= -max - 1 ? value & max : undefined,
  ),
  "accepts one too many": lax((value, max) => (value === max + 1 ? 0 : undefined)),
  "accepts 65536": lax((value) => (value === 65_536 ? 0 : undefined)),
  "accepts numbers above 65536": lax((value) =>
    numeric(value) && Number.isInteger(value) && value > 65_536 ? value & 65_535 : undefined,
  ),
  "accepts uint32 numbers": lax((value) => (value === 2 ** 32 ? 0 : undefined)),
  "reads numbers in text": lax((value, max) =>
    typeof value === "string" && value !== "" && isUint(Number(value), max)
      ? Number(value)
      : undefined,
  ),
  "reads an empty text as 0": lax((value) => (value === "" ? 0 : undefined)),
  "reads null as 0": lax((value) => (value === null ? 0 : undefined)),
  "reads what is missing as 0": lax((value) => (value === undefined ? 0 : undefined)),
  "reads true as 1": lax((value) => (value === true ? 1 : undefined)),
  "reads [] as 0": lax((value) => (Array.isArray(value) && value.length === 0 ? 0 : undefined)),
  "reads objects as 0": lax((value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? 0 : undefined,
  ),
  "coerces everything": lax((value, max) => Number(value) & max),
  "wraps the class": only("class"),
  "wraps the ascendancy": only("ascendancy"),
  "wraps the second ascendancy": only("alternateAscendancy"),
  "wraps fullscreen": only("fullscreen"),
  "wraps hashes": only("hashes"),
  "wraps extended hashes": only("extendedHashes"),
  "wraps masteries": only("masteries"),
  "accepts second ascendancies up to 255": lax((value, _, field) =>
    field === "alternateAscendancy" && isUint(value, 255) ? value & 63 : undefined,
  ),
  "accepts ascendancies up to 255": lax((value, _, field) =>
    field === "ascendancy" && isUint(value, 255) ? value & 3 : undefined,
  ),
  "accepts any fullscreen": lax((value, _, field) =>
    field === "fullscreen" && isUint(value, 255) ? value : undefined,
  ),
  "wraps counts": { writtenCount: (count) => count & 255 },
  "wraps the count of masteries": {
    writtenCount: (count, field) =>
      field === "masteries" ? count & 255 : count > 255 ? undefined : count,
  },
  "wraps the count of extended hashes": {
    writtenCount: (count, field) =>
      field === "extendedHashes" ? count & 255 : count > 255 ? undefined : count,
  },
  "wraps the count of hashes": {
    writtenCount: (count, field) =>
      field === "hashes" ? count & 255 : count > 255 ? undefined : count,
  },
  "cuts lists at 255": {
    list: (value, _, version) =>
      Array.isArray(value) && version > 4 ? value.slice(0, 255) : value,
  },
  "cuts masteries at 255": {
    list: (value, field) =>
      Array.isArray(value) && field === "masteries" ? value.slice(0, 255) : value,
  },
  "accepts 256 entries": { writtenCount: (count) => (count > 256 ? undefined : count) },
  "reads missing lists as empty": { list: (value) => value ?? [] },
  "reads missing masteries as empty": {
    list: (value, field) => (field === "masteries" ? (value ?? []) : value),
  },
  "reads missing extended hashes as empty": {
    list: (value, field) => (field === "extendedHashes" ? (value ?? []) : value),
  },
  "reads a number as a list": { list: (value) => (numeric(value) ? [value] : value) },
  "reads an object as a list": {
    list: (value) => (typeof value === "object" && value !== null ? Object.values(value) : value),
  },
  "reads a text as a list": {
    list: (value) => (typeof value === "string" ? [...value].map(Number) : value),
  },
  "drops entries that are no number": {
    list: (value, field) =>
      Array.isArray(value) && field !== "masteries"
        ? value.filter((one) => isUint(one, 65_535))
        : value,
  },
  "drops entries that are null": {
    list: (value) => (Array.isArray(value) ? value.filter((one) => one !== null) : value),
  },
  "drops masteries that are incomplete": {
    list: (value, field) =>
      Array.isArray(value) && field === "masteries"
        ? value.filter((one) => isUint(one?.node, 65_535) && isUint(one?.effect, 65_535))
        : value,
  },
  "drops what has no room": { room: () => true },
  "drops masteries that have no room": { room: (_, field) => field === "masteries" },
  "drops extended hashes that have no room": { room: (_, field) => field === "extendedHashes" },
  "drops a second ascendancy that has no room": {
    room: (_, field) => field === "alternateAscendancy",
  },
  "drops a fullscreen that has no room": { room: (_, field) => field === "fullscreen" },
  "writes other versions as 6": {
    input: (l: Link) => (l && ![4, 5, 6].includes(l["version"]) ? { ...l, version: 6 } : l),
  },
  "writes version 7 as 6": {
    input: (l: Link) => (l?.["version"] === 7 ? { ...l, version: 6 } : l),
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
  "cuts the fraction of a version": {
    input: (l: Link) => (numeric(l?.["version"]) ? { ...l, version: Math.floor(l["version"]) } : l),
  },
});

const member = (field: string, to: (value: any) => unknown): Switches => ({
  input: (l: Link) => (Array.isArray(l?.[field]) ? { ...l, [field]: to(l[field]) } : l),
});

const written = faultsOf("encode", {
  "writes no padding at all of two": { output: (p) => p.replace(/==$/u, "=") },
  "writes standard base64": { output: (p) => p.replaceAll("-", "+").replaceAll("_", "/") },
  "writes a line feed": { output: (p) => `${p}\n` },
  "writes lines of 76": { output: (p) => p.replace(/.{76}/gu, "$&\n") },
  "writes escaped padding": { output: (p) => p.replaceAll("=", "%3D") },
  "writes = after whole groups": { output: (p) => (p.endsWith("=") ? p : `${p}=`) },
  "writes four =": { output: (p) => (p.endsWith("=") ? p : `${p}====`) },
  "writes a last byte more": { stream: (b) => [...b, 0] },
  "writes no last byte": { stream: (b) => b.slice(0, -1) },
  "writes the version in little-endian order": { stream: (b) => [b[3]!, 0, 0, 0, ...b.slice(4)] },
  "writes version 6 always": { stream: (b) => b.with(3, 6) },
  "writes no second ascendancy": { stream: (b, l) => b.with(5, l["ascendancy"]) },
  "writes two bits of the second ascendancy": {
    stream: (b, l) => (l["version"] === 6 ? b.with(5, b[5]! & 15) : b),
  },
  "exchanges the ascendancies": {
    stream: (b, l) => (l["version"] === 6 ? b.with(5, ((b[5]! & 3) << 6) | (b[5]! >> 2)) : b),
  },
  "writes fullscreen as 0": { stream: (b, l) => (l["version"] === 4 ? b.with(6, 0) : b) },
  "sorts hashes when it writes": member("hashes", (v) =>
    v.toSorted((a: number, b: number) => a - b),
  ),
  "sorts extended hashes when it writes": member("extendedHashes", (v) =>
    v.toSorted((a: number, b: number) => a - b),
  ),
  "sorts masteries when it writes": member("masteries", (v) =>
    v.toSorted((a: any, b: any) => a?.node - b?.node),
  ),
  "drops repeated hashes when it writes": member("hashes", (v) => [...new Set(v)]),
  "drops the last mastery when it writes": member("masteries", (v) => v.slice(0, -1)),
  "drops hash 0 when it writes": member("hashes", (v) => v.filter((h: unknown) => h !== 0)),
  "exchanges node and effect when it writes": member("masteries", (v) =>
    v.map((m: any) => ({ node: m?.effect, effect: m?.node })),
  ),
  "exchanges hashes and extended hashes when it writes": {
    input: (l: Link) =>
      l && "extendedHashes" in l
        ? { ...l, hashes: l["extendedHashes"], extendedHashes: l["hashes"] }
        : l,
  },
  "refuses 255 entries": { writtenCount: (count) => (count > 254 ? undefined : count) },
  "refuses 128 entries": { writtenCount: (count) => (count > 127 ? undefined : count) },
  "refuses 256 hashes of version 4 when it writes": {
    list: (value, _, version) => (version === 4 && value?.length > 255 ? undefined : value),
  },
  "cuts hashes of version 4 at 255": {
    list: (value, _, version) =>
      version === 4 && Array.isArray(value) ? value.slice(0, 255) : value,
  },
  "refuses classes above 6 when it writes": {
    number: (value, max, field) => (isUint(value, field === "class" ? 6 : max) ? value : undefined),
  },
  "refuses second ascendancies above 3 when it writes": {
    number: (value, max, field) =>
      isUint(value, field === "alternateAscendancy" ? 3 : max) ? value : undefined,
  },
  "refuses ascendancies above 3 when it writes": {
    number: (value, max, field) =>
      isUint(value, field === "ascendancy" ? 3 : max) ? value : undefined,
  },
  "refuses hashes above 32767": {
    number: (value, max) => (isUint(value, Math.min(max, 32_767)) ? value : undefined),
  },
  "refuses 65535": {
    number: (value, max) => (isUint(value, max) && value < 65_535 ? value : undefined),
  },
  "refuses 0": {
    number: (value, max, field) =>
      isUint(value, max) && !(value === 0 && field === "hashes") ? value : undefined,
  },
});

export const encodeFaults: ReadonlyArray<Fault> = [...accepted, ...written];
