/**
 * A group of passive nodes.
 *
 * Generated from the schema of `PassiveGroup` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { PassiveGroup } from "@game-data/schemas";
 *
 * const result = PassiveGroup.safeDecode(null);
 * if (result.ok) throw new Error("null is no PassiveGroup");
 * ```
 */
import { makeRecord, type PlainRecord, type Shape } from "../PlainRecord.ts";
import { isObject, isStrings, isUint } from "../tests.ts";

/** A group of passive nodes. */
export interface PassiveGroup {
  readonly x: number;
  readonly y: number;
  readonly orbits: ReadonlyArray<number>;
  /** Always true if present. */
  readonly isProxy?: boolean | null;
  /** Identifier of the placeholder node. */
  readonly proxy?: string | null;
  /** Node identifiers of the group. */
  readonly nodes: ReadonlyArray<string>;
}

const shape: Shape = {
  x: "f",
  y: "f",
  orbits: ["[", "u"],
  "isProxy?": "bn",
  "proxy?": "sn",
  nodes: ["[", "s"],
};

/** A group of passive nodes. */
export const PassiveGroup: PlainRecord<PassiveGroup> = /*#__PURE__*/ makeRecord(
  "PassiveGroup",
  shape,
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "x" || key === "y") {
      if (!Number.isFinite(member)) return false;
      required++;
    } else if (key === "orbits") {
      if (!Array.isArray(member)) return false;
      for (let i0 = 0; i0 < member.length; i0++) {
        const element0: unknown = member[i0];
        if (!isUint(element0)) return false;
      }
      required++;
    } else if (key === "nodes") {
      if (!isStrings(member)) return false;
      required++;
    } else if (key === "isProxy") {
      if (!(typeof member === "boolean")) return false;
    } else if (key === "proxy") {
      if (!(typeof member === "string")) return false;
    }
  }
  return required === 4;
}
