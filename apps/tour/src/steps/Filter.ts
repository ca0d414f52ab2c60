/**
 * An item filter on its way: refused with the line that is wrong, corrected, created, published.
 */
import { Effect } from "effect";
import * as Report from "../Report.ts";
import { must, type Step, TourFailure, userOf } from "../Tour.ts";

const MISTAKEN = `Show
    Rarity Uniqe
    SetFontSize 45
`;

const CORRECT = MISTAKEN.replace("Uniqe", "Unique");

/** Created, validated, published. */
export const filter: Step = {
  title: "An item filter, validated and published",
  speaker: "user",
  scopes: ["account:item_filter"],
  writes: true,
  run: Effect.fnUntraced(function* (tour) {
    const { itemFilters } = userOf(tour).api;
    const draft = {
      filter_name: "From the tour",
      realm: "pc",
      description: "Shows what is unique.",
      type: "Normal",
    } as const;
    const before = yield* itemFilters.list();

    const refused = yield* itemFilters
      .create({ ...draft, filter: MISTAKEN }, { validate: true })
      .pipe(
        Effect.flatMap(() => new TourFailure({ message: "a mistaken filter was taken" })),
        Effect.catchTag("InvalidRequest", Effect.succeed),
      );
    const created = yield* itemFilters.create({ ...draft, filter: CORRECT }, { validate: true });
    yield* must(created.public !== true, "the filter was public before it was published");

    yield* itemFilters.update(created.id, { public: true });
    const published = yield* itemFilters.get({ id: created.id });
    const after = yield* itemFilters.list();
    Report.facts(
      ["with a mistake", `HTTP ${refused.status}: ${refused.detail}`],
      ["corrected", `created, and valid for version ${created.validation?.version}`],
      ["published", `${after.length} filters now, ${before.length} before`],
    );
    yield* must(published.public === true, "the filter is not public");
    yield* must(published.filter === CORRECT, "the text is not what was sent");
    yield* must(after.length === before.length + 1, "there is not one filter more than before");
    return { proof: "read back: public, and the text as it was sent" };
  }),
};
