/** An account as ladders show it (§2, Account). */
import { Guild } from "./Guild.ts";
import * as Plain from "../plain/generated/Account.ts";
import * as wire from "../internal/wire.ts";
import { RealmWord } from "./Realm.ts";

const fields = {
  name: wire.string,
  realm: /*#__PURE__*/ wire.nullish(RealmWord, "`pc`, `console_a`, or `console_b`"),
  guild: /*#__PURE__*/ wire.nullish(Guild),
  challenges: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openStruct({
      set: /*#__PURE__*/ wire.describe(wire.string, "challenge set"),
      completed: wire.uint,
      max: wire.uint,
    }),
  ),
  livestream: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openStruct({
      name: wire.string,
      stream: /*#__PURE__*/ wire.nullish(
        /*#__PURE__*/ wire.openStruct({
          name: wire.string,
          image: wire.string,
          status: wire.string,
        }),
      ),
    }),
  ),
};

/** An account as ladders show it. */
export type Account = Plain.Account;
export const Account: wire.RecordSchema<Account, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.Account,
  "An account as ladders show it",
  fields,
);
