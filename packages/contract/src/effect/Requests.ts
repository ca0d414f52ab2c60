/**
 * The bodies of requests of the data API: item filters.
 *
 * These schemas are strict, because they rule what we send; a server refuses the same with 400.
 */
import type * as Bodies from "../routes/generated/bodies.ts";
import * as Schema from "effect/Schema";
import { Realm } from "@game-data/schemas/effect/Realm";

const filterType = /*#__PURE__*/ Schema.Literals(["Normal", "Ruthless"]);

/** Body of `POST /item-filter`. */
export type FilterCreate = Bodies.FilterCreate;
export const FilterCreate: Schema.Codec<FilterCreate> = /*#__PURE__*/ Schema.Struct({
  filter_name: Schema.String,
  realm: Realm,
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  version: Schema.optionalKey(Schema.NullOr(Schema.String)),
  type: Schema.optionalKey(Schema.NullOr(filterType)),
  public: Schema.optionalKey(Schema.NullOr(Schema.Boolean).annotate({ default: false })),
  filter: Schema.String,
}).annotate({ identifier: "FilterCreate" });

/**
 * Body of `POST /item-filter/<id>`: what is left out keeps its value. A filter can be made public,
 * never private again (§3).
 */
export type FilterUpdate = Bodies.FilterUpdate;
export const FilterUpdate: Schema.Codec<FilterUpdate> = /*#__PURE__*/ Schema.Struct({
  filter_name: Schema.optionalKey(Schema.String),
  realm: Schema.optionalKey(Realm),
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  version: Schema.optionalKey(Schema.NullOr(Schema.String)),
  type: Schema.optionalKey(Schema.NullOr(filterType)),
  public: Schema.optionalKey(Schema.Literal(true)),
  filter: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "FilterUpdate" });
