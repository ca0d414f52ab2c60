/** An account as ladders show it (§2, Account). */
import type * as Schema from "effect/Schema";
import { Guild } from "./Guild.ts";
import { check } from "./internal/generated/Account.ts";
import { maybe, note, open, record, string, uint, type RecordSchema } from "./internal/wire.ts";
import { RealmWord } from "./Realm.ts";

const fields = {
  name: string,
  realm: /*#__PURE__*/ maybe(RealmWord, "`pc`, `console_a`, or `console_b`"),
  guild: /*#__PURE__*/ maybe(Guild),
  challenges: /*#__PURE__*/ maybe(
    /*#__PURE__*/ open({
      set: /*#__PURE__*/ note(string, "challenge set"),
      completed: uint,
      max: uint,
    }),
  ),
  livestream: /*#__PURE__*/ maybe(
    /*#__PURE__*/ open({
      name: string,
      stream: /*#__PURE__*/ maybe(
        /*#__PURE__*/ open({ name: string, image: string, status: string }),
      ),
    }),
  ),
};

/** An account as ladders show it. */
export interface Account extends Schema.Struct.Type<typeof fields> {}
/** An account as ladders show it. */
export const Account: RecordSchema<Account, typeof fields> = /*#__PURE__*/ record<Account>()(
  "Account",
  "An account as ladders show it",
  fields,
  check,
);
