/**
 * Item filters: list, read, create, update (§4.2, Item filters; §3, Item filter).
 *
 * With `validate=true` the text is checked against the current version of the filter's game.
 * Mistakes are 422 with their lines, and nothing is saved. An update with a text of more than
 * 100,000 characters is saved at once and answered 202 with an `error`: its validation is done ten
 * seconds of the virtual clock later (`docs/choices.md`).
 */
import type { ItemFilter } from "@game-data/schemas";
import * as Schema from "effect/Schema";
import { ErrorCode, type RouteName } from "../contract.ts";
import { DataFailure, dataFailure } from "../http/errors.ts";
import type { Exchange } from "../http/Exchange.ts";
import { parseJson, utf8Text } from "../internal/encoding.ts";
import { formatIssues, issuesOf } from "../internal/issues.ts";
import { gameVersion } from "../world/Characters.ts";
import { isoSeconds, REALMS } from "../world/Leagues.ts";
import type { WorldModel } from "../world/WorldModel.ts";
import type { DataHandlers } from "./answerData.ts";
import type { FilterStore, StoredFilter } from "./FilterStore.ts";
import { describe, findingsOf } from "./FilterSyntax.ts";
import type { WordsTranslation } from "./words.ts";

/** Characters of a text above which an update is validated later. */
const DEFERRED_LENGTH = 100_000;
/** Duration of such a validation. */
const DEFERRED_MILLIS = 10_000;

const { optionalKey: optional, String: Text } = Schema;
const nullable = <S extends Schema.Top>(schema: S) => optional(Schema.NullOr(schema));
const RealmName = Schema.Literals(REALMS);
const either = {
  description: nullable(Text),
  version: nullable(Text),
  type: nullable(Schema.Literals(["Normal", "Ruthless"])),
};

/** Body of `POST /item-filter` (§4.2). */
const FilterCreate = Schema.Struct({
  ...either,
  filter_name: Text,
  realm: RealmName,
  public: nullable(Schema.Boolean),
  filter: Text,
});

/** Body of `POST /item-filter/<id>`: what is left out keeps its value (§4.2). */
const FilterUpdate = Schema.Struct({
  ...either,
  filter_name: optional(Text),
  realm: optional(RealmName),
  public: optional(Schema.Literal(true)),
  filter: optional(Text),
});

type FilterRecord = StoredFilter["record"];

/**
 * The members of a body that change a record; unknown ones mean nothing. §2: `public` is true
 * whenever it is present.
 */
const changes = (body: typeof FilterCreate.Type | typeof FilterUpdate.Type) =>
  Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => name in FilterCreate.fields && value != null && value !== false,
    ),
  ) as Partial<FilterRecord>;

const targetOf = ({ realm }: FilterRecord) => ({
  game: realm === "game2" ? (2 as const) : (1 as const),
  version: gameVersion(REALMS.find((one) => one === realm) ?? "pc"),
});

const validated = (record: FilterRecord, instant: number): FilterRecord => {
  const target = targetOf(record);
  const valid = findingsOf(record.filter, target).length === 0;
  const validation = { valid, version: target.version, validated: isoSeconds(instant) };
  return { ...record, validation };
};

const withoutValidation = ({ validation: _validation, ...record }: FilterRecord): FilterRecord =>
  record;

/** Keeps the members that the list shows: all but the text and its validation (§2 ItemFilter). */
const summary = ({ filter: _filter, validation: _validation, ...rest }: FilterRecord): ItemFilter =>
  rest;

/** The record with its validation at an instant, or what is wrong with its text. */
const checked = (record: FilterRecord, instant: number): FilterRecord | DataFailure => {
  const target = targetOf(record);
  const findings = findingsOf(record.filter, target);
  if (findings.length === 0) return validated(record, instant);
  const reason = `The filter is not valid for version ${target.version}: ${describe(findings)}`;
  return dataFailure(422, ErrorCode.UnprocessableEntity, reason);
};

export type FilterHandlers = Pick<DataHandlers, RouteName & `itemFilters.${string}`>;

export const filterHandlers = (
  filters: FilterStore,
  world: WorldModel,
  words: WordsTranslation | undefined,
): FilterHandlers => {
  /** A filter as it is now: a deferred validation whose time has come is done and kept. */
  const settle = (account: string, { pendingUntil, record }: StoredFilter): FilterRecord => {
    if (pendingUntil === undefined || world.now() < pendingUntil) return record;
    const done = validated(record, pendingUntil);
    filters.put(account, { record: done });
    return done;
  };

  return {
    "itemFilters.list": ({ sub }) => ({
      value: { filters: filters.list(sub).map(({ record }) => summary(record)) },
    }),
    "itemFilters.get": ({ params, sub }) => {
      const id = String(params["id"]);
      const stored = filters.get(sub, id);
      return stored === undefined ? noFilter(id) : { value: { filter: settle(sub, stored) } };
    },
    "itemFilters.create": ({ exchange, query, sub }) => {
      const body = readBody(exchange, FilterCreate, "itemFilters.create", words);
      if (body instanceof DataFailure) return body;
      const { filter, filter_name, realm } = body;
      const version = gameVersion(realm);
      const id = filters.newId(sub);
      const own = { id, filter_name, realm, description: "", version, type: "Normal" } as const;
      const draft: FilterRecord = { ...own, ...changes(body), filter };
      const record = query["validate"] === true ? checked(draft, world.now()) : draft;
      if (record instanceof DataFailure) return record;
      filters.put(sub, { record });
      return { value: { filter: record } };
    },
    "itemFilters.update": ({ exchange, params, query, sub }) => {
      const body = readBody(exchange, FilterUpdate, "itemFilters.update", words);
      if (body instanceof DataFailure) return body;
      const id = String(params["id"]);
      const stored = filters.get(sub, id);
      if (stored === undefined) return noFilter(id);
      const before = settle(sub, stored);
      const kept = body.filter === undefined ? before : withoutValidation(before);
      const draft = { ...kept, ...changes(body) };
      const validates = query["validate"] === true;
      if (validates && draft.filter.length > DEFERRED_LENGTH) {
        const record = withoutValidation(draft);
        filters.put(sub, { record, pendingUntil: world.now() + DEFERRED_MILLIS });
        return { value: { filter: record, error: DEFERRED }, status: 202 };
      }
      const record = validates ? checked(draft, world.now()) : draft;
      if (record instanceof DataFailure) return record;
      // An update that leaves the text alone leaves its waiting validation alone as well.
      const isWaiting = body.filter === undefined && !validates;
      const pendingUntil = isWaiting ? filters.get(sub, id)?.pendingUntil : undefined;
      filters.put(sub, { record, ...(pendingUntil !== undefined && { pendingUntil }) });
      return { value: { filter: record } };
    },
  };
};

const DEFERRED = {
  code: ErrorCode.Accepted,
  message: "Accepted. The filter is being validated.",
};

const noFilter = (id: string): DataFailure =>
  dataFailure(404, ErrorCode.ResourceNotFound, `No filter "${id}".`);

/** Unknown members of a filter mean nothing. */
const OPEN = { errors: "all", reportInput: true } as const;

/** Reads a JSON body; §4.2 requires its header. */
const readBody = <A>(
  { body, headers }: Exchange,
  schema: Schema.Codec<A>,
  endpoint: string,
  words: WordsTranslation | undefined,
): A | DataFailure => {
  const type = headers["content-type"];
  if (type === undefined)
    return wrongType("The header Content-Type: application/json is required.");
  if (!/^application\/json *(?:;|$)/iu.test(type))
    return wrongType("The body has to be application/json.");
  const source = utf8Text(body);
  if (source === undefined) return invalid("it is not UTF-8.");
  const value = parseJson(source);
  if (value === undefined) return invalid("it is not JSON.");
  const neutral = words === undefined ? value : words.bodyFromWire(endpoint, value);
  const issues = issuesOf(schema, neutral, OPEN);
  return issues.length === 0 ? (neutral as A) : invalid(formatIssues(issues));
};

const invalid = (reason: string) =>
  dataFailure(400, ErrorCode.InvalidQuery, `Invalid body: ${reason}`);

const wrongType = (message: string) => dataFailure(415, ErrorCode.UnexpectedContentType, message);
