/**
 * A guild.
 *
 * Generated from the schema of `Guild` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { Guild } from "@game-data/schemas";
 *
 * const result = Guild.safeDecode(null);
 * if (result.ok) throw new Error("null is no Guild");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject, isUint } from "../tests.ts";

/** A guild. */
export interface Guild {
  readonly id: number | string;
  readonly name: string;
  readonly tag: string;
}

/** A guild. */
export const Guild: PlainRecord<Guild> = /*#__PURE__*/ makeRecord(
  "Guild",
  { id: "us", name: "s", tag: "s" },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "id") {
      if (!(isUint(member) || typeof member === "string")) return false;
      required++;
    } else if (key === "name" || key === "tag") {
      if (!(typeof member === "string")) return false;
      required++;
    }
  }
  return required === 3;
}
