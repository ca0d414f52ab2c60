/**
 * The leagues of the realm, and a ladder page by page.
 */
import { Limits } from "@game-data/contract";
import { Effect, Stream } from "effect";
import { bodiesWith, type Captured, isMembers, listIn } from "../Captured.ts";
import * as Report from "../Report.ts";
import { applicationOf, compare, must, type Step } from "../Tour.ts";

const SHOWN = 5;

/** Leagues, with the application's token. */
export const leagues: Step = {
  title: "The leagues",
  speaker: "application",
  scopes: ["service:leagues"],
  run: Effect.fnUntraced(function* (tour) {
    const all = yield* applicationOf(tour).api.leagues.list({ limit: Limits.leagues.max });
    Report.table(
      ["league", "began", "ends", "rules"],
      all
        .slice(0, 2 * SHOWN)
        .map(({ endAt, id, rules, startAt }) => [
          id,
          startAt?.slice(0, 10),
          endAt?.slice(0, 10) ?? "",
          (rules ?? []).map(({ name }) => name).join(", "),
        ]),
      all.length - 2 * SHOWN,
    );
    if (tour.captured !== undefined) {
      const inFiles = leaguesIn(tour.captured);
      if (inFiles > 0)
        yield* compare(["leagues", all.length, Math.min(inFiles, Limits.leagues.max)]);
    }
    return { proof: `${all.length} leagues` };
  }),
};

/** The list is of leagues that are no events, those of all files. */
const leaguesIn = (captured: Captured): number =>
  bodiesWith(captured, "leagues")
    .flatMap((body) => listIn(body, "leagues"))
    .filter((league) => league["event"] !== true).length;

/** Entries of the ladder that the tour reads; the sandbox serves 15 000. */
const ENTRIES = 2500;

/** A ladder as one stream over its pages. */
export const ladder: Step = {
  title: "A ladder, page by page",
  speaker: "application",
  scopes: ["service:leagues", "service:leagues:ladder"],
  run: Effect.fnUntraced(function* (tour) {
    const { api } = applicationOf(tour);
    const all = yield* api.leagues.list({ limit: Limits.leagues.max });
    const league = all.find(({ category }) => category?.current === true) ?? all[0];
    if (league === undefined) return { leftOut: "there is no league" };
    const captured = tour.captured && ladderIn(tour.captured);

    const bar = Report.bar(captured ?? ENTRIES);
    let read = 0;
    const entries = yield* api.leagues
      .ladderEntries({ league: league.id, limit: Limits.ladder.max })
      .pipe(
        Stream.take(ENTRIES),
        Stream.tap(() => Effect.sync(() => bar.show((read += 1), `${read} entries`))),
        Stream.runCollect,
        // Captures may be older than the interface: then the client says so, and the tour goes on.
        Effect.catchIf(
          (error) => error._tag === "ResponseMalformed" && captured !== undefined,
          (error) => Effect.succeed(error.message),
        ),
      );
    if (typeof entries === "string")
      return { leftOut: `the captured ladder is none by the specification. ${entries}` };
    bar.end(captured ?? ENTRIES, `${entries.length} entries`);
    Report.table(
      ["rank", "character", "class", "level", "experience"],
      entries
        .slice(0, SHOWN)
        .map(({ character, rank }) => [
          rank,
          character.name,
          character.class,
          character.level,
          character.experience,
        ]),
      entries.length - SHOWN,
    );
    if (captured !== undefined) yield* compare(["entries of the ladder", entries.length, captured]);
    const gaps = entries.filter(({ rank }, index) => rank !== index + 1).length;
    yield* must(gaps === 0, `${gaps} ranks do not follow the one before`);
    return {
      proof: `${Report.number(entries.length)} entries of ${league.id}, rank after rank without a gap`,
    };
  }),
};

/** Whatever league is asked for, the first captured ladder answers. */
const ladderIn = (captured: Captured): number | undefined => {
  const found = bodiesWith(captured, "league").find(
    ({ league }) => isMembers(league) && "entries" in league,
  );
  return found && listIn(found["league"] as Record<string, unknown>, "entries").length;
};
