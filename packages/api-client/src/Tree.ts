/**
 * From a character's passives to a passive-tree link (game 1 only; version 6 of the format).
 *
 * `passives` says which nodes, cluster-jewel nodes and masteries are allocated, and the second
 * ascendancy by name; class and ascendancy are numbers of the link that the interface names
 * nowhere. A base class is found by its name; the name of an ascendancy stands for numbers that you
 * have to give.
 */
import { masteryEffects } from "@game-data/schemas";
import type { Character, Passives } from "@game-data/schemas";
import { encode, type MasteryEffect, type TreeLink } from "@game-data/tree-link";
import { ALTERNATE_ASCENDANCIES, CLASSES } from "@game-data/tree-link/names";

/** What a link says beside the nodes. */
export interface TreeClass {
  /** 0 to 6, in the order of `CLASSES` of `@game-data/tree-link/names`. */
  readonly class: number;
  /** 0: none; 1 to 3. Default: 0. */
  readonly ascendancy?: number | undefined;
}

/**
 * The payload of the link that shows these passives. Throws a `TreeLinkError` when they do not fit
 * into one.
 */
export const treeLinkOf = (passives: Passives, tree: TreeClass): string =>
  encode({
    version: 6,
    class: tree.class,
    ascendancy: tree.ascendancy ?? 0,
    alternateAscendancy: alternateOf(passives.alternate_ascendancy),
    hashes: passives.hashes,
    extendedHashes: passives.hashes_ex ?? [],
    masteries: masteryEffects(passives),
  });

/**
 * The payload of the link that shows a character's tree; `undefined` for a character without
 * passives (as in lists), of game 2, or of a class whose number is not known. `classes` gives
 * numbers for names that are no base class.
 */
export const characterTreeLink = (
  character: Character,
  classes: Readonly<Record<string, TreeClass>> = {},
): string | undefined => {
  const { passives, realm } = character;
  const tree = classes[character.class] ?? baseClass(character.class);
  if (!passives || realm === "game2" || tree === undefined) return undefined;
  return treeLinkOf(passives, tree);
};

/** The number of a base class by its name, in any case; `undefined` for an ascendancy's. */
export const classNumberOf = (name: string): number | undefined => baseClass(name)?.class;

/**
 * Whether a link shows the nodes, cluster-jewel nodes and masteries of these passives: all of them,
 * in their order, and no others.
 */
export const showsTree = (link: TreeLink, passives: Passives): boolean =>
  link.version === 6 &&
  isSame(link.hashes, passives.hashes) &&
  isSame(link.extendedHashes, passives.hashes_ex ?? []) &&
  isSame(link.masteries.map(pairOf), masteryEffects(passives).map(pairOf));

const pairOf = ({ effect, node }: MasteryEffect) => `${node} ${effect}`;

const isSame = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);

const baseClass = (name: string): TreeClass | undefined => {
  const index = (CLASSES as ReadonlyArray<string>).indexOf(name.toLowerCase());
  return index === -1 ? undefined : { class: index };
};

const alternateOf = (word: Passives["alternate_ascendancy"]): number => {
  if (typeof word === "number") return word;
  return Math.max(0, (ALTERNATE_ASCENDANCIES as ReadonlyArray<string>).indexOf(word ?? "none"));
};
