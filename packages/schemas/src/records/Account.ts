import { type Members, optional, type PlainRecord, record } from "../record.ts";
import { Guild } from "./Guild.ts";
import { realmWord } from "./Realm.ts";

const account = {
  name: "string",
  realm: optional(realmWord),
  guild: optional(Guild),
  challenges: optional({
    /** Name of the challenge set. */
    set: "string",
    completed: "uint",
    max: "uint",
  }),
  livestream: optional({
    name: "string",
    stream: optional({ name: "string", image: "string", status: "string" }),
  }),
} as const;
/** An account as it appears in ladders. */
export interface Account extends Members<typeof account> {}
export const Account: PlainRecord<Account> = record("Account", account);
