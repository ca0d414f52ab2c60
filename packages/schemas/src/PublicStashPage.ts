/**
 * A page of the public stash stream (§7): the changes, and the id under which the next page is
 * asked for.
 */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/PublicStashPage.ts";
import { array, note, record, string, type RecordSchema } from "./internal/wire.ts";
import { PublicStashChange } from "./PublicStashChange.ts";

const fields = {
  next_change_id: /*#__PURE__*/ note(string, "opaque; ask for the next page with it"),
  stashes: /*#__PURE__*/ array(PublicStashChange),
};

/** A page of the public stash stream. */
export interface PublicStashPage extends Schema.Struct.Type<typeof fields> {}
/** A page of the public stash stream. */
export const PublicStashPage: RecordSchema<PublicStashPage, typeof fields> =
  /*#__PURE__*/ record<PublicStashPage>()(
    "PublicStashPage",
    "A page of the public stash stream",
    fields,
    check,
  );
