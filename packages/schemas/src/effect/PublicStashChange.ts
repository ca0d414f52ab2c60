/**
 * A change of a public stash (§2, PublicStashChange; §7).
 *
 * Two cases, told apart by `public`: a listed stash has its type and its items; of an unlisted one
 * everything but `id` and `public` may be omitted, null or empty, and whoever follows the stream
 * drops it. `items` is absent only there.
 */
import * as Schema from "effect/Schema";
import { compiled } from "../internal/compiled.ts";
import * as PlainListed from "../plain/generated/ListedStash.ts";
import * as PlainChange from "../plain/generated/PublicStashChange.ts";
import * as PlainUnlisted from "../plain/generated/UnlistedStash.ts";
import * as wire from "../internal/wire.ts";
import { Item } from "./Item.ts";

const shared = {
  id: /*#__PURE__*/ wire.describe(
    /*#__PURE__*/ wire.formattedString("hex-64"),
    "unique 64-digit hexadecimal string",
  ),
  accountName: /*#__PURE__*/ wire.nullish(wire.string),
  stash: /*#__PURE__*/ wire.nullish(wire.string, "stash name"),
  league: /*#__PURE__*/ wire.nullish(wire.string, "league name"),
};

const listed = {
  ...shared,
  public: /*#__PURE__*/ Schema.Literal(true) as wire.Wire<true>,
  stashType: wire.string,
  items: /*#__PURE__*/ wire.array(Item),
};

const unlisted = {
  ...shared,
  public: /*#__PURE__*/ Schema.Literal(false) as wire.Wire<false>,
  stashType: /*#__PURE__*/ wire.nullish(wire.string),
  items: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.array(Item)),
};

/** A listed stash: all of its items, in place of those known before. */
export type ListedStash = PlainListed.ListedStash;
export const ListedStash: wire.RecordSchema<ListedStash, typeof listed> = /*#__PURE__*/ wire.record(
  PlainListed.ListedStash,
  "A listed stash, with all of its items",
  listed,
);

/** A stash that is no longer listed. */
export type UnlistedStash = PlainUnlisted.UnlistedStash;
export const UnlistedStash: wire.RecordSchema<UnlistedStash, typeof unlisted> =
  /*#__PURE__*/ wire.record(
    PlainUnlisted.UnlistedStash,
    "A stash that is no longer listed: only `id` and `public` are certain",
    unlisted,
  );

/** A change of a public stash. */
export type PublicStashChange = PlainChange.PublicStashChange;
export const PublicStashChange: Schema.Codec<PublicStashChange> = /*#__PURE__*/ compiled(
  /*#__PURE__*/ Schema.Union([ListedStash, UnlistedStash]).annotate({
    identifier: "PublicStashChange",
    description: "A change of a public stash",
  }),
  PlainChange.PublicStashChange,
);
