/** Item filters by name. */
import type { FilterCreate } from "@game-data/contract";
import * as Effect from "effect/Effect";
import type { FilterOutcome, Groups } from "../Api.ts";
import type { GameApiError } from "../Errors.ts";
import type { CallOptions } from "../Options.ts";

/** Creates the filter, or updates the one with the same name and realm. */
export const upsertFilter = ({ create, list, update }: Groups["itemFilters"]) =>
  Effect.fnUntraced(function* (
    filter: FilterCreate,
    options: CallOptions & { readonly validate?: boolean } = {},
  ): Effect.fn.Return<FilterOutcome, GameApiError> {
    const filters = yield* list(options);
    const existing = filters.find(
      ({ filter_name, realm }) => filter_name === filter.filter_name && realm === filter.realm,
    );
    if (existing === undefined)
      return { status: "created", filter: yield* create(filter, options) };
    // A public filter stays public (§3), so `public: false` is left out.
    const { public: isPublic, ...rest } = filter;
    const changes = { ...rest, ...(isPublic === true && { public: true as const }) };
    return yield* update(existing.id, changes, options);
  });
