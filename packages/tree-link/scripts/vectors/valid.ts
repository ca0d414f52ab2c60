/** Links of every version, with their fields. */
import type { TreeLink } from "@game-data/tree-link";
import {
  EMPTY4,
  EMPTY5,
  EMPTY6,
  hex,
  padded,
  some,
  someMasteries,
  streamOf,
  unpadded,
} from "./bytes.ts";

interface ValidCase {
  readonly id: string;
  readonly why: string;
  /** The canonical payload, padded. */
  readonly payload: string;
  /** The same without padding; decoders accept both. */
  readonly unpadded: string;
  readonly bytes: string;
  readonly link: TreeLink;
}

const CLASSES = ["Scion", "Marauder", "Ranger", "Witch", "Duelist", "Templar", "Shadow"];
const COUNTS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 32, 33, 127, 128, 255];
const HASHES = [0, 1, 2, 127, 128, 255, 256, 257, 32_767, 32_768, 32_769, 65_534, 65_535];
const VERSIONS = [EMPTY4, EMPTY5, EMPTY6] as const;

/** All valid cases. */
export const valid = (): ReadonlyArray<ValidCase> => {
  const cases: Array<ValidCase> = [];
  const add = (id: string, why: string, link: TreeLink) => {
    const bytes = streamOf(link);
    cases.push({
      id,
      why,
      payload: padded(bytes),
      unpadded: unpadded(bytes),
      bytes: hex(bytes),
      link,
    });
  };

  for (const empty of VERSIONS) {
    const { version } = empty;
    add(
      `v${version}-empty`,
      `The shortest link of version ${version}: no lists are filled.`,
      empty,
    );
    for (const [number, name] of CLASSES.entries())
      add(`v${version}-class-${number}`, `Class ${number} is the ${name}.`, {
        ...empty,
        class: number,
      });
    for (const number of [7, 8, 127, 128, 254, 255])
      add(
        `v${version}-class-${number}`,
        `Class ${number} has no name; a codec passes it on as it is.`,
        { ...empty, class: number },
      );
    for (const count of version === 4 ? [...COUNTS, 256, 257, 1659] : COUNTS)
      add(
        `v${version}-hashes-${count}`,
        version === 4
          ? `${count} hashes; version 4 has no count, so they run to the end of the stream.`
          : `${count} hashes behind a count of one byte.`,
        { ...empty, hashes: some(count) },
      );
    for (const hash of HASHES)
      add(
        `v${version}-hash-${hash}`,
        `Hash ${hash} is an unsigned 16-bit number, high byte first.`,
        { ...empty, hashes: [hash] },
      );
    add(`v${version}-order`, "Hashes keep their order: a codec does not sort them.", {
      ...empty,
      hashes: [9, 3, 7, 1, 65_535, 0],
    });
    add(`v${version}-duplicates`, "Duplicates stay: a codec does not make hashes unique.", {
      ...empty,
      hashes: [5, 5, 5, 4, 5],
    });
  }
  for (const byte of [0, 1, 2, 3, 4, 7, 27, 63, 64, 128, 252, 255])
    for (const empty of [EMPTY4, EMPTY5])
      add(
        `v${empty.version}-ascendancy-${byte}`,
        `Version ${empty.version} keeps the whole ascendancy byte, ${byte}; only version 6.1 splits it.`,
        { ...empty, ascendancy: byte },
      );
  for (const fullscreen of [0, 1] as const)
    for (const count of [0, 1, 2])
      add(
        `v4-fullscreen-${fullscreen}-${count}`,
        `The fullscreen byte is ${fullscreen}, in front of ${count} hashes.`,
        { ...EMPTY4, fullscreen, hashes: some(count) },
      );

  const names = ["none", "Warden", "Warlock", "Primalist"];
  for (let byte = 0; byte < 256; byte++) {
    const [alternateAscendancy, ascendancy] = [byte >> 2, byte & 3];
    const name = names[alternateAscendancy] ?? "without a stated meaning";
    add(
      `v6-ascendancy-${byte}`,
      `Ascendancy byte ${byte}: the low two bits are the ascendancy, ${ascendancy}; the high six are the second one, ${alternateAscendancy} (${name}).`,
      { ...EMPTY6, ascendancy, alternateAscendancy },
    );
  }
  for (const count of COUNTS) {
    for (const empty of [EMPTY5, EMPTY6])
      add(
        `v${empty.version}-extended-${count}`,
        `${count} cluster-jewel hashes behind a count of one byte; nothing is added to them.`,
        { ...empty, extendedHashes: some(count) },
      );
    add(
      `v6-masteries-${count}`,
      `${count} mastery effects behind a count of one byte, four bytes each.`,
      { ...EMPTY6, masteries: someMasteries(count) },
    );
    if (count < 40)
      add(`v6-all-${count}`, `All three lists have ${count} entries.`, {
        ...EMPTY6,
        class: 3,
        ascendancy: 2,
        hashes: some(count),
        extendedHashes: some(count),
        masteries: someMasteries(count),
      });
  }
  for (const value of HASHES) {
    for (const empty of [EMPTY5, EMPTY6])
      add(`v${empty.version}-extended-hash-${value}`, `Cluster-jewel hash ${value} alone.`, {
        ...empty,
        extendedHashes: [value],
      });
    add(
      `v6-mastery-effect-${value}`,
      `Effect ${value} stands in front of node 1: it is the high half of the uint32.`,
      { ...EMPTY6, masteries: [{ node: 1, effect: value }] },
    );
    add(
      `v6-mastery-node-${value}`,
      `Node ${value} stands behind effect 1: it is the low half of the uint32.`,
      { ...EMPTY6, masteries: [{ node: value, effect: 1 }] },
    );
  }
  add("v6-mastery-order", "Mastery effects keep their order, duplicates included.", {
    ...EMPTY6,
    masteries: [
      { node: 9, effect: 1 },
      { node: 3, effect: 2 },
      { node: 9, effect: 1 },
    ],
  });
  add("v6-mastery-known", "The uint32 3122307527 is effect 47642 and node 41415.", {
    ...EMPTY6,
    masteries: [{ node: 41_415, effect: 47_642 }],
  });
  add("v6-atlas-empty", "An empty atlas tree is an empty link of class 0.", EMPTY6);
  add("v6-atlas-one", "An atlas tree with one node: class and ascendancy are 0.", {
    ...EMPTY6,
    hashes: [63_311],
  });
  add("v6-full", "The longest link of version 6: 255 entries in each list.", {
    ...EMPTY6,
    class: 255,
    ascendancy: 3,
    alternateAscendancy: 63,
    hashes: some(255),
    extendedHashes: some(255),
    masteries: someMasteries(255),
  });
  // Sextet n of a hash list: 16 bits that begin at bit 56, so characters 10 and 11 are whole.
  for (let sextet = 0; sextet < 64; sextet++) {
    const hash = (sextet << 6) | (63 - sextet);
    const text = unpadded(streamOf({ ...EMPTY6, hashes: [hash] })).slice(10, 12);
    add(
      `alphabet-${sextet}`,
      `Characters 10 and 11, “${text}”, carry the sextets ${sextet} and ${63 - sextet}.`,
      { ...EMPTY6, hashes: [hash] },
    );
  }
  return cases;
};
