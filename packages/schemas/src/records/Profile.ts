import { type Members, optional, type PlainRecord, record } from "../record.ts";

const profile = {
  /** UUIDv4, canonical format. */
  uuid: "uuid-v4",
  name: "string",
  locale: "?string",
  /** Present if the account is linked to a stream platform. */
  livestream: optional({ name: "string" }),
} as const;
/** The account behind an access token. */
export interface Profile extends Members<typeof profile> {}
export const Profile: PlainRecord<Profile> = record("Profile", profile);
