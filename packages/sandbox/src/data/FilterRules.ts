/**
 * The rules of the item-filter syntax: the statements of a block, and the values that each of them
 * takes.
 *
 * The specification names the syntax without showing it (§4.2). This is the part that filters in
 * use consist of: blocks, comparisons of numbers, words and texts, and how a shown item looks and
 * sounds.
 */

/** The values that a statement takes after its name. */
export type Values =
  | { readonly kind: "number"; readonly low: number; readonly high: number }
  | { readonly kind: "boolean" }
  | { readonly kind: "words"; readonly words: ReadonlyArray<string>; readonly many: boolean }
  | { readonly kind: "texts" }
  /** Three or four numbers of 0..255. */
  | { readonly kind: "colour" }
  /** Fixed places, some of which may be left out at the end. */
  | { readonly kind: "places"; readonly places: ReadonlyArray<Values>; readonly least: number }
  | { readonly kind: "nothing" };

/** A statement of a block. */
export interface Rule {
  readonly values: Values;
  /** Whether an operator may stand before the values: conditions compare, actions do not. */
  readonly compares: boolean;
  /** The only game that knows it. */
  readonly game?: 1 | 2;
  /** The version of game 1 that no longer knows it. */
  readonly until?: string;
}

/** Keywords that open a block. */
export const BLOCKS = ["Show", "Hide", "Minimal"] as const;

/** Comparisons; a text comparison may carry a count (`>=2`). */
export const OPERATOR = /^(?:==?|!=?|<=?|>=?)(\d*)$/u;

const number = (low: number, high: number): Values => ({ kind: "number", low, high });
const words = (list: ReadonlyArray<string>, many = false): Values => ({
  kind: "words",
  words: list,
  many,
});
const condition = (values: Values, more: Partial<Rule> = {}): Rule => ({
  values,
  compares: true,
  ...more,
});
const action = (values: Values): Rule => ({ values, compares: false });

const RARITY = ["Normal", "Magic", "Rare", "Unique"];
const COLOURS = [
  "Red",
  "Green",
  "Blue",
  "Brown",
  "White",
  "Yellow",
  "Cyan",
  "Grey",
  "Orange",
  "Pink",
  "Purple",
];
const SHAPES = [
  "Circle",
  "Diamond",
  "Hexagon",
  "Square",
  "Star",
  "Triangle",
  "Cross",
  "Moon",
  "Raindrop",
  "Kite",
  "Pentagon",
  "UpsideDownHouse",
];
const sound: Values = { kind: "places", places: [number(1, 16), number(0, 300)], least: 1 };
const switched: Values = { kind: "places", places: [{ kind: "boolean" }], least: 0 };
const sockets: Partial<Rule> = { game: 1 };

/** Every statement by its name. */
const RULES: Readonly<Record<string, Rule>> = {
  AreaLevel: condition(number(0, 100)),
  ItemLevel: condition(number(0, 100)),
  DropLevel: condition(number(0, 100)),
  Quality: condition(number(0, 100)),
  StackSize: condition(number(1, 1_000_000)),
  GemLevel: condition(number(0, 40)),
  MapTier: condition(number(0, 20), { game: 1 }),
  UnidentifiedItemTier: condition(number(0, 5), { game: 2 }),
  Width: condition(number(1, 2)),
  Height: condition(number(1, 4)),
  BaseDefencePercentile: condition(number(0, 100)),
  LinkedSockets: condition(number(0, 6), sockets),
  Sockets: condition({ kind: "texts" }),
  SocketGroup: condition({ kind: "texts" }, sockets),
  Rarity: condition(words(RARITY, true)),
  HasInfluence: condition({ kind: "texts" }, { game: 1 }),
  Class: condition({ kind: "texts" }),
  BaseType: condition({ kind: "texts" }),
  HasExplicitMod: condition({ kind: "texts" }),
  HasImplicitMod: condition({ kind: "texts" }),
  EnchantmentPassiveNode: condition({ kind: "texts" }, { game: 1 }),
  EnchantmentPassiveNum: condition(number(0, 20), { game: 1 }),
  MemoryStrands: condition(number(0, 100), { game: 1 }),
  TransfiguredGem: condition({ kind: "texts" }, { game: 1 }),
  HasCruciblePassiveTree: condition({ kind: "boolean" }, { game: 1 }),
  Imbued: condition({ kind: "boolean" }, { game: 1 }),
  Foulborn: condition({ kind: "boolean" }, { game: 1 }),
  Scourged: condition({ kind: "boolean" }, { game: 1 }),
  BaseArmour: condition(number(0, 10_000)),
  BaseEvasion: condition(number(0, 10_000)),
  BaseEnergyShield: condition(number(0, 10_000)),
  HasEnchantment: condition({ kind: "texts" }),
  Prophecy: condition({ kind: "texts" }, { game: 1, until: "3.17.0" }),
  ArchnemesisMod: condition({ kind: "texts" }, { game: 1 }),
  Identified: condition({ kind: "boolean" }),
  Corrupted: condition({ kind: "boolean" }),
  CorruptedMods: condition(number(0, 12)),
  Mirrored: condition({ kind: "boolean" }),
  Replica: condition({ kind: "boolean" }, { game: 1 }),
  FracturedItem: condition({ kind: "boolean" }, { game: 1 }),
  SynthesisedItem: condition({ kind: "boolean" }, { game: 1 }),
  AnyEnchantment: condition({ kind: "boolean" }),
  SetFontSize: action(number(18, 45)),
  SetTextColor: action({ kind: "colour" }),
  SetBorderColor: action({ kind: "colour" }),
  SetBackgroundColor: action({ kind: "colour" }),
  PlayAlertSound: action(sound),
  PlayAlertSoundPositional: action(sound),
  CustomAlertSound: action({
    kind: "places",
    places: [{ kind: "texts" }, number(0, 300)],
    least: 1,
  }),
  DisableDropSound: action(switched),
  EnableDropSound: action(switched),
  MinimapIcon: action({
    kind: "places",
    places: [number(-1, 2), words(COLOURS), words(SHAPES)],
    least: 1,
  }),
  PlayEffect: action({
    kind: "places",
    places: [words([...COLOURS, "None"]), words(["Temp"])],
    least: 1,
  }),
  Continue: action({ kind: "nothing" }),
};

/**
 * Families of statements that grow with the game: `…Map`, `…Memory`, `…Item` are flags,
 * `Has…Implicit` counts tiers.
 */
const FAMILIES: ReadonlyArray<readonly [name: RegExp, rule: Rule]> = [
  [/^Has[A-Z][A-Za-z]+Implicit$/u, condition(number(0, 6), { game: 1 })],
  [/^[A-Z][A-Za-z]+(?:Map|Memory|Item)$/u, condition({ kind: "boolean" }, { game: 1 })],
];

/** The rule of a statement; undefined if nothing is known by that name. */
export const ruleOf = (name: string): Rule | undefined =>
  Object.hasOwn(RULES, name) ? RULES[name] : FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
