/** The account behind an access token (§2, Profile). */
import * as Plain from "../plain/generated/Profile.ts";
import {
  formattedString,
  nullish,
  describe,
  openStruct,
  record,
  string,
  type RecordSchema,
} from "../internal/wire.ts";

const fields = {
  uuid: /*#__PURE__*/ describe(
    /*#__PURE__*/ formattedString("uuid-v4"),
    "UUIDv4, canonical format",
  ),
  name: string,
  locale: /*#__PURE__*/ nullish(string),
  livestream: /*#__PURE__*/ nullish(
    /*#__PURE__*/ openStruct({ name: string }),
    "present if the account is linked to a stream platform",
  ),
};

/** The account behind an access token. */
export type Profile = Plain.Profile;
/** The account behind an access token. */
export const Profile: RecordSchema<Profile, typeof fields> = /*#__PURE__*/ record<Profile>()(
  Plain.Profile,
  "The account behind an access token",
  fields,
);
