/**
 * Lines that items can roll: text, bounds of the roll, and the kinds of gear with this line (`a`
 * armour, `w` weapon, `t` trinket). `#` is the roll, `##` a greater number.
 */

/** A line: text, minimum and maximum roll over all tiers, kinds of gear. */
export type StatRow = readonly [text: string, low: number, high: number, kinds?: string];

/** Item level from which each tier of a line can be rolled. Tiers divide the bounds evenly. */
export const TIER_LEVELS: ReadonlyArray<number> = [1, 11, 22, 34, 47, 60, 73];

export const PREFIX_LINES: ReadonlyArray<StatRow> = [
  ["+# to maximum Vigour", 12, 129, "at"],
  ["+# to maximum Focus", 9, 94, "at"],
  ["#% increased Ward", 11, 120, "a"],
  ["+# to Guard", 8, 240, "a"],
  ["+# to Evasion", 8, 240, "a"],
  ["Adds # to ## Ember Damage", 3, 41, "wt"],
  ["Adds # to ## Frost Damage", 3, 38, "wt"],
  ["Adds # to ## Storm Damage", 1, 70, "wt"],
  ["#% increased Weapon Damage", 20, 169, "w"],
  ["+#% to Spell Weight", 8, 44, "w"],
  ["#% increased Travel Speed", 10, 35, "a"],
];

export const SUFFIX_LINES: ReadonlyArray<StatRow> = [
  ["+#% to Ember Resistance", 6, 48, "at"],
  ["+#% to Frost Resistance", 6, 48, "at"],
  ["+#% to Storm Resistance", 6, 48, "at"],
  ["+#% to Hollow Resistance", 5, 35, "at"],
  ["#% increased Rarity of Finds", 6, 30, "t"],
  ["Regain # Vigour per second", 1, 90, "a"],
  ["+# to Might", 8, 55, "awt"],
  ["+# to Grace", 8, 55, "awt"],
  ["+# to Wit", 8, 55, "awt"],
  ["#% increased Precision", 10, 38, "w"],
  ["#% increased Strikes per Second", 5, 27, "w"],
  ["+#% to Keen Strike Chance", 5, 40, "w"],
];

/** Implicit lines, which an item has from its base. */
export const IMPLICIT_LINES: ReadonlyArray<StatRow> = [
  ["+# to all Attributes", 4, 16],
  ["#% increased Stun Recovery", 10, 25],
  ["#% increased Precision with Keen Strikes", 10, 30],
  ["+#% to all Resistances", 4, 12],
];
