/** Item filters of the account. */
import type { FilterAccepted, FilterCreate, FilterUpdated } from "@game-data/contract";
import type { ItemFilter } from "@game-data/schemas";
import * as Effect from "effect/Effect";
import type { GameApiError } from "../Errors.ts";
import type { GameApiService } from "../GameApiService.ts";
import type { FilterCallOptions, FilterOutcome } from "../Model.ts";
import { call, type Client } from "./Client.ts";

const list = {
  name: "itemFilters.list",
  pick: (body: { filters: ReadonlyArray<ItemFilter> }) => body.filters,
} as const;

const get = {
  name: "itemFilters.get",
  pick: (body: { filter: ItemFilter }) => body.filter,
} as const;

const create = {
  name: "itemFilters.create",
  pick: (body: { filter: ItemFilter }) => body.filter,
} as const;

const update = {
  name: "itemFilters.update",
  pick: (body: FilterUpdated | FilterAccepted, status: number): FilterOutcome =>
    status === 202 && "error" in body && body.error
      ? { status: "accepted", filter: body.filter, error: body.error }
      : { status: "updated", filter: body.filter },
} as const;

export const itemFilters = (client: Client): GameApiService["itemFilters"] => {
  const methods: Omit<GameApiService["itemFilters"], "upsert"> = {
    list: (options) => call(client, list, {}, options),
    get: (request, options) => call(client, get, request, options),
    create: (filter, options) => call(client, create, validation(options), options, filter),
    update: (id, changes, options) =>
      call(client, update, { id, ...validation(options) }, options, changes),
  };
  return { ...methods, upsert: upsertFilter(methods) };
};

const validation = (options: FilterCallOptions | undefined) =>
  options?.validate === undefined ? {} : { validate: options.validate };

/** Creates the filter, or updates the one of the same name and realm. */
const upsertFilter = (methods: Omit<GameApiService["itemFilters"], "upsert">) =>
  Effect.fnUntraced(function* (
    filter: FilterCreate,
    options?: FilterCallOptions,
  ): Effect.fn.Return<FilterOutcome, GameApiError> {
    const filters = yield* methods.list(options);
    const same = filters.find(
      ({ filter_name, realm }) => filter_name === filter.filter_name && realm === filter.realm,
    );
    if (same === undefined) {
      return { status: "created", filter: yield* methods.create(filter, options) };
    }
    // A public filter stays public (§3), so `public: false` is left out.
    const { public: isPublic, ...changes } = filter;
    return yield* methods.update(
      same.id,
      { ...changes, ...(isPublic === true && { public: true }) },
      options,
    );
  });
