/** Writing item filters of the account. */
import type { FilterAccepted, FilterCreate, FilterUpdated } from "@game-data/contract";
import * as Effect from "effect/Effect";
import type { Api, EffectFace } from "../Api.ts";
import type { GameApiError } from "../Errors.ts";
import type { FilterCallOptions, FilterOutcome } from "../Model.ts";

/** The result of an update: a 202 says that more processing is needed, and `error` why. */
export const filterOutcome = (written: unknown, status: number): FilterOutcome => {
  const body = written as FilterUpdated | FilterAccepted;
  return status === 202 && "error" in body && body.error
    ? { status: "accepted", filter: body.filter, error: body.error }
    : { status: "updated", filter: body.filter };
};

/** Creates the filter, or updates the one of the same name and realm. */
export const upsertFilter = (methods: Api<EffectFace>["itemFilters"]) =>
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
