/**
 * The characters of an account, in both games: the plain list, and one character with everything it
 * wears and knows.
 *
 * An account's characters are its own in every realm; a realm that an account never played in has
 * none. The list is cheap, equipment and passives are built only for the character that is asked
 * for.
 */
import { characterClasses } from "@game-data/contract/CharacterClass";
import type { Character, Item } from "@game-data/schemas";
import { wordsOf } from "../internal/wordsOf.ts";
import { classOfSlot } from "./itemBases.ts";
import { flaskItem } from "./consumables.ts";
import { anyItem, gearItem } from "./Items.ts";
import { anyItemGame2, gearItemGame2, skillGameTwo } from "./ItemsGame2.ts";
import { challengeName, challengeNumber, parentLeague, type WorldMoment } from "./Leagues.ts";
import { characterName } from "./Lexicon.ts";
import { jewelTree, passivesGame1, passivesGame2 } from "./PassiveTrees.ts";
import { hexId, prng } from "./Prng.ts";
import type { Realm } from "./Realm.ts";

/** Classes of game 1; the ladder's `class` filter spells them in lower case (§4.2). */
export const CLASSES = characterClasses.map((name) => name[0]!.toUpperCase() + name.slice(1));
const CLASSES_GAME_2 = ["Warden of Reeds", "Lamplighter", "Tidecaller", "Quarrier"] as const;

export const gameVersion = (realm: Realm): string => (realm === "game2" ? "0.9.0" : "3.90.0");

/** Experience at the start of a level: a curve with the right shape, not the game's table. */
export const experienceAt = (level: number): number => {
  if (level <= 1) return 0;
  // By multiplication: `Math.pow` may differ between engines in the last bit.
  const part = (level - 1) / 99;
  const cube = part * part * part;
  return Math.floor(4_250_334_444 * cube * cube);
};

/** Nobody is beyond it. */
export const LAST_LEVEL = 100;

export const levelAt = (experience: number): number => {
  let [low, high] = [1, LAST_LEVEL];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (experienceAt(middle) <= experience) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** The facts about an account that its characters depend on. */
export interface CharacterOwner {
  readonly name: string;
  readonly uuid: string;
  /** Place in the list of accounts: the first holds most. */
  readonly index: number;
}

/** How many characters the accounts have in a realm, and how many any other one has. */
const COUNTS: Readonly<Record<Realm, readonly [counts: ReadonlyArray<number>, others: number]>> = {
  pc: [[14, 6, 3, 5, 2, 1], 2],
  console_a: [[3, 2, 0, 0, 2, 0], 0],
  console_b: [[2, 0, 0, 2, 0, 0], 0],
  game2: [[5, 0, 2, 3, 1, 1], 0],
};

const characterKey = (seed: number, holder: CharacterOwner, realm: Realm, index: number): string =>
  `${seed}/character/${holder.uuid}/${realm}/${index}`;

/** The plain characters of an account in a realm; those of a league that has ended have moved. */
export const charactersOf = (
  { now, seed, worldStart }: WorldMoment,
  holder: CharacterOwner,
  realm: Realm,
): ReadonlyArray<Character> => {
  const hasEnded = challengeNumber(worldStart, now) > 0;
  const [counts, others] = COUNTS[realm];
  return Array.from({ length: counts[holder.index] ?? others }, (_, index) => {
    const key = characterKey(seed, holder, realm, index);
    const draw = prng(key);
    const level = index === 0 ? draw.int(85, 99) : draw.int(2, 97);
    const challenge = challengeName(realm, worldStart, worldStart);
    const born =
      index % 3 === 0
        ? challenge
        : draw.pick(["Standard", "Hardcore", `Hardcore ${challenge}`, "Ruthless Standard"]);
    const league = hasEnded && born.endsWith(challenge) ? parentLeague(born) : born;
    const from = experienceAt(level);
    return {
      id: hexId(`${key}/id`, 64),
      name: characterName(draw),
      realm,
      class: draw.pick(realm === "game2" ? CLASSES_GAME_2 : CLASSES),
      // A character that was deleted or has expired plays in no league any more.
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

const worn = (make: typeof gearItem, key: string, league: string): Array<Item> =>
  SLOTS.map((slot) =>
    make(`${key}/${slot}`, classOfSlot(slot), { league, x: 0, y: 0, inventoryId: slot }),
  );

const grid = (count: number, build: (index: number, x: number, y: number) => Item): Array<Item> =>
  Array.from({ length: count }, (_, index) =>
    build(index, (index % 6) * 2, Math.floor(index / 6) * 4),
  );

/**
 * One character of an account by its name, with equipment, inventory, jewels and passives;
 * undefined if there is none.
 */
export const characterOf = (
  moment: WorldMoment,
  holder: CharacterOwner,
  realm: Realm,
  name: string,
): Character | undefined => {
  const list = charactersOf(moment, holder, realm);
  const index = list.findIndex((character) => character.name === name);
  const plain = list[index];
  if (plain === undefined) return undefined;
  const key = characterKey(moment.seed, holder, realm, index);
  const league = plain.league ?? "Standard";
  const metadata = { version: gameVersion(realm) };
  if (realm === "game2") {
    return {
      ...plain,
      equipment: worn(gearItemGame2, `${key}/worn`, league),
      skills: Array.from({ length: 6 }, (_, x) =>
        skillGameTwo(`${key}/skill/${x}`, { league, x, y: 0, inventoryId: "SkillSlots" }),
      ),
      inventory: grid(4, (at, x, y) =>
        anyItemGame2(`${key}/bag/${at}`, { league, x, y, inventoryId: "MainInventory" }),
      ),
      rucksack: [],
      jewels: [],
      passives: passivesGame2(`${key}/passives`, plain.level),
      metadata,
    };
  }
  const tree =
    plain.level < 40
      ? { jewels: [], jewelData: {}, extendedHashes: [] }
      : jewelTree(`${key}/jewels`, league);
  return {
    ...plain,
    equipment: [
      ...worn(gearItem, `${key}/worn`, league),
      ...Array.from({ length: 5 }, (_, x) =>
        flaskItem(`${key}/worn/flask/${x}`, { league, x, y: 0, inventoryId: "Flask" }),
      ),
    ],
    inventory: grid(8, (at, x, y) =>
      anyItem(`${key}/bag/${at}`, { league, x, y, inventoryId: "MainInventory" }),
    ),
    rucksack: grid(2, (at, x, y) =>
      anyItem(`${key}/rucksack/${at}`, { league, x, y, inventoryId: "ExpandedMainInventory" }),
    ),
    jewels: [...tree.jewels],
    passives: passivesGame1(`${key}/passives`, plain.level, tree),
    metadata,
  };
};
