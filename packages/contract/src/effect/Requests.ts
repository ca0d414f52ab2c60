/**
 * Requests of the data API: realms, queries and the bodies of filters.
 *
 * These schemas are strict, because they rule what we send. A number out of bounds, a word that the
 * endpoint does not offer, or parameters that do not go together are refused before a request
 * leaves, and by a server with 400. Every member that has a default is optional; the defaults stand
 * in `Limits` and `QueryDefaults`.
 */
import type * as Bodies from "../routes/generated/bodies.ts";
import * as Schema from "effect/Schema";
import { Realm } from "@game-data/schemas/effect/Realm";
import { characterClasses } from "../CharacterClass.ts";
import { ladderSorts, leagueTypes, matchTypes, QueryDefaults } from "../Queries.ts";
import { Limits, type PageLimit } from "../Limits.ts";
import { NAME, NEEDS, STASH_ID } from "../routes/rules.ts";

/** The realms of game 1, for endpoints that know that game only. */
export const GameOneRealm = /*#__PURE__*/ Schema.Literals(["pc", "console_a", "console_b"]);

/** The realms of game 1, for endpoints that know that game only. */
export type GameOneRealm = typeof GameOneRealm.Type;

/**
 * A name in a path. A URL cannot carry an empty segment, `.` or `..` (not even percent-encoded: URL
 * parsers resolve them), nor half a surrogate pair.
 */
export const Name = /*#__PURE__*/ Schema.NonEmptyString.check(/*#__PURE__*/ Schema.isPattern(NAME));

/**
 * The id of a stash tab: ten hexadecimal digits (§2), checked no further than `/stash/…` needs to
 * stay unambiguous. An id that belongs to no tab is answered with null, not refused.
 */
export const StashId = /*#__PURE__*/ Name.check(/*#__PURE__*/ Schema.isPattern(STASH_ID));

const realm = /*#__PURE__*/ Schema.optionalKey(
  /*#__PURE__*/ Realm.annotate({ default: QueryDefaults.realm }),
);
const gameOneRealm = /*#__PURE__*/ Schema.optionalKey(
  /*#__PURE__*/ GameOneRealm.annotate({ default: QueryDefaults.realm }),
);
const page = (limit: PageLimit) => ({
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limit.max })).annotate({
      default: limit.default,
    }),
  ),
  offset: Schema.optionalKey(Schema.Natural.annotate({ default: QueryDefaults.offset })),
});

/** The check of one pair of `NEEDS`, such as "type season needs season". */
const needs = (pair: keyof typeof NEEDS) => {
  const [key, word] = pair.split("=") as [string, string];
  const other = NEEDS[pair]!;
  return Schema.makeFilter<Readonly<Record<string, unknown>>>(
    (query) => query[key] !== word || query[other] !== undefined || `${key} ${word} needs ${other}`,
  );
};

/** Query of `GET /league`. Type `season` needs the parameter `season`. */
export const LeaguesQuery = /*#__PURE__*/ Schema.Struct({
  realm,
  type: Schema.optionalKey(
    Schema.Literals(leagueTypes).annotate({ default: QueryDefaults.leagueType }),
  ),
  season: Schema.optionalKey(Schema.NonEmptyString),
  ...page(Limits.leagues),
}).check(/*#__PURE__*/ needs("type=season"));

/** Query of `GET /league/<league>`. */
export const LeagueQuery = /*#__PURE__*/ Schema.Struct({ realm });

/**
 * Query of `GET /league/<league>/ladder`. Sort `class` needs the parameter `class`; the default
 * sort depends on the league.
 */
export const LadderQuery = /*#__PURE__*/ Schema.Struct({
  realm: gameOneRealm,
  sort: Schema.optionalKey(Schema.Literals(ladderSorts)),
  class: Schema.optionalKey(Schema.Literals(characterClasses)),
  ...page(Limits.ladder),
}).check(/*#__PURE__*/ needs("sort=class"));

/** Query of `GET /league/<league>/event-ladder`. */
export const EventLadderQuery = /*#__PURE__*/ Schema.Struct({
  realm: gameOneRealm,
  ...page(Limits.eventLadder),
});

/** Query of `GET /pvp-match`. Type `season` needs `season`, type `league` needs `league`. */
export const MatchesQuery = /*#__PURE__*/ Schema.Struct({
  realm: gameOneRealm,
  type: Schema.optionalKey(
    Schema.Literals(matchTypes).annotate({ default: QueryDefaults.matchType }),
  ),
  season: Schema.optionalKey(Schema.NonEmptyString),
  league: Schema.optionalKey(Schema.NonEmptyString),
}).check(/*#__PURE__*/ needs("type=season"), /*#__PURE__*/ needs("type=league"));

/** Query of `GET /pvp-match/<match>`. */
export const MatchQuery = /*#__PURE__*/ Schema.Struct({ realm: gameOneRealm });

/** Query of `GET /pvp-match/<match>/ladder`. */
export const MatchLadderQuery = /*#__PURE__*/ Schema.Struct({
  realm: gameOneRealm,
  ...page(Limits.pvpLadder),
});

/**
 * Query of `GET /public-stash-tabs`: the `next_change_id` of an earlier answer. Treat it as opaque.
 */
export const PublicStashTabsQuery = /*#__PURE__*/ Schema.Struct({
  id: Schema.optionalKey(Schema.NonEmptyString),
});

/**
 * Query of the two requests that write a filter: `validate` checks it against the current game
 * version.
 */
export const FilterQuery = /*#__PURE__*/ Schema.Struct({
  validate: Schema.optionalKey(Schema.Boolean),
});

const filterType = /*#__PURE__*/ Schema.Literals(["Normal", "Ruthless"]);

/** Body of `POST /item-filter`. */
export type FilterCreate = Bodies.FilterCreate;
/** Body of `POST /item-filter`. */
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
/**
 * Body of `POST /item-filter/<id>`: what is left out keeps its value. A filter can be made public,
 * never private again (§3).
 */
export const FilterUpdate: Schema.Codec<FilterUpdate> = /*#__PURE__*/ Schema.Struct({
  filter_name: Schema.optionalKey(Schema.String),
  realm: Schema.optionalKey(Realm),
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  version: Schema.optionalKey(Schema.NullOr(Schema.String)),
  type: Schema.optionalKey(Schema.NullOr(filterType)),
  public: Schema.optionalKey(Schema.Literal(true)),
  filter: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "FilterUpdate" });
