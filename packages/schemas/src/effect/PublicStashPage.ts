/**
 * A page of the public stash stream (§7): the changes, and the id under which the next page is
 * asked for.
 */
import * as Plain from "../plain/generated/PublicStashPage.ts";
import { array, describe, record, string, type RecordSchema } from "../internal/wire.ts";
import { PublicStashChange } from "./PublicStashChange.ts";

const fields = {
  next_change_id: /*#__PURE__*/ describe(string, "opaque; ask for the next page with it"),
  stashes: /*#__PURE__*/ array(PublicStashChange),
};

/** A page of the public stash stream. */
export type PublicStashPage = Plain.PublicStashPage;
/** A page of the public stash stream. */
export const PublicStashPage: RecordSchema<PublicStashPage, typeof fields> =
  /*#__PURE__*/ record<PublicStashPage>()(
    Plain.PublicStashPage,
    "A page of the public stash stream",
    fields,
  );
