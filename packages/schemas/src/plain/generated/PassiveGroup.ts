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
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isStrings, isUint } from "../tests.ts";

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

/** A group of passive nodes. */
export const PassiveGroup: PlainRecord<PassiveGroup> = /*#__PURE__*/ makeRecord(
  "PassiveGroup",
  { x: "f", y: "f", orbits: ["[", "u"], "isProxy?": "bn", "proxy?": "sn", nodes: ["[", "s"] },
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
      if (!isEach(member, isUint)) return false;
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
