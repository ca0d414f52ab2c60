/** Faults in reading how long the fields are. `valueFaults.ts` has those in what they hold. */
import { change, type Fault, faultsOf, type Switches } from "./plainCodec.ts";

const known = (version: number) => version >= 4 && version <= 6;
const mask = (bits: number): Switches => ({ version: (version) => (version & bits) >>> 0 });

const versionFaults = faultsOf("version", {
  "reads the low byte of the version": mask(0xff),
  "reads the low 16 bits of the version": mask(0xffff),
  "reads the low 24 bits of the version": mask(0xffffff),
  "reads the low bits of the version": mask(0xff0000ff),
  "reads seven bits of the version": mask(0xffffff7f),
  "reads four bits of the version": mask(0xffffff0f),
  "reads three bits of the version": mask(0xffffff07),
  "ignores the sign of the version": mask(0x7fffffff),
  "reads version 7 as 6": { version: (v) => (v === 7 ? 6 : v) },
  "reads later versions as 6": { version: (v) => (v > 6 ? 6 : v) },
  "reads later one-byte versions as 6": { version: (v) => (v > 6 && v < 256 ? 6 : v) },
  "reads version 3 as 4": { version: (v) => (v === 3 ? 4 : v) },
  "reads earlier versions as 4": { version: (v) => (v < 4 ? 4 : v) },
  "reads version 2 as 4": { version: (v) => (v === 2 ? 4 : v) },
  "reads version 0 as 6": { version: (v) => (v === 0 ? 6 : v) },
  "reads versions of either order": { version: (v) => (known(v) ? v : v >>> 24) },
  "refuses version 4": { version: (v) => (v === 4 ? 0 : v) },
  "refuses version 5": { version: (v) => (v === 5 ? 0 : v) },
  "reads the version as text": { version: (v) => (v >= 52 && v <= 54 ? v - 48 : v) },
  "reads version 5 as 6": { version: (v) => (v === 5 ? 6 : v) },
  "adds up the bytes of the version": {
    version: (v) => (v >>> 24) + ((v >> 16) & 255) + ((v >> 8) & 255) + (v & 255),
  },
});

const fullscreen = faultsOf("fullscreen", {
  "accepts any fullscreen byte": { fullscreen: (byte) => byte },
  "reads any fullscreen byte as 1": { fullscreen: (byte) => Math.min(byte, 1) },
  "reads the lowest bit of fullscreen": { fullscreen: (byte) => byte & 1 },
  "accepts fullscreen 2": { fullscreen: (byte) => (byte === 2 ? 1 : byte < 2 ? byte : undefined) },
  "accepts fullscreen 255": {
    fullscreen: (byte) => (byte === 255 ? 1 : byte < 2 ? byte : undefined),
  },
  "accepts a signed fullscreen": {
    fullscreen: (byte) => (byte < 2 ? byte : byte > 127 ? 0 : undefined),
  },
  "accepts no fullscreen": { fullscreen: (byte) => (byte === 0 ? 0 : undefined) },
  "reads fullscreen as 0": { fullscreen: (byte) => (byte < 2 ? 0 : undefined) },
  "reads fullscreen as 1 for 0": { fullscreen: (byte) => (byte < 2 ? 1 - byte : undefined) },
  "reads fullscreen as a boolean": { link: change("fullscreen", (v) => v === 1) },
});

const short = (...fields: Array<string>): Switches => ({
  missing: (field) => fields.includes(field),
});

const truncated = faultsOf("truncated", {
  "reads missing bytes as 0": { missing: () => true },
  "reads a missing class as 0": short(
    "class",
    "ascendancy",
    "fullscreen",
    "hashes",
    "extendedHashes",
    "masteries",
  ),
  "reads a missing fullscreen as 0": {
    bytes: (b) => (b[3] === 4 && b.length === 6 ? [...b, 0] : b),
  },
  "reads missing extended hashes as 0": short("extendedHashes", "masteries"),
  "reads missing masteries as 0": short("masteries"),
  "reads a missing count of masteries as 0": { bytes: fill([6], 3) },
  "reads a missing count of extended hashes as 0": { bytes: fill([5, 6], 2) },
  "reads a missing last byte as 0": {
    bytes: (bytes) => (needed(bytes) === bytes.length + 1 ? [...bytes, 0] : bytes),
  },
  "reads two missing last bytes as 0": {
    bytes: (bytes) => (needed(bytes) === bytes.length + 2 ? [...bytes, 0, 0] : bytes),
  },
  "reads missing bytes of version 5 as 0": { missing: (_, version) => version === 5 },
  "reads half a hash of version 4": {
    odd: true,
    bytes: (bytes) => (bytes[3] === 4 && bytes.length % 2 === 0 ? [...bytes, 0] : bytes),
  },
  "drops half a hash of version 4": { odd: true },
  "cuts counts to what is there": { count: (count) => count, bytes: (bytes) => cutCounts(bytes) },
});

/** Number of bytes that a stream announces. */
function needed(bytes: ReadonlyArray<number>): number {
  if (bytes[3] === 4 || bytes.length < 7) return bytes.length;
  let at = 7 + 2 * bytes[6]!;
  at += 1 + 2 * (bytes[at] ?? 0);
  return bytes[3] === 5 ? at : at + 1 + 4 * (bytes[at] ?? 0);
}

function fill(versions: ReadonlyArray<number>, lists: number): Switches["bytes"] & {} {
  return (bytes) => {
    if (!versions.includes(bytes[3] ?? 0) || bytes.length < 7) return bytes;
    let at = 6;
    for (let list = 1; list < lists; list++) at += 1 + 2 * (bytes[at] ?? 0);
    return at === bytes.length
      ? [...bytes, ...Array.from({ length: bytes[3] === 5 ? 1 : 4 - lists }, () => 0)]
      : bytes;
  };
}

function cutCounts(bytes: Array<number>): Array<number> {
  const count = bytes[6] ?? 0;
  const room = Math.max(0, Math.floor((bytes.length - 9) / 2));
  return bytes[3] === 6 && count > room
    ? [...bytes.slice(0, 6), room, ...bytes.slice(7, 7 + 2 * room), 0, 0]
    : bytes;
}

const trailing = faultsOf("trailing", {
  "ignores bytes behind the last list": { trailing: () => true },
  "ignores one byte behind": { trailing: (rest) => rest.length === 1 },
  "ignores up to three bytes behind": { trailing: (rest) => rest.length < 4 },
  "ignores zeros behind": { trailing: (rest) => rest.every((byte) => byte === 0) },
  "ignores one zero behind": { trailing: (rest) => rest.length === 1 && rest[0] === 0 },
  "ignores two zeros behind": {
    trailing: (rest) => rest.length === 2 && rest.every((byte) => byte === 0),
  },
  "ignores a line feed behind": { trailing: (rest) => rest.length === 1 && rest[0] === 10 },
  "ignores bytes behind version 5": { trailing: (_, version) => version === 5 },
  "ignores bytes behind version 6": { trailing: (_, version) => version === 6 },
  "ignores four bytes and more behind": { trailing: (rest) => rest.length >= 4 },
});

const counted = (field: string, to: (count: number) => number): Switches => ({
  count: (count, name) => (name === field ? to(count) : count),
});
const LISTS = ["hashes", "extendedHashes", "masteries"];
const lost = (count: number) => Math.min(count, 254);

const counts = LISTS.flatMap((field) =>
  faultsOf("count", {
    [`reads counts of ${field} as signed`]: counted(field, (c) => (c > 127 ? 0 : c)),
    [`refuses 255 ${field}`]: {
      link: (l) => (l[field]?.length === 255 && l["version"] > 4 ? undefined : l),
    },
    [`loses the 255th of ${field}`]: {
      link: change(field, (v, l) => (l["version"] === 4 ? v : v.slice(0, 254))),
    },
    [`reads seven bits of the count of ${field}`]: counted(field, (c) => c & 127),
    [`refuses more than 128 ${field}`]: {
      link: (l) => (l[field]?.length > 128 && l["version"] > 4 ? undefined : l),
    },
    [`refuses more than 64 ${field}`]: {
      link: (l) => (l[field]?.length > 64 && l["version"] > 4 ? undefined : l),
    },
    [`refuses no ${field}`]: { link: (l) => (l[field]?.length === 0 ? undefined : l) },
    [`loses the last of ${field}`]: { link: change(field, (v) => v.slice(0, -1)) },
    [`loses the first of ${field}`]: { link: change(field, (v) => v.slice(1)) },
  }),
);

const long = faultsOf("long", {
  "holds 255 hashes of version 4": {
    link: (l) => (l["version"] === 4 ? { ...l, hashes: l["hashes"].slice(0, 255) } : l),
  },
  "refuses 256 hashes of version 4": { link: (l) => (l["hashes"].length > 255 ? undefined : l) },
  "refuses more than 1,024 hashes": { link: (l) => (l["hashes"].length > 1_024 ? undefined : l) },
  "cuts at 2,048 hashes": { link: change("hashes", (v) => v.slice(0, 2_048)) },
  "has a buffer of 4,096 bytes": { bytes: (bytes) => bytes.slice(0, 4_096) },
  "refuses more than 4,096 bytes": { bytes: (bytes) => (bytes.length > 4_096 ? [] : bytes) },
  "has a buffer of 2,048 bytes": {
    bytes: (bytes) => bytes.map((byte, i) => (i < 2_048 ? byte : 0)),
  },
  "refuses more than 1,000 bytes": { bytes: (bytes) => (bytes.length > 1_000 ? [] : bytes) },
  "counts bytes of version 4 in a byte": {
    link: (l) =>
      l["version"] === 4 ? { ...l, hashes: l["hashes"].slice(0, l["hashes"].length & 255) } : l,
  },
  "reads counts one too low": {
    link: change("hashes", (v) => (v.length > 254 ? lost(v.length) && v.slice(0, -1) : v)),
  },
});

export const fieldFaults: ReadonlyArray<Fault> = [
  ...versionFaults,
  ...fullscreen,
  ...truncated,
  ...trailing,
  ...counts,
  ...long,
];
