/**
 * Links from a character's passives: `tree-link/passives`. Game 1 only; makes version 6 links.
 *
 * The input is the `passives` member of a character as the data API sends it; any object of that
 * shape will do. `passives` holds the allocated nodes and the second ascendancy by name. It does
 * not hold the class: `classId` finds a base class by name, and you supply the numbers of an
 * ascendancy class.
 *
 * ```ts
 * import { encode } from "@game-data/tree-link";
 * import { compare, isSame } from "@game-data/tree-link/compare";
 * import { fromPassives } from "@game-data/tree-link/passives";
 *
 * const passives = { hashes: [2151, 4397], mastery_effects: { "4397": 47642 } };
 * const link = fromPassives(passives, { class: 3, ascendancy: 2 });
 * if (!isSame(compare(link, passives))) throw new Error("the same nodes");
 * if (encode(link) !== "AAAABgMCAghnES0AAboaES0=") throw new Error("a Witch");
 * ```
 */
import { ALTERNATE_ASCENDANCIES, CLASSES } from "./ClassNames.ts";
import { encodeBytes } from "./Encode.ts";
import { TreeLinkError } from "./Errors.ts";
import { reading, wrongType } from "./internal/reading.ts";
import { membersOf } from "./internal/table.ts";
import type { MasteryEffect, TreeLinkV6 } from "./TreeLink.ts";

/** The members of a character's `passives` that a link can hold. */
export interface PassivesInput {
  readonly hashes: ReadonlyArray<number>;
  readonly hashes_ex?: ReadonlyArray<number> | null | undefined;
  /** Effect by mastery node, or packed uint32 numbers as strings, which older responses have. */
  readonly mastery_effects?:
    | Readonly<Record<string, number>>
    | ReadonlyArray<string>
    | null
    | undefined;
  readonly alternate_ascendancy?: string | number | null | undefined;
}

/** The members of a character that `fromCharacter` reads. */
export interface CharacterInput {
  /** Name of the base class or of the ascendancy class. */
  readonly class: string;
  readonly realm?: string | null | undefined;
  readonly passives?: PassivesInput | null | undefined;
}

/** The numbers of a link that `passives` does not hold. */
export interface ClassIds {
  /** 0 to 6, in the order of `CLASSES` of `tree-link/class-names`. */
  readonly class: number;
  /** 0 none, 1 to 3. Default: 0. */
  readonly ascendancy?: number | undefined;
  /** Replaces the number of `passives.alternate_ascendancy`; needed for names without a number. */
  readonly alternateAscendancy?: number | undefined;
}

/**
 * Makes the link that shows `passives`. `encode` checks that its numbers fit.
 *
 * @throws TreeLinkError `out-of-range` if `alternate_ascendancy` is a name without a known number,
 * `invalid-type` with the argument or the member that is no list, object or number.
 */
export const fromPassives = (passives: PassivesInput, ids: ClassIds): TreeLinkV6 => {
  const numbers = reading("ids", () => ({
    class: ids.class,
    ascendancy: ids.ascendancy ?? 0,
    alternate: ids.alternateAscendancy,
  }));
  return reading("passives", () => {
    const link: TreeLinkV6 = {
      version: 6,
      class: numbers.class,
      ascendancy: numbers.ascendancy,
      alternateAscendancy:
        numbers.alternate ?? alternateAscendancyId(passives.alternate_ascendancy),
      hashes: passives.hashes,
      extendedHashes: passives.hashes_ex ?? [],
      masteries: masteriesFrom(passives),
    };
    membersOf(link);
    return link;
  });
};

/** The reason why there is no link of a character: a closed set. */
export type NoLinkReason = "no-passives" | "other-game" | "unknown-class" | "does-not-fit";

/** The link of a character, or why there is none. */
export type CharacterLink =
  | { readonly ok: true; readonly link: TreeLinkV6 }
  | { readonly ok: false; readonly reason: NoLinkReason; readonly message: string };

/**
 * Makes the link that shows a character's tree. `classes` gives the numbers of ascendancy classes
 * by name. There is none for a character without passives (as in lists), of game 2, of a class
 * without known numbers, or with more nodes or larger numbers than a link holds.
 *
 * @throws TreeLinkError `invalid-type`, with the name of the argument.
 */
export const fromCharacter = (
  character: CharacterInput,
  classes: Readonly<Record<string, ClassIds>> = {},
): CharacterLink => {
  const { class: name, passives, realm } = reading("character", () => ({ ...character }));
  if (typeof name !== "string") throw wrongType("character");
  if (realm === "game2") return none("other-game", "Characters of game 2 have no such link.");
  if (!passives)
    return none(
      "no-passives",
      "The character has no passives. Ask for it alone: lists leave them out.",
    );
  const id = classId(name);
  const known = id === undefined ? undefined : { class: id };
  const ids = reading("classes", () => (Object.hasOwn(classes, name) ? classes[name] : known));
  if (ids === undefined)
    return none("unknown-class", "The class is no base class. Give its numbers in `classes`.");
  try {
    const link = fromPassives(passives, ids);
    encodeBytes(link);
    return { ok: true, link };
  } catch (error) {
    return none("does-not-fit", (error as TreeLinkError).message);
  }
};

const none = (reason: NoLinkReason, message: string): CharacterLink => ({
  ok: false,
  reason,
  message,
});

/** Finds the number of a base class by name, in any case; `undefined` for other names. */
export const classId = (name: string): number | undefined => {
  if (typeof name !== "string") return undefined;
  const index = (CLASSES as ReadonlyArray<string>).indexOf(name.toLowerCase());
  return index === -1 ? undefined : index;
};

const masteriesFrom = ({ mastery_effects: choices }: PassivesInput): Array<MasteryEffect> => {
  if (!Array.isArray(choices))
    return Object.entries(choices ?? {}).map(([node, effect]) => ({ node: Number(node), effect }));
  return (choices as ReadonlyArray<string>).map((packed) => {
    const pair = Number(packed);
    return { node: pair % 0x1_0000, effect: Math.floor(pair / 0x1_0000) };
  });
};

const alternateAscendancyId = (value: PassivesInput["alternate_ascendancy"]): number => {
  if (typeof value === "number") return value;
  const id = (ALTERNATE_ASCENDANCIES as ReadonlyArray<string>).indexOf(value ?? "none");
  if (id < 0) throw new TreeLinkError(["out-of-range", 0, "alternateAscendancy"], "element");
  return id;
};
