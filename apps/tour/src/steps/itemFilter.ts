/** Step: an item filter is rejected for a mistake, then created, validated and published. */
import { Effect } from "effect";
import { check, expectError, print, type Step } from "../Step.ts";

const INVALID = `Show
    BaseType "Gilt Orb
    SetFontSize 45
`;

const VALID = INVALID.replace("Orb", 'Orb"');

const draft = {
  filter_name: "From the tour",
  realm: "pc",
  description: "Shows orbs.",
  type: "Normal",
} as const;

export const itemFilter: Step = {
  title: "An item filter, validated and published",
  run: Effect.fn("tour.itemFilter")(function* ({ userApi: { itemFilters } }) {
    const rejected = itemFilters.create({ ...draft, filter: INVALID }, { validate: true });
    const error = yield* expectError(rejected, "InvalidRequest");
    yield* print([`with a mistake: HTTP ${error.status}, ${error.detail}`]);

    const created = yield* itemFilters.create({ ...draft, filter: VALID }, { validate: true });
    yield* itemFilters.update(created.id, { public: true });
    const published = yield* itemFilters.get({ id: created.id });
    yield* check(published.public === true, "the filter is not public");
    yield* check(published.filter === VALID, "the text differs from what was sent");
    return "the filter is public, and its text is what was sent";
  }),
};
