/**
 * The account behind an access token.
 *
 * Generated from the schema of `Profile` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { Profile } from "@game-data/schemas";
 *
 * const result = Profile.safeDecode(null);
 * if (result.ok) throw new Error("null is no Profile");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject } from "../tests.ts";

/** The account behind an access token. */
export interface Profile {
  /** UUIDv4, canonical format. */
  readonly uuid: string;
  readonly name: string;
  readonly locale?: string | null;
  /** Present if the account is linked to a stream platform. */
  readonly livestream?: { readonly name: string } | null;
}

/** The account behind an access token. */
export const Profile: PlainRecord<Profile> = /*#__PURE__*/ makeRecord(
  "Profile",
  { uuid: "s", name: "s", "locale?": "sn", "livestream?": ["|", "n", { name: "s" }] },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    }
  }
  return required === 1;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "uuid" || key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "locale") {
      if (!(typeof member === "string")) return false;
    } else if (key === "livestream") {
      if (!part1(member)) return false;
    }
  }
  return required === 2;
}
