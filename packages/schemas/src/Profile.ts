/** The account behind an access token (§2, Profile). */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/Profile.ts";
import {
  formatted,
  maybe,
  note,
  open,
  record,
  string,
  type RecordSchema,
} from "./internal/wire.ts";

const fields = {
  uuid: /*#__PURE__*/ note(/*#__PURE__*/ formatted("uuid-v4"), "UUIDv4, canonical format"),
  name: string,
  locale: /*#__PURE__*/ maybe(string),
  livestream: /*#__PURE__*/ maybe(
    /*#__PURE__*/ open({ name: string }),
    "present if the account is linked to a stream platform",
  ),
};

/** The account behind an access token. */
export interface Profile extends Schema.Struct.Type<typeof fields> {}
/** The account behind an access token. */
export const Profile: RecordSchema<Profile, typeof fields> = /*#__PURE__*/ record<Profile>()(
  "Profile",
  "The account behind an access token",
  fields,
  check,
);
