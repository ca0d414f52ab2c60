/**
 * Item filters: list, read, create, update (§4.2, Item filters; §3, Item filter).
 *
 * With `validate=true` the text is checked against the current version of the filter's game.
 * Mistakes are 422 with their lines, and nothing is saved. An update with a text of more than 100
 * 000 characters is saved at once and answered 202 with an `error`: its validation is done ten
 * seconds of the virtual clock later (`docs/choices.md`).
 */
import {
  Caller,
  ErrorCode,
  type FilterCreate,
  type FilterUpdate,
  DataApi,
  NotFoundError,
  UnexpectedContentTypeError,
  UnprocessableEntityError,
} from "@game-data/contract";
import type { ItemFilter } from "@game-data/schemas";
import * as Effect from "effect/Effect";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import { gameVersion } from "../world/Characters.ts";
import { isoSeconds } from "../world/Leagues.ts";
import type { Realm } from "../world/Realm.ts";
import { World } from "../world/World.ts";
import { FilterStore, type StoredFilter } from "./FilterStore.ts";
import { describe, findingsOf } from "./FilterSyntax.ts";
import { Responses } from "./Responses.ts";

/** Characters of a text above which an update is validated later. */
const DEFERRED_LENGTH = 100_000;
/** How long such a validation takes. */
const DEFERRED_MILLIS = 10_000;

type Text = StoredFilter["record"];

const targetOf = (record: Text) => ({
  game: record.realm === "game2" ? (2 as const) : (1 as const),
  version: gameVersion(record.realm as Realm),
});

const validated = (record: Text, instant: number): Text => ({
  ...record,
  validation: {
    valid: findingsOf(record.filter, targetOf(record)).length === 0,
    version: targetOf(record).version,
    validated: isoSeconds(instant),
  },
});

const withoutValidation = (record: Text): Text => {
  const { validation: _validation, ...rest } = record;
  return rest;
};

/** What the list shows: everything but the text and its validation (§2 ItemFilter). */
const summary = (record: Text): ItemFilter => {
  const { filter: _filter, validation: _validation, ...rest } = record;
  return rest;
};

const created = (id: string, body: FilterCreate): Text => ({
  id,
  filter_name: body.filter_name,
  realm: body.realm,
  description: body.description ?? "",
  version: body.version ?? gameVersion(body.realm),
  type: body.type ?? "Normal",
  // §2: `public` is true whenever it is present; a private filter goes without it.
  ...(body.public === true ? { public: true } : {}),
  filter: body.filter,
});

const updated = (record: Text, body: FilterUpdate): Text => ({
  ...(body.filter === undefined ? record : withoutValidation(record)),
  ...(body.filter_name === undefined ? {} : { filter_name: body.filter_name }),
  ...(body.realm === undefined ? {} : { realm: body.realm }),
  ...(body.description == null ? {} : { description: body.description }),
  ...(body.version == null ? {} : { version: body.version }),
  ...(body.type == null ? {} : { type: body.type }),
  ...(body.public === true ? { public: true } : {}),
  ...(body.filter === undefined ? {} : { filter: body.filter }),
});

/**
 * §4.2: the header is required. A wrong one is refused before the body is read, a missing one here.
 */
const needsJson = (headers: Readonly<Record<string, string | undefined>>) =>
  headers["content-type"] === undefined
    ? UnexpectedContentTypeError.because("The header Content-Type: application/json is required.")
    : Effect.void;

/** `GET /item-filter…` and `POST /item-filter…` */
export const FilterEndpoints = HttpApiBuilder.group(DataApi, "itemFilters", (handlers) =>
  Effect.gen(function* () {
    const filters = yield* FilterStore;
    const world = yield* World;
    const { answer, captureOr } = yield* Responses;

    /** A filter as it is now: a deferred validation whose time has come is done and kept. */
    const settle = (account: string, stored: StoredFilter): Text => {
      const { record, pendingUntil } = stored;
      if (pendingUntil === undefined || world.now() < pendingUntil) return record;
      const done = validated(record, pendingUntil);
      filters.put(account, { record: done });
      return done;
    };

    const check = (record: Text) => {
      const findings = findingsOf(record.filter, targetOf(record));
      return findings.length === 0
        ? Effect.succeed(validated(record, world.now()))
        : UnprocessableEntityError.because(
            `The filter is not valid for version ${targetOf(record).version}: ${describe(findings)}`,
          );
    };

    return handlers
      .handle(
        "list",
        captureOr(() =>
          Effect.gen(function* () {
            const { sub } = yield* Caller;
            return yield* answer(() => ({
              filters: filters.list(sub).map(({ record }) => summary(record)),
            }));
          }),
        ),
      )
      .handle(
        "get",
        captureOr(({ params }) =>
          Effect.gen(function* () {
            const { sub } = yield* Caller;
            const stored = filters.get(sub, params.id);
            if (stored === undefined)
              return yield* NotFoundError.because(`No filter "${params.id}".`);
            return yield* answer(() => ({ filter: settle(sub, stored) }));
          }),
        ),
      )
      .handle("create", ({ payload, query, request }) =>
        Effect.gen(function* () {
          yield* needsJson(request.headers);
          const { sub } = yield* Caller;
          const draft = created(filters.newId(sub), payload);
          const record = query.validate === true ? yield* check(draft) : draft;
          filters.put(sub, { record });
          return yield* answer(() => ({ filter: record }));
        }),
      )
      .handle("update", ({ params, payload, query, request }) =>
        Effect.gen(function* () {
          yield* needsJson(request.headers);
          const { sub } = yield* Caller;
          const stored = filters.get(sub, params.id);
          if (stored === undefined)
            return yield* NotFoundError.because(`No filter "${params.id}".`);
          const draft = updated(settle(sub, stored), payload);
          if (query.validate === true && draft.filter.length > DEFERRED_LENGTH) {
            const record = withoutValidation(draft);
            filters.put(sub, { record, pendingUntil: world.now() + DEFERRED_MILLIS });
            const error = {
              code: ErrorCode.Accepted,
              message: "Accepted. The filter is being validated.",
            };
            return yield* answer(() => ({ filter: record, error }), 202);
          }
          const record = query.validate === true ? yield* check(draft) : draft;
          // An update that leaves the text alone leaves its waiting validation alone as well.
          const isWaiting = payload.filter === undefined && query.validate !== true;
          const pendingUntil = isWaiting ? filters.get(sub, params.id)?.pendingUntil : undefined;
          filters.put(sub, { record, ...(pendingUntil === undefined ? {} : { pendingUntil }) });
          return yield* answer(() => ({ filter: record }));
        }),
      );
  }),
);
