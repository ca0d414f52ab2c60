/** An account as ladders show it (§2, Account). */
import { Guild } from "./Guild.ts";
import * as Plain from "../plain/generated/Account.ts";
import {
  nullish,
  describe,
  openStruct,
  record,
  string,
  uint,
  type RecordSchema,
} from "../internal/wire.ts";
import { RealmWord } from "./Realm.ts";

const fields = {
  name: string,
  realm: /*#__PURE__*/ nullish(RealmWord, "`pc`, `console_a`, or `console_b`"),
  guild: /*#__PURE__*/ nullish(Guild),
  challenges: /*#__PURE__*/ nullish(
    /*#__PURE__*/ openStruct({
      set: /*#__PURE__*/ describe(string, "challenge set"),
      completed: uint,
      max: uint,
    }),
  ),
  livestream: /*#__PURE__*/ nullish(
    /*#__PURE__*/ openStruct({
      name: string,
      stream: /*#__PURE__*/ nullish(
        /*#__PURE__*/ openStruct({ name: string, image: string, status: string }),
      ),
    }),
  ),
};

/** An account as ladders show it. */
export type Account = Plain.Account;
/** An account as ladders show it. */
export const Account: RecordSchema<Account, typeof fields> = /*#__PURE__*/ record<Account>()(
  Plain.Account,
  "An account as ladders show it",
  fields,
);
