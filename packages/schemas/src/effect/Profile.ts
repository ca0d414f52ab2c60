/** The account behind an access token (§2, Profile). */
import * as Plain from "../plain/generated/Profile.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  uuid: /*#__PURE__*/ wire.describe(
    /*#__PURE__*/ wire.formattedString("uuid-v4"),
    "UUIDv4, canonical format",
  ),
  name: wire.string,
  locale: /*#__PURE__*/ wire.nullish(wire.string),
  livestream: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openStruct({ name: wire.string }),
    "present if the account is linked to a stream platform",
  ),
};

/** The account behind an access token. */
export type Profile = Plain.Profile;
export const Profile: wire.RecordSchema<Profile, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.Profile,
  "The account behind an access token",
  fields,
);
