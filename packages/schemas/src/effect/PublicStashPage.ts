/**
 * A page of the public stash stream (§7): the changes, and the id under which the next page is
 * asked for.
 */
import * as Plain from "../plain/generated/PublicStashPage.ts";
import * as wire from "../internal/wire.ts";
import { PublicStashChange } from "./PublicStashChange.ts";

const fields = {
  next_change_id: /*#__PURE__*/ wire.describe(wire.string, "opaque; ask for the next page with it"),
  stashes: /*#__PURE__*/ wire.array(PublicStashChange),
};

/** A page of the public stash stream. */
export type PublicStashPage = Plain.PublicStashPage;
export const PublicStashPage: wire.RecordSchema<PublicStashPage, typeof fields> =
  /*#__PURE__*/ wire.record(Plain.PublicStashPage, "A page of the public stash stream", fields);
