/**
 * A change of a public stash (§2, PublicStashChange; §7).
 *
 * Two cases, told apart by `public`: a listed stash has its type and its items; of an unlisted one
 * everything but `id` and `public` may be omitted, null or empty, and whoever follows the stream
 * drops it. `items` is absent only there.
 */
import * as Schema from "effect/Schema";
import { compiled } from "./internal/compiled.ts";
import { check as checkPublicStashChange } from "./internal/generated/PublicStashChange.ts";
import { check as checkListedStash } from "./internal/generated/ListedStash.ts";
import { check as checkUnlistedStash } from "./internal/generated/UnlistedStash.ts";
import {
  array,
  formatted,
  maybe,
  note,
  record,
  string,
  type RecordSchema,
  type Wire,
} from "./internal/wire.ts";
import { Item } from "./Item.ts";

const shared = {
  id: /*#__PURE__*/ note(/*#__PURE__*/ formatted("hex-64"), "unique 64-digit hexadecimal string"),
  accountName: /*#__PURE__*/ maybe(string),
  stash: /*#__PURE__*/ maybe(string, "stash name"),
  league: /*#__PURE__*/ maybe(string, "league name"),
};

const listed = {
  ...shared,
  public: /*#__PURE__*/ Schema.Literal(true) as Wire<true>,
  stashType: string,
  items: /*#__PURE__*/ array(Item),
};

const unlisted = {
  ...shared,
  public: /*#__PURE__*/ Schema.Literal(false) as Wire<false>,
  stashType: /*#__PURE__*/ maybe(string),
  items: /*#__PURE__*/ maybe(/*#__PURE__*/ array(Item)),
};

/** A listed stash: all of its items, in place of those known before. */
export interface ListedStash extends Schema.Struct.Type<typeof listed> {}
/** A listed stash. */
export const ListedStash: RecordSchema<ListedStash, typeof listed> =
  /*#__PURE__*/ record<ListedStash>()(
    "ListedStash",
    "A listed stash, with all of its items",
    listed,
    checkListedStash,
  );

/** A stash that is no longer listed. */
export interface UnlistedStash extends Schema.Struct.Type<typeof unlisted> {}
/** A stash that is no longer listed. */
export const UnlistedStash: RecordSchema<UnlistedStash, typeof unlisted> =
  /*#__PURE__*/ record<UnlistedStash>()(
    "UnlistedStash",
    "A stash that is no longer listed: only `id` and `public` are certain",
    unlisted,
    checkUnlistedStash,
  );

/** A change of a public stash. */
export type PublicStashChange = ListedStash | UnlistedStash;
/** A change of a public stash. */
export const PublicStashChange: Schema.Codec<PublicStashChange> = /*#__PURE__*/ compiled(
  /*#__PURE__*/ Schema.Union([ListedStash, UnlistedStash]).annotate({
    identifier: "PublicStashChange",
    description: "A change of a public stash",
  }),
  checkPublicStashChange,
);
