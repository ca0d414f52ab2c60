/** Faults in what the fields hold: numbers, the header, the order of entries. */
import { change, type Fault, faultsOf, type Switches } from "./plainCodec.ts";

const u16 = (to: (value: number) => number, ...fields: Array<string>): Switches => ({
  uint16: (high, low, field) =>
    fields.length === 0 || fields.includes(field) ? to(high * 256 + low) : high * 256 + low,
});
const swap = (value: number) => ((value & 255) << 8) | (value >> 8);

const values = faultsOf("value", {
  "reads hashes in little-endian order": u16(swap, "hashes"),
  "reads extended hashes in little-endian order": u16(swap, "extendedHashes"),
  "reads masteries in little-endian order": u16(swap, "masteries"),
  "reads all numbers in little-endian order": u16(swap),
  "reads hashes as signed": u16((v) => (v > 32_767 ? v - 65_536 : v), "hashes"),
  "reads extended hashes as signed": u16((v) => (v > 32_767 ? v - 65_536 : v), "extendedHashes"),
  "reads masteries as signed": u16((v) => (v > 32_767 ? v - 65_536 : v), "masteries"),
  "reads 15 bits of a hash": u16((v) => v & 0x7fff),
  "reads 12 bits of a hash": u16((v) => v & 0xfff),
  "reads the low byte of a hash": u16((v) => v & 0xff, "hashes"),
  "adds 65536 to extended hashes": u16((v) => v + 65_536, "extendedHashes"),
  "drops hash 0": { link: change("hashes", (v) => v.filter((h: number) => h !== 0)) },
  "drops hash 65535": { link: change("hashes", (v) => v.filter((h: number) => h !== 65_535)) },
  "drops extended hash 0": {
    link: change("extendedHashes", (v) => v.filter((h: number) => h !== 0)),
  },
  "drops masteries without an effect": {
    link: change("masteries", (v) => v.filter((m: any) => m.effect !== 0)),
  },
  "drops masteries of 0 and 0": {
    link: change("masteries", (v) => v.filter((m: any) => m.effect + m.node > 0)),
  },
  "drops masteries of node 0": {
    link: change("masteries", (v) => v.filter((m: any) => m.node !== 0)),
  },
  "exchanges node and effect": {
    link: change("masteries", (v) =>
      v.map(({ node, effect }: any) => ({ node: effect, effect: node })),
    ),
  },
  "reads the effect for the node": {
    link: change("masteries", (v) => v.map(({ effect }: any) => ({ node: effect, effect }))),
  },
  "exchanges hashes and extended hashes": {
    link: (l) =>
      "extendedHashes" in l
        ? { ...l, hashes: l["extendedHashes"], extendedHashes: l["hashes"] }
        : l,
  },
  "joins extended hashes to hashes": {
    link: (l) =>
      "extendedHashes" in l ? { ...l, hashes: [...l["hashes"], ...l["extendedHashes"]] } : l,
  },
  "drops extended hashes": { link: change("extendedHashes", () => []) },
  "drops masteries": { link: change("masteries", () => []) },
  "drops masteries beside extended hashes": {
    link: change("masteries", (v, l) => (l["extendedHashes"].length > 0 ? [] : v)),
  },
  "drops masteries without extended hashes": {
    link: change("masteries", (v, l) => (l["extendedHashes"].length > 0 ? v : [])),
  },
  "refuses hashes that are no node of a small tree": {
    link: (l) => (l["hashes"].some((h: number) => h > 65_000) ? undefined : l),
  },
  "keeps an old hash for zero": u16((v) => v || 1),
});

const header = faultsOf("header", {
  "refuses classes above 6": { link: (l) => (l["class"] > 6 ? undefined : l) },
  "reads three bits of the class": { link: change("class", (v) => v & 7) },
  "reads seven bits of the class": { link: change("class", (v) => v & 127) },
  "reads the class as signed": { link: change("class", (v) => (v > 127 ? v - 256 : v)) },
  "refuses class 0": { link: (l) => (l["class"] === 0 ? undefined : l) },
  "counts classes from 1": { link: change("class", (v) => v + 1) },
  "exchanges class and ascendancy": {
    link: (l) => ({ ...l, class: l["ascendancy"], ascendancy: l["class"] }),
  },
  "reads two bits of the second ascendancy": { link: change("alternateAscendancy", (v) => v & 3) },
  "reads four bits of the second ascendancy": {
    link: change("alternateAscendancy", (v) => v & 15),
  },
  "reads five bits of the second ascendancy": {
    link: change("alternateAscendancy", (v) => v & 31),
  },
  "refuses second ascendancies above 3": {
    link: (l) => (l["alternateAscendancy"] > 3 ? undefined : l),
  },
  "does not split the ascendancy": { ascendancy: (byte) => [byte, 0] },
  "splits the ascendancy the other way": {
    ascendancy: (byte, v) => (v === 6 ? [byte >> 6, byte & 63] : [byte, 0]),
  },
  "splits nibbles": { ascendancy: (byte, v) => (v === 6 ? [byte & 15, byte >> 4] : [byte, 0]) },
  "splits the ascendancy of version 5": {
    ascendancy: (byte, v) => (v > 4 ? [byte & 3, byte >> 2] : [byte, 0]),
  },
  "splits the ascendancy of version 4": {
    ascendancy: (byte, v) => (v !== 5 ? [byte & 3, byte >> 2] : [byte, 0]),
  },
  "shifts the second ascendancy by 3": {
    ascendancy: (byte, v) => (v === 6 ? [byte & 3, byte >> 3] : [byte, 0]),
  },
  "does not shift the second ascendancy": {
    ascendancy: (byte, v) => (v === 6 ? [byte & 3, byte & 252] : [byte, 0]),
  },
  "refuses ascendancies above 3": { link: (l) => (l["ascendancy"] > 3 ? undefined : l) },
  "reads a signed ascendancy": {
    ascendancy: (byte, v) => (v === 6 ? [byte & 3, (byte << 24) >> 26] : [(byte << 24) >> 24, 0]),
  },
  "leaves out the second ascendancy of 0": {
    link: (l) => {
      const { alternateAscendancy, ...rest } = l;
      return alternateAscendancy === 0 ? rest : l;
    },
  },
});

const unique = (list: ReadonlyArray<unknown>) => [...new Set(list)];

const order = faultsOf("order", {
  "sorts hashes": { link: change("hashes", (v) => v.toSorted((a: number, b: number) => a - b)) },
  "sorts hashes as text": { link: change("hashes", (v) => v.toSorted()) },
  "sorts extended hashes": {
    link: change("extendedHashes", (v) => v.toSorted((a: number, b: number) => a - b)),
  },
  "sorts masteries": {
    link: change("masteries", (v) => v.toSorted((a: any, b: any) => a.node - b.node)),
  },
  "sorts masteries by effect": {
    link: change("masteries", (v) => v.toSorted((a: any, b: any) => a.effect - b.effect)),
  },
  "reverses hashes": { link: change("hashes", (v) => v.toReversed()) },
  "reverses extended hashes": { link: change("extendedHashes", (v) => v.toReversed()) },
  "reverses masteries": { link: change("masteries", (v) => v.toReversed()) },
  "drops repeated hashes": { link: change("hashes", unique) },
  "drops repeated extended hashes": { link: change("extendedHashes", unique) },
  "keeps one mastery of a node": {
    link: change("masteries", (v) => [...new Map(v.map((m: any) => [m.node, m])).values()]),
  },
  "keeps one mastery of an effect": {
    link: change("masteries", (v) => [...new Map(v.map((m: any) => [m.effect, m])).values()]),
  },
  "keeps masteries by node as an object does": {
    link: change("masteries", (v) =>
      Object.values(Object.fromEntries(v.map((m: any) => [m.node, m]))),
    ),
  },
  "drops neighbours that are equal": {
    link: change("hashes", (v) => v.filter((h: number, i: number) => i === 0 || h !== v[i - 1])),
  },
  "drops extended hashes that are hashes": {
    link: change("extendedHashes", (v, l) => v.filter((h: number) => !l["hashes"].includes(h))),
  },
  "drops hashes that have a mastery": {
    link: change("hashes", (v, l) =>
      v.filter((h: number) => !l["masteries"]?.some((m: any) => m.node === h)),
    ),
  },
});

export const valueFaults: ReadonlyArray<Fault> = [...values, ...header, ...order];
