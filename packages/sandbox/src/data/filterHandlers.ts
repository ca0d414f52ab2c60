/**
 * Item filters: list, read, create, update (§4.2, Item filters; §3, Item filter).
 *
 * With `validate=true` the text is checked against the current version of the filter's game.
 * Mistakes are 422 with their lines, and nothing is saved. An update with a text of more than
 * 100,000 characters is saved at once and answered 202 with an `error`: its validation is done ten
 * seconds of the virtual clock later (`docs/choices.md`).
 */
import { ErrorCode } from "@game-data/contract/ErrorCode";
import type { RouteName } from "@game-data/contract/routes";
import * as Schema from "effect/Schema";
import { DataFailure, dataFailure } from "../http/errors.ts";
import type { Exchange } from "../http/Exchange.ts";
import { parseJson, utf8Text } from "../internal/encoding.ts";
import { formatIssues, issuesOf } from "../internal/issues.ts";
import { gameVersion } from "../world/Characters.ts";
import { isoSeconds, REALMS } from "../world/Leagues.ts";
import { hexId } from "../world/Prng.ts";
import type { WorldModel } from "../world/WorldModel.ts";
import type { DataHandlers } from "./answerData.ts";
import { describe, findingsOf } from "./FilterSyntax.ts";
import type { WordsTranslation } from "./words.ts";
import type { ItemFilter } from "@game-data/schemas";
import type { Accounts } from "../clients/Clients.ts";
import type { Store, Table } from "../store/Store.ts";

/** Characters of a text above which an update is validated later. */
const DEFERRED_LENGTH = 100_000;
/** Duration of a deferred validation, in milliseconds of the virtual time. */
const DEFERRED_MILLIS = 10_000;
const DEFERRED = {
  code: ErrorCode.Accepted,
  message: "Accepted. The filter is being validated.",
};

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

/** Body of `POST /item-filter/<id>`. Members that are left out keep their values (§4.2). */
const FilterUpdate = Schema.Struct({
  ...either,
  filter_name: optional(Text),
  realm: optional(RealmName),
  public: optional(Schema.Literal(true)),
  filter: optional(Text),
});

type FilterRecord = FilterRow["record"];

/**
 * Returns the members of a body that change a record. Ignores unknown members, and `public: false`,
 * because a record has `public` only if it is true (§2).
 */
const changes = (body: typeof FilterCreate.Type | typeof FilterUpdate.Type) =>
  Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => name in FilterCreate.fields && value != null && value !== false,
    ),
  ) as Partial<FilterRecord>;

/**
 * Returns the mistakes in the text of a filter, and the record with its validation at an instant.
 */
const validate = (record: FilterRecord, instant: number) => {
  const version = gameVersion(REALMS.find((one) => one === record.realm) ?? "pc");
  const findings = findingsOf(record.filter, {
    game: record.realm === "game2" ? 2 : 1,
    version,
  });
  const validation = { valid: findings.length === 0, version, validated: isoSeconds(instant) };
  return { findings, version, validated: { ...record, validation } };
};

/** Returns the record with its validation, or the refusal of its text. */
const validOnly = (record: FilterRecord, instant: number): FilterRecord | DataFailure => {
  const { findings, validated, version } = validate(record, instant);
  if (findings.length === 0) return validated;
  const reason = `The filter is not valid for version ${version}: ${describe(findings)}`;
  return dataFailure("UnprocessableEntity", reason);
};

const withoutValidation = ({ validation: _validation, ...record }: FilterRecord): FilterRecord =>
  record;

export type FilterHandlers = Pick<DataHandlers, RouteName & `itemFilters.${string}`>;

export const filterHandlers = (
  filters: FilterTable,
  world: WorldModel,
  words: WordsTranslation | undefined,
): FilterHandlers => {
  /** Finds a filter of an account. A deferred validation is done first, if it is due. */
  const find = (account: string, id: string): FilterRow | DataFailure => {
    const row = filters.get(id);
    if (row?.account !== account) return dataFailure("ResourceNotFound", `No filter "${id}".`);
    if (row.pendingUntil === undefined || world.now() < row.pendingUntil) return row;
    const done = { id, account, record: validate(row.record, row.pendingUntil).validated };
    filters.put(done);
    return done;
  };

  return {
    "itemFilters.list": ({ sub }) => ({
      value: {
        filters: filters
          .where(({ account }) => account === sub)
          // The list shows all but the text and its validation (§2 ItemFilter).
          .map(({ record: { filter: _filter, validation: _validation, ...shown } }) => shown),
      },
    }),
    "itemFilters.get": ({ params, sub }) => {
      const row = find(sub, String(params["id"]));
      return row instanceof DataFailure ? row : { value: { filter: row.record } };
    },
    "itemFilters.create": ({ exchange, query, sub }) => {
      const body = readBody(exchange, FilterCreate, "itemFilters.create", words);
      if (body instanceof DataFailure) return body;
      const { filter, filter_name, realm } = body;
      const version = gameVersion(realm);
      const id = hexId(`${world.seed}/filter/${sub}/${filters.size}`, 12);
      const own = { id, filter_name, realm, description: "", version, type: "Normal" } as const;
      const draft: FilterRecord = { ...own, ...changes(body), filter };
      const record = query["validate"] === true ? validOnly(draft, world.now()) : draft;
      if (record instanceof DataFailure) return record;
      filters.put({ id, account: sub, record });
      return { value: { filter: record } };
    },
    "itemFilters.update": ({ exchange, params, query, sub }) => {
      const body = readBody(exchange, FilterUpdate, "itemFilters.update", words);
      if (body instanceof DataFailure) return body;
      const row = find(sub, String(params["id"]));
      if (row instanceof DataFailure) return row;
      const { pendingUntil, ...before } = row;
      const kept = body.filter === undefined ? row.record : withoutValidation(row.record);
      const draft = { ...kept, ...changes(body) };
      const validates = query["validate"] === true;
      if (validates && draft.filter.length > DEFERRED_LENGTH) {
        const record = withoutValidation(draft);
        filters.put({ ...before, record, pendingUntil: world.now() + DEFERRED_MILLIS });
        return { value: { filter: record, error: DEFERRED }, status: 202 };
      }
      const record = validates ? validOnly(draft, world.now()) : draft;
      if (record instanceof DataFailure) return record;
      // An update that does not change the text keeps its pending validation.
      const isWaiting = pendingUntil !== undefined && body.filter === undefined && !validates;
      filters.put({ ...before, record, ...(isWaiting && { pendingUntil }) });
      return { value: { filter: record } };
    },
  };
};

/** Parse options that ignore unknown members of a filter. */
const OPEN = { errors: "all", reportInput: true } as const;

/** Reads a JSON body, whose content type has to be JSON (§4.2). */
const readBody = <A>(
  { body, headers }: Exchange,
  schema: Schema.Codec<A>,
  endpoint: RouteName,
  words: WordsTranslation | undefined,
): A | DataFailure => {
  const type = headers["content-type"] ?? "";
  const isJson = /^application\/json *(?:;|$)/iu.test(type);
  const isUtf8 = !/charset="?(?!utf-?8\b)/iu.test(type);
  if (!isJson || !isUtf8 || !/^(?:identity)?$/iu.test(headers["content-encoding"] ?? ""))
    return dataFailure(
      "UnexpectedContentType",
      "The header Content-Type: application/json is required, for plain UTF-8.",
    );
  const text = utf8Text(body);
  if (text === undefined) return invalid("it is not UTF-8.");
  const value = parseJson(text);
  if (value === undefined) return invalid("it is not JSON.");
  const neutral = words === undefined ? value : words.bodyFromWire(endpoint, value);
  const issues = issuesOf(schema, neutral, OPEN);
  return issues.length === 0 ? (neutral as A) : invalid(formatIssues(issues));
};

const invalid = (reason: string) => dataFailure("InvalidQuery", `Invalid body: ${reason}`);

interface FilterRow {
  readonly id: string;
  /** UUID of the account. */
  readonly account: string;
  readonly record: ItemFilter & { readonly filter: string };
  /** Instant at which a deferred validation ends, in milliseconds since 1970. */
  readonly pendingUntil?: number;
}

const Row = Schema.Struct({
  id: Schema.String,
  account: Schema.String,
  record: Schema.Record(Schema.String, Schema.Json),
  pendingUntil: Schema.optionalKey(Schema.Int),
});

export type FilterTable = Table<FilterRow>;

/** Opens the table of filters. A new or reset store gets the seeded filters. */
export const openFilters = (store: Store, accounts: Accounts, world: WorldModel): FilterTable => {
  const filters = store.table<FilterRow>("filters", "id", Row as Schema.Codec<any>);
  const seed = (): void => {
    for (const { uuid } of accounts.all)
      for (const row of seededFilters(world.seed, uuid, world.worldStart)) filters.put(row);
  };
  store.onReset(seed);
  if (store.meta.get(SEEDED) === undefined)
    store.transact(() => {
      seed();
      store.meta.put({ key: SEEDED, value: "1" });
    });
  return filters;
};

const SEEDED = "filters.seeded";

const SAMPLE = `# Show what glitters, hide the rest.
Show
    Rarity Unique
    SetFontSize 45
    PlayAlertSound 6 300

Show
    Class "Currency"
    StackSize >= 5
    SetTextColor 240 220 120 255

Minimal
    ItemLevel < 60
    Rarity Normal Magic
`;

const seededFilters = (
  seed: number,
  account: string,
  worldStart: number,
): ReadonlyArray<FilterRow> => {
  const row = (name: string, record: Omit<FilterRow["record"], "id">): FilterRow => {
    const id = hexId(`${seed}/filter/${account}/${name}`, 12);
    return { id, account, record: { id, ...record } };
  };
  const version = gameVersion("pc");
  return [
    row("first", {
      filter_name: "Everyday",
      realm: "pc",
      description: "Shows what glitters.",
      version,
      type: "Normal",
      public: true,
      filter: SAMPLE,
      validation: { valid: true, version, validated: isoSeconds(worldStart) },
    }),
    row("second", {
      filter_name: "Strict",
      realm: "pc",
      description: "",
      version,
      type: "Ruthless",
      filter: "Show\n    Rarity Unique\n\nHide\n",
    }),
  ];
};
