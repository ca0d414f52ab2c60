/**
 * A passive node.
 *
 * Generated from the schema of `PassiveNode` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { PassiveNode } from "@game-data/schemas";
 *
 * const result = PassiveNode.safeDecode(null);
 * if (result.ok) throw new Error("null is no PassiveNode");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isStrings, isUint } from "../tests.ts";

/** A passive node. */
export interface PassiveNode {
  /** Skill hash. */
  readonly skill?: number | string | null;
  readonly name?: string | null;
  readonly icon?: string | null;
  /** Always true if present. */
  readonly isKeystone?: boolean | null;
  /** Always true if present. */
  readonly isNotable?: boolean | null;
  /** Always true if present. */
  readonly isMastery?: boolean | null;
  /** Inactive mastery image. */
  readonly inactiveIcon?: string | null;
  /** Active mastery image. */
  readonly activeIcon?: string | null;
  /** Active mastery or tattoo background image. */
  readonly activeEffectImage?: string | null;
  readonly masteryEffects?: ReadonlyArray<{
    /** Effect hash. */
    readonly effect: number;
    readonly stats: ReadonlyArray<string>;
    readonly reminderText?: ReadonlyArray<string> | null;
  }> | null;
  /** Always true if present. */
  readonly isBlighted?: boolean | null;
  /** Always true if present. */
  readonly isTattoo?: boolean | null;
  /** Always true if present. */
  readonly isProxy?: boolean | null;
  /** Always true if present. */
  readonly isJewelSocket?: boolean | null;
  /** Cluster jewel info. */
  readonly expansionJewel?: {
    readonly size?: number | null;
    readonly index?: number | null;
    /** Proxy node identifier. */
    readonly proxy?: number | string | null;
    /** Parent node identifier. */
    readonly parent?: number | string | null;
  } | null;
  /** Blight crafting components. */
  readonly recipe?: ReadonlyArray<
    | "ClearOil"
    | "SepiaOil"
    | "AmberOil"
    | "VerdantOil"
    | "TealOil"
    | "AzureOil"
    | "IndigoOil"
    | "VioletOil"
    | "CrimsonOil"
    | "BlackOil"
    | "OpalescentOil"
    | "SilverOil"
    | "GoldenOil"
    | "PrismaticOil"
    | (string & {})
  > | null;
  /** Sum of stats granting strength. */
  readonly grantedStrength?: number | null;
  /** Sum of stats granting dexterity. */
  readonly grantedDexterity?: number | null;
  /** Sum of stats granting intelligence. */
  readonly grantedIntelligence?: number | null;
  readonly ascendancyName?: string | null;
  /** Always true if present. */
  readonly isAscendancyStart?: boolean | null;
  /** Always true if present. */
  readonly isMultipleChoice?: boolean | null;
  /** Always true if present. */
  readonly isMultipleChoiceOption?: boolean | null;
  readonly grantedPassivePoints?: number | null;
  readonly stats?: ReadonlyArray<string> | null;
  readonly reminderText?: ReadonlyArray<string> | null;
  readonly flavourText?: ReadonlyArray<string> | null;
  readonly classStartIndex?: number | null;
  /** Key to look up in the groups table. */
  readonly group?: string | null;
  /** Orbit occupied within its group. */
  readonly orbit?: number | null;
  /** Index of the node in the group's orbit. */
  readonly orbitIndex?: number | null;
  /** Identifiers of nodes this one connects to. */
  readonly out?: ReadonlyArray<string> | null;
  /** Identifiers of nodes connected to this one. */
  readonly in?: ReadonlyArray<string> | null;
}

/** A passive node. */
export const PassiveNode: PlainRecord<PassiveNode> = /*#__PURE__*/ makeRecord(
  "PassiveNode",
  {
    "skill?": "usn",
    "name?": "sn",
    "icon?": "sn",
    "isKeystone?": "bn",
    "isNotable?": "bn",
    "isMastery?": "bn",
    "inactiveIcon?": "sn",
    "activeIcon?": "sn",
    "activeEffectImage?": "sn",
    "masteryEffects?": [
      "|",
      "n",
      ["[", { effect: "u", stats: ["[", "s"], "reminderText?": ["|", "n", ["[", "s"]] }],
    ],
    "isBlighted?": "bn",
    "isTattoo?": "bn",
    "isProxy?": "bn",
    "isJewelSocket?": "bn",
    "expansionJewel?": [
      "|",
      "n",
      { "size?": "un", "index?": "un", "proxy?": "usn", "parent?": "usn" },
    ],
    "recipe?": ["|", "n", ["[", "s"]],
    "grantedStrength?": "un",
    "grantedDexterity?": "un",
    "grantedIntelligence?": "un",
    "ascendancyName?": "sn",
    "isAscendancyStart?": "bn",
    "isMultipleChoice?": "bn",
    "isMultipleChoiceOption?": "bn",
    "grantedPassivePoints?": "un",
    "stats?": ["|", "n", ["[", "s"]],
    "reminderText?": ["|", "n", ["[", "s"]],
    "flavourText?": ["|", "n", ["[", "s"]],
    "classStartIndex?": "un",
    "group?": "sn",
    "orbit?": "un",
    "orbitIndex?": "un",
    "out?": ["|", "n", ["[", "s"]],
    "in?": ["|", "n", ["[", "s"]],
  },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "effect") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "stats") {
      if (!isStrings(member)) return false;
      required++;
    } else if (key === "reminderText") {
      if (!isStrings(member)) return false;
    }
  }
  return required === 2;
}

function part2(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "size" || key === "index") {
      if (!isUint(member)) return false;
    } else if (key === "proxy" || key === "parent") {
      if (!(isUint(member) || typeof member === "string")) return false;
    }
  }
  return true;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    switch (key.length) {
      default:
        if (
          key === "in" ||
          key === "out" ||
          key === "stats" ||
          key === "recipe" ||
          key === "flavourText" ||
          key === "reminderText"
        ) {
          if (!isStrings(member)) return false;
        } else if (
          key === "name" ||
          key === "icon" ||
          key === "group" ||
          key === "activeIcon" ||
          key === "inactiveIcon" ||
          key === "ascendancyName" ||
          key === "activeEffectImage"
        ) {
          if (!(typeof member === "string")) return false;
        } else if (key === "skill") {
          if (!(isUint(member) || typeof member === "string")) return false;
        } else if (
          key === "orbit" ||
          key === "orbitIndex" ||
          key === "grantedStrength" ||
          key === "classStartIndex" ||
          key === "grantedDexterity" ||
          key === "grantedIntelligence" ||
          key === "grantedPassivePoints"
        ) {
          if (!isUint(member)) return false;
        } else if (
          key === "isProxy" ||
          key === "isTattoo" ||
          key === "isNotable" ||
          key === "isMastery" ||
          key === "isKeystone" ||
          key === "isBlighted" ||
          key === "isJewelSocket" ||
          key === "isMultipleChoice" ||
          key === "isAscendancyStart" ||
          key === "isMultipleChoiceOption"
        ) {
          if (!(typeof member === "boolean")) return false;
        } else if (key === "masteryEffects") {
          if (!isEach(member, part1)) return false;
        } else if (key === "expansionJewel") {
          if (!part2(member)) return false;
        }
    }
  }
  return true;
}
