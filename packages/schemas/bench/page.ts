/**
 * A generated page of the public stash stream, the same for the same seed: listed and unlisted
 * changes, items with the members that real ones have (some twenty-five of ninety-three),
 * properties, sockets, socketed gems, long mods.
 */

import { randomOf } from "../test/mutate.ts";

const WORDS = ["ember", "vale", "thorn", "gale", "iron", "dusk", "pearl", "rime", "cinder", "moss"];

/**
 * The likeness of the items. A captured page of 2 MB has 160 object shapes (sets of members): its
 * items are of a limited number of kinds. `few` is like it, in `usual` every item has members of
 * its own
 * (439 shapes in 5 MB), in `many` there are rare members besides (over a thousand).
 */
export type Variety = "few" | "usual" | "many";

const KINDS = 130;

/** Members that few items have. */
const RARE = ["replica", "split", "synthesised", "duplicated", "veiled", "abyssJewel", "isRelic"];

/** A page of at least `bytes` bytes as a JSON text. */
export const generatePage = (bytes: number, seed = 1, variety: Variety = "usual"): string => {
  const next = randomOf(seed);
  const int = (below: number): number => Math.floor(next() * below);
  const chance = (probability: number): boolean => next() < probability;
  const pick = <T>(list: ReadonlyArray<T>): T => list[int(list.length)]!;
  const words = (count: number): string =>
    Array.from({ length: count }, () => pick(WORDS)).join(" ");
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => int(16).toString(16)).join("");
  const list = <T>(from: number, to: number, element: () => T): ReadonlyArray<T> =>
    Array.from({ length: from + int(to - from + 1) }, element);
  const mod = (): string => `${int(120)}% increased ${words(6)}`;
  const property = (): object => ({
    name: words(2),
    values: chance(0.2) ? [] : [[`${int(400)}`, int(2)]],
    displayMode: int(4),
    ...(chance(0.5) ? { type: int(60) } : {}),
  });
  const gem = (socket: number): object => ({
    verified: false,
    w: 1,
    h: 1,
    icon: `https://images.example/gems/${hex(120)}.png`,
    support: chance(0.5),
    id: hex(64),
    name: "",
    typeLine: words(2),
    baseType: words(2),
    identified: true,
    ilvl: 0,
    properties: list(3, 6, property),
    additionalProperties: [{ ...property(), displayMode: 2, progress: int(100) / 100 }],
    requirements: list(2, 3, property),
    secDescrText: words(20),
    explicitMods: list(3, 6, mod),
    descrText: words(18),
    frameType: 4,
    socket,
    colour: pick(["S", "D", "I", "G"]),
  });
  const item = (): object => {
    // Which members there are: of the item's kind, or of the item.
    const ofKind = randomOf(int(KINDS));
    const has = variety === "few" ? (probability: number) => ofKind() < probability : chance;
    const rarity = pick(["Normal", "Magic", "Rare", "Unique"]);
    const socketed = has(0.15);
    return {
      verified: false,
      w: 1 + int(2),
      h: 1 + int(4),
      icon: `https://images.example/items/${hex(120)}.png`,
      ...(has(0.1) ? { stackSize: 1 + int(20), maxStackSize: 20 } : {}),
      league: "Ember",
      id: hex(64),
      ...(has(0.08) ? { influences: { [pick(["shaper", "elder"])]: true } } : {}),
      ...(has(0.05) ? { fractured: true } : {}),
      ...(has(0.4)
        ? { sockets: list(1, 6, () => ({ group: int(3), attr: "S", sColour: "R" })) }
        : {}),
      name: rarity === "Normal" ? "" : words(2),
      typeLine: words(2),
      baseType: words(2),
      rarity,
      identified: true,
      ilvl: int(101),
      ...(has(0.3) ? { note: `~price ${1 + int(50)} orb` } : {}),
      ...(has(0.1) ? { corrupted: true } : {}),
      properties: list(1, 5, property),
      requirements: list(1, 4, property),
      ...(has(0.2) ? { enchantMods: list(1, 2, mod) } : {}),
      ...(has(0.5) ? { implicitMods: list(1, 2, mod) } : {}),
      explicitMods: list(1, 6, mod),
      ...(has(0.2) ? { craftedMods: list(1, 2, mod) } : {}),
      ...(has(0.2) ? { descrText: words(15) } : {}),
      ...(has(0.3) ? { flavourText: list(1, 3, () => words(6)) } : {}),
      ...(variety === "many" &&
        Object.fromEntries(RARE.filter(() => chance(0.2)).map((name) => [name, true]))),
      frameType: int(6),
      extended: { prefixes: int(4), suffixes: int(4) },
      x: int(12),
      y: int(12),
      inventoryId: "Stash1",
      socketedItems: socketed ? list(1, 5, () => gem(int(6))) : [],
    };
  };
  const stashes: Array<string> = [];
  for (let size = 0; size < bytes;) {
    const change = chance(0.5)
      ? {
          id: hex(64),
          public: false,
          accountName: null,
          stash: null,
          stashType: "PremiumStash",
          league: null,
          items: [],
        }
      : {
          id: hex(64),
          public: true,
          accountName: `${words(1)}#${1000 + int(9000)}`,
          stash: words(2),
          stashType: "PremiumStash",
          league: "Ember",
          items: list(1, 40, item),
        };
    const text = JSON.stringify(change);
    size += text.length + 1;
    stashes.push(text);
  }
  return `{"next_change_id":"1-2-3-4-5","stashes":[${stashes.join(",")}]}`;
};
