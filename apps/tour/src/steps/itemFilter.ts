/**
 * An item filter: rejected with a mistake, then created, validated and published.
 */
import { Effect } from "effect";
import { Report } from "../report.ts";
import { assert, expectError, type Step } from "../Tour.ts";

const INVALID = `Show
    BaseType "Gilt Orb
    SetFontSize 45
`;

const VALID = INVALID.replace("Orb", 'Orb"');

export const itemFilter: Step = {
  title: "An item filter, validated and published",
  session: "user",
  scopes: ["account:item_filter"],
  writes: true,
  run: Effect.fnUntraced(function* ({ user }) {
    const report = yield* Report;
    const { itemFilters } = user.api;
    const before = yield* itemFilters.list();
    const draft = {
      filter_name: "From the tour",
      realm: "pc",
      description: "Shows orbs.",
      type: "Normal",
    } as const;

    const rejected = itemFilters.create({ ...draft, filter: INVALID }, { validate: true });
    const error = yield* expectError(rejected, "InvalidRequest", "an invalid filter was accepted");
    const created = yield* itemFilters.create({ ...draft, filter: VALID }, { validate: true });
    yield* assert(created.public !== true, "the filter was public before it was published");
    yield* itemFilters.update(created.id, { public: true });
    const published = yield* itemFilters.get({ id: created.id });

    const after = yield* itemFilters.list();
    report.facts(
      ["with a mistake", `HTTP ${error.status}: ${error.detail}`],
      ["corrected", `created, valid for version ${created.validation?.version}`],
      ["published", `${after.length} filters now, ${before.length} before`],
    );
    yield* assert(published.public === true, "the filter is not public");
    yield* assert(published.filter === VALID, "the text differs from what was sent");
    yield* assert(after.length === before.length + 1, "the account does not have one more filter");
    return { result: "the filter is public, and its text is what was sent" };
  }),
};
