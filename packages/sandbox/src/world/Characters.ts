/**
 * The characters of an account, in both games: the plain list, and one character with its equipment
 * and passives.
 *
 * An account has different characters in every realm, and in some realms none. The list is cheap,
 * because equipment and passives are made only for a single character.
 */
import { characterClasses } from "@game-data/contract/CharacterClass";
import type { Character, Item } from "@game-data/schemas";
import { wordsOf } from "../internal/words.ts";
import { GEAR, gear } from "./gear.ts";
import { anyThing2, gear2, skill2 } from "./gear2.ts";
import {
  challengeName,
  challengeNumber,
  parentLeague,
  type Realm,
  type WorldMoment,
} from "./Leagues.ts";
import { characterName } from "./Lexicon.ts";
import { jewelTree, passives, passives2 } from "./PassiveTrees.ts";
import { hexId, prng } from "./Prng.ts";
import { anyThing } from "./Tabs.ts";
import { flask, makeItem, type Maker } from "./things.ts";

/** Classes of game 1. The `class` filter of a ladder spells them in lower case (§4.2). */
export const CLASSES = characterClasses.map((name) => name[0]!.toUpperCase() + name.slice(1));
const CLASSES_GAME_2 = ["Warden of Reeds", "Lamplighter", "Tidecaller", "Quarrier"] as const;

export const gameVersion = (realm: Realm): string => (realm === "game2" ? "0.9.0" : "3.90.0");

/** Returns the experience at the start of a level, on an invented curve of the game's shape. */
export const experienceAt = (level: number): number => {
  const part = Math.max(0, level - 1) / 99;
  // Multiply, because `Math.pow` may differ between engines in the last bit.
  const cube = part * part * part;
  return Math.floor(4_250_334_444 * cube * cube);
};

export const LAST_LEVEL = 100;

export const levelAt = (experience: number): number => {
  let level = LAST_LEVEL;
  while (level > 1 && experienceAt(level) > experience) level--;
  return level;
};

/** The facts about an account from which its characters follow. */
export interface CharacterOwner {
  readonly uuid: string;
  /** Index in the list of accounts. The first account has the most characters. */
  readonly index: number;
}

/** Number of characters of each account, by realm. */
const COUNTS: Readonly<Record<Realm, ReadonlyArray<number>>> = {
  pc: [14, 6, 3, 5, 2, 1],
  console_a: [3, 2, 0, 0, 2, 0],
  console_b: [2, 0, 0, 2, 0, 0],
  game2: [5, 0, 2, 3, 1, 1],
};

const characterKey = (seed: number, owner: CharacterOwner, realm: Realm, index: number): string =>
  `${seed}/character/${owner.uuid}/${realm}/${index}`;

/** Returns an account's plain characters in a realm. They move when their league ends. */
export const charactersOf = (
  { now, seed, worldStart }: WorldMoment,
  owner: CharacterOwner,
  realm: Realm,
): ReadonlyArray<Character> => {
  const hasEnded = challengeNumber(worldStart, now) > 0;
  const challenge = challengeName(realm, worldStart, worldStart);
  const homes = ["Standard", "Hardcore", `Hardcore ${challenge}`, "Ruthless Standard"];
  return Array.from({ length: COUNTS[realm][owner.index] ?? 0 }, (_, index) => {
    const key = characterKey(seed, owner, realm, index);
    const draw = prng(key);
    const level = index === 0 ? draw.int(85, 99) : draw.int(2, 97);
    const first = index % 3 === 0 ? challenge : draw.pick(homes);
    const league = hasEnded && first.endsWith(challenge) ? parentLeague(first) : first;
    const from = experienceAt(level);
    return {
      id: hexId(`${key}/id`, 64),
      name: characterName(draw),
      realm,
      class: draw.pick(realm === "game2" ? CLASSES_GAME_2 : CLASSES),
      // A deleted or expired character is in no league.
      ...(index === 5 || index === 9 ? {} : { league }),
      level,
      experience: from + draw.int(0, Math.max(1, experienceAt(level + 1) - from - 1)),
      ...(realm !== "game2" && league.startsWith("Ruthless") && { ruthless: true }),
      ...(index === 9 && { expired: true }),
      ...(index === 5 && { deleted: true }),
      ...(index === 0 && { current: true }),
    };
  });
};

const SLOTS = wordsOf("Helm BodyArmour Gloves Boots Weapon Offhand Ring Ring2 Amulet Belt Weapon2");

/** Returns the class of items that is worn in a slot. */
const classOfSlot = (slot: string) => GEAR.find((one) => one.slot === slot.replace(/2$/u, ""))!;

/**
 * Returns a character of an account by its name, with equipment, inventory, jewels and passives, or
 * undefined if there is none.
 */
export const characterOf = (
  moment: WorldMoment,
  owner: CharacterOwner,
  realm: Realm,
  name: string,
): Character | undefined => {
  const list = charactersOf(moment, owner, realm);
  const index = list.findIndex((character) => character.name === name);
  const plain = list[index];
  if (plain === undefined) return undefined;
  const key = characterKey(moment.seed, owner, realm, index);
  const league = plain.league ?? "Standard";
  const wear = (make: (slot: string) => Maker): Array<Item> =>
    SLOTS.map((slot) =>
      makeItem(`${key}/worn/${slot}`, { league, x: 0, y: 0, inventoryId: slot }, make(slot)),
    );
  const row = (count: number, inventoryId: string, make: Maker): Array<Item> =>
    Array.from({ length: count }, (_, x) =>
      makeItem(`${key}/${inventoryId}/${x}`, { league, x, y: 0, inventoryId }, make),
    );
  /** Makes items in rows of six, each with room for 2 × 4 squares. */
  const bag = (count: number, inventoryId: string, make: Maker): Array<Item> =>
    Array.from({ length: count }, (_, at) => {
      const where = { league, x: (at % 6) * 2, y: Math.floor(at / 6) * 4, inventoryId };
      return makeItem(`${key}/${inventoryId}/${at}`, where, make);
    });
  const metadata = { version: gameVersion(realm) };
  if (realm === "game2")
    return {
      ...plain,
      equipment: wear((slot) => gear2(classOfSlot(slot))),
      skills: row(6, "SkillSlots", skill2),
      inventory: bag(4, "MainInventory", anyThing2),
      rucksack: [],
      jewels: [],
      passives: passives2(`${key}/passives`, plain.level),
      metadata,
    };
  const tree = jewelTree(`${key}/jewels`, league, plain.level);
  return {
    ...plain,
    equipment: [...wear((slot) => gear(classOfSlot(slot))), ...row(5, "Flask", flask)],
    inventory: bag(8, "MainInventory", anyThing),
    rucksack: bag(2, "ExpandedMainInventory", anyThing),
    jewels: [...tree.jewels],
    passives: passives(`${key}/passives`, plain.level, tree),
    metadata,
  };
};
