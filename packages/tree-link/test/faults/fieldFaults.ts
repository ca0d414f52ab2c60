/** Faults in reading the fields: how long they are, and what they hold. */
import { change, type Fault, faultsOf, type Switches } from "./plainCodec.ts";

const mask = (bits: number): Switches => ({ version: (version) => (version & bits) >>> 0 });
const exchanged = (from: number, to: number): Switches => ({
  version: (version) => (version === from ? to : version),
});

const versions = faultsOf("version", {
  "reads the low bits of the version": mask(0xff0000ff),
  "reads seven bits of the version": mask(0xffffff7f),
  "ignores the sign of the version": mask(0x7fffffff),
  "reads version 7 as 6": exchanged(7, 6),
  "reads version 3 as 4": exchanged(3, 4),
  "reads version 2 as 4": exchanged(2, 4),
  "reads version 0 as 6": exchanged(0, 6),
  "refuses version 5": exchanged(5, 0),
  "reads the version as text": { version: (v) => (v >= 52 && v <= 54 ? v - 48 : v) },
  "adds up the bytes of the version": {
    version: (v) => (v >>> 24) + ((v >> 16) & 255) + ((v >> 8) & 255) + (v & 255),
  },
});

const fullscreen = faultsOf("fullscreen", {
  "accepts fullscreen 2": { fullscreen: (byte) => (byte === 2 ? 1 : byte < 2 ? byte : undefined) },
  "accepts fullscreen 255": {
    fullscreen: (byte) => (byte === 255 ? 1 : byte < 2 ? byte : undefined),
  },
  "accepts no fullscreen": { fullscreen: (byte) => (byte === 0 ? 0 : undefined) },
});

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

const cutCounts = (bytes: Array<number>): Array<number> => {
  const count = bytes[6] ?? 0;
  const room = Math.max(0, Math.floor((bytes.length - 9) / 2));
  return bytes[3] === 6 && count > room
    ? [...bytes.slice(0, 6), room, ...bytes.slice(7, 7 + 2 * room), 0, 0]
    : bytes;
};

const truncated = faultsOf("truncated", {
  "reads a missing fullscreen as 0": {
    bytes: (b) => (b[3] === 4 && b.length === 6 ? [...b, 0] : b),
  },
  "reads version 5 without lists": completed(5, 0),
  "reads version 5 without extended hashes": completed(5, 1),
  "reads version 6 without lists": completed(6, 0),
  "reads version 6 without extended hashes": completed(6, 1),
  "reads version 6 without masteries": completed(6, 2),
  "drops half a hash of version 4": { odd: true },
  "cuts counts to what is there": { bytes: cutCounts },
});

const trailing = faultsOf("trailing", {
  "ignores one zero behind": { trailing: (rest) => rest.length === 1 && rest[0] === 0 },
  "ignores two zeros behind": {
    trailing: (rest) => rest.length === 2 && rest.every((byte) => byte === 0),
  },
  "ignores a line feed behind": { trailing: (rest) => rest.length === 1 && rest[0] === 10 },
  "ignores bytes behind version 5": { trailing: (_, version) => version === 5 },
  "ignores bytes behind version 6": { trailing: (_, version) => version === 6 },
  "ignores four bytes and more behind": { trailing: (rest) => rest.length >= 4 },
});

const counts = ["hashes", "extendedHashes", "masteries"].flatMap((field) =>
  faultsOf("count", {
    [`refuses 255 ${field}`]: {
      link: (l) => (l[field]?.length === 255 && l["version"] > 4 ? undefined : l),
    },
    [`refuses no ${field}`]: { link: (l) => (l[field]?.length === 0 ? undefined : l) },
  }),
);

const header = faultsOf("header", {
  "refuses classes above 6": { link: (l) => (l["class"] > 6 ? undefined : l) },
  "reads seven bits of the class": { link: change("class", (v) => v & 127) },
  "reads five bits of the second ascendancy": {
    link: change("alternateAscendancy", (v) => v & 31),
  },
  "refuses second ascendancies above 3": {
    link: (l) => (l["alternateAscendancy"] > 3 ? undefined : l),
  },
  "splits the ascendancy of version 5": {
    ascendancy: (byte, v) => (v > 4 ? [byte & 3, byte >> 2] : [byte, 0]),
  },
  "splits the ascendancy of version 4": {
    ascendancy: (byte, v) => (v !== 5 ? [byte & 3, byte >> 2] : [byte, 0]),
  },
  "refuses ascendancies above 3": { link: (l) => (l["ascendancy"] > 3 ? undefined : l) },
  "refuses an ascendancy of class 0": {
    link: (l) => (l["class"] === 0 && l["ascendancy"] > 0 ? undefined : l),
  },
});

const uniqueBy = (key: string) => (list: ReadonlyArray<any>) => [
  ...new Map(list.map((one) => [one[key], one])).values(),
];

const order = faultsOf("order", {
  "drops masteries of 0 and 0": {
    link: change("masteries", (v) => v.filter((m: any) => m.effect + m.node > 0)),
  },
  "drops repeated extended hashes": { link: change("extendedHashes", (v) => [...new Set(v)]) },
  "keeps one mastery of a node": { link: change("masteries", uniqueBy("node")) },
  "keeps one mastery of an effect": { link: change("masteries", uniqueBy("effect")) },
  "drops hashes that have a mastery": {
    link: change("hashes", (v, l) =>
      v.filter((h: number) => !l["masteries"]?.some((m: any) => m.node === h)),
    ),
  },
});

export const fieldFaults: ReadonlyArray<Fault> = [
  ...versions,
  ...fullscreen,
  ...truncated,
  ...trailing,
  ...counts,
  ...header,
  ...order,
];
