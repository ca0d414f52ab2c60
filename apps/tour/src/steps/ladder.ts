/** Step: reads a ladder as one stream of entries over its pages. */
import { Effect, Stream } from "effect";
import { check, count, print, type Step } from "../Step.ts";

export const ladder: Step = {
  title: "A ladder, page by page",
  run: Effect.fn("tour.ladder")(function* ({ applicationApi }) {
    const ladderEntries = applicationApi.leagues.ladderEntries({ league: "Standard" });
    const entries = yield* ladderEntries.pipe(Stream.take(2500), Stream.runCollect);
    yield* print(
      ...entries
        .slice(0, 5)
        .map(({ character, rank }) => [rank, character.name, character.class, character.level]),
    );
    yield* check(
      entries.every(({ rank }, index) => rank === index + 1),
      "a rank is missing, or appears twice",
    );
    return `${count(entries.length)} entries, every rank in order, at the pace of the rate limits`;
  }),
};
