/**
 * Item filters: list, read, create, update (§4.2, Item filters; §3, Item filter).
 *
 * With `validate=true` the text is checked against the current version of the filter's game.
 * Mistakes are 422 with their lines, and nothing is saved. An update with a text of more than 100
 * 000 characters is saved at once and answered 202 with an `error`: its validation is done ten
 * seconds of the virtual clock later (`docs/choices.md`).
 */
import * as Schema from "effect/Schema";
import type { ItemFilter } from "@game-data/schemas";
import { ErrorCode, type RouteName } from "../contract.ts";
import { DataFailure, dataFailure } from "../http/errors.ts";
import type { Exchange } from "../http/Exchange.ts";
import { formatIssues, issuesOf } from "../internal/issues.ts";
import { parseJson, utf8Text } from "../internal/encoding.ts";
import { gameVersion } from "../world/Characters.ts";
import { isoSeconds, type Realm } from "../world/Leagues.ts";
import type { WorldModel } from "../world/WorldModel.ts";
import type { DataHandler, DataHandlers } from "./answerData.ts";
import type { FilterStore, StoredFilter } from "./FilterStore.ts";
import { describe, findingsOf } from "./FilterSyntax.ts";
import type { WordsTranslation } from "./words.ts";

/** Characters of a text above which an update is validated later. */
const DEFERRED_LENGTH = 100_000;
/** Duration of such a validation. */
const DEFERRED_MILLIS = 10_000;

const { optionalKey: optional, String: Text } = Schema;
const nullable = <S extends Schema.Top>(schema: S) => optional(Schema.NullOr(schema));
const RealmName = Schema.Literals(["pc", "console_a", "console_b", "game2"]);
const FilterType = Schema.Literals(["Normal", "Ruthless"]);

/** Body of `POST /item-filter` (§4.2). */
const FilterCreate = Schema.Struct({
  filter_name: Text,
  realm: RealmName,
  description: nullable(Text),
  version: nullable(Text),
  type: nullable(FilterType),
  public: nullable(Schema.Boolean),
  filter: Text,
});
type FilterCreate = typeof FilterCreate.Type;

/** Body of `POST /item-filter/<id>`: what is left out keeps its value (§4.2). */
const FilterUpdate = Schema.Struct({
  filter_name: optional(Text),
  realm: optional(RealmName),
  description: nullable(Text),
  version: nullable(Text),
  type: nullable(FilterType),
  public: optional(Schema.Literal(true)),
  filter: optional(Text),
});
type FilterUpdate = typeof FilterUpdate.Type;

type FilterRecord = StoredFilter["record"];

const targetOf = (record: FilterRecord) => ({
  game: record.realm === "game2" ? (2 as const) : (1 as const),
  version: gameVersion(record.realm as Realm),
});

const validated = (record: FilterRecord, instant: number): FilterRecord => ({
  ...record,
  validation: {
    valid: findingsOf(record.filter, targetOf(record)).length === 0,
    version: targetOf(record).version,
    validated: isoSeconds(instant),
  },
});

const withoutValidation = (record: FilterRecord): FilterRecord => {
  const { validation: _validation, ...rest } = record;
  return rest;
};

/** Keeps the members that the list shows: all but the text and its validation (§2 ItemFilter). */
const summary = (record: FilterRecord): ItemFilter => {
  const { filter: _filter, validation: _validation, ...rest } = record;
  return rest;
};

const created = (id: string, body: FilterCreate): FilterRecord => ({
  id,
  filter_name: body.filter_name,
  realm: body.realm,
  description: body.description ?? "",
  version: body.version ?? gameVersion(body.realm as Realm),
  type: body.type ?? "Normal",
  // §2: `public` is true whenever it is present; a private filter goes without it.
  ...(body.public === true && { public: true }),
  filter: body.filter,
});

const updated = (record: FilterRecord, body: FilterUpdate): FilterRecord => ({
  ...(body.filter === undefined ? record : withoutValidation(record)),
  ...(body.filter_name !== undefined && { filter_name: body.filter_name }),
  ...(body.realm !== undefined && { realm: body.realm }),
  ...(body.description != null && { description: body.description }),
  ...(body.version != null && { version: body.version }),
  ...(body.type != null && { type: body.type }),
  ...(body.public === true && { public: true }),
  ...(body.filter !== undefined && { filter: body.filter }),
});

/** The record with its validation at an instant, or what is wrong with its text. */
const checked = (record: FilterRecord, instant: number): FilterRecord | DataFailure => {
  const findings = findingsOf(record.filter, targetOf(record));
  if (findings.length === 0) return validated(record, instant);
  const { version } = targetOf(record);
  return dataFailure(
    422,
    ErrorCode.UnprocessableEntity,
    `The filter is not valid for version ${version}: ${describe(findings)}`,
  );
};

export type FilterHandlers = Pick<DataHandlers, RouteName & `itemFilters.${string}`>;

export const filterHandlers = (
  filters: FilterStore,
  world: WorldModel,
  words: WordsTranslation | undefined,
): FilterHandlers => {
  /** A filter as it is now: a deferred validation whose time has come is done and kept. */
  const settle = (account: string, stored: StoredFilter): FilterRecord => {
    const { pendingUntil, record } = stored;
    if (pendingUntil === undefined || world.now() < pendingUntil) return record;
    const done = validated(record, pendingUntil);
    filters.put(account, { record: done });
    return done;
  };

  const create: DataHandler = ({ exchange, query, sub }) => {
    const body = readBody(exchange, FilterCreate, "itemFilters.create", words);
    if (body instanceof DataFailure) return body;
    const draft = created(filters.newId(sub), body.value);
    const record = query["validate"] === true ? checked(draft, world.now()) : draft;
    if (record instanceof DataFailure) return record;
    filters.put(sub, { record });
    return { value: { filter: record } };
  };

  const update: DataHandler = ({ exchange, params, query, sub }) => {
    const body = readBody(exchange, FilterUpdate, "itemFilters.update", words);
    if (body instanceof DataFailure) return body;
    const id = String(params["id"]);
    const stored = filters.get(sub, id);
    if (stored === undefined) return noFilter(id);
    const draft = updated(settle(sub, stored), body.value);
    const validates = query["validate"] === true;
    if (validates && draft.filter.length > DEFERRED_LENGTH) {
      const record = withoutValidation(draft);
      filters.put(sub, { record, pendingUntil: world.now() + DEFERRED_MILLIS });
      return { value: { filter: record, error: DEFERRED }, status: 202 };
    }
    const record = validates ? checked(draft, world.now()) : draft;
    if (record instanceof DataFailure) return record;
    // An update that leaves the text alone leaves its waiting validation alone as well.
    const isWaiting = body.value.filter === undefined && !validates;
    const pendingUntil = isWaiting ? filters.get(sub, id)?.pendingUntil : undefined;
    filters.put(sub, { record, ...(pendingUntil !== undefined && { pendingUntil }) });
    return { value: { filter: record } };
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
    "itemFilters.create": create,
    "itemFilters.update": update,
  };
};

const DEFERRED = {
  code: ErrorCode.Accepted,
  message: "Accepted. The filter is being validated.",
};

const noFilter = (id: string): DataFailure =>
  dataFailure(404, ErrorCode.ResourceNotFound, `No filter "${id}".`);

/** Reads a JSON body; §4.2 requires its header. */
const readBody = <A>(
  { body, headers }: Exchange,
  schema: Schema.Codec<A>,
  endpoint: string,
  words: WordsTranslation | undefined,
): { readonly value: A } | DataFailure => {
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
  return issues.length === 0 ? { value: neutral as A } : invalid(formatIssues(issues));
};

/** Unknown members of a filter mean nothing. */
const OPEN = { errors: "all", reportInput: true } as const;

const invalid = (reason: string) =>
  dataFailure(400, ErrorCode.InvalidQuery, `Invalid body: ${reason}`);

const wrongType = (message: string) => dataFailure(415, ErrorCode.UnexpectedContentType, message);
