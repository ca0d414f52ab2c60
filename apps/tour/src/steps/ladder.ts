/**
 * A ladder as one stream of entries over its pages.
 */
import * as Pages from "@game-data/api-client/pages";
import { Limits } from "@game-data/contract";
import { Effect, Stream } from "effect";
import { number, Report } from "../report.ts";
import { assert, type Step } from "../Tour.ts";

/** Entries to read. The sandbox serves 15,000. */
const ENTRIES = 2500;

export const ladder: Step = {
  title: "A ladder, page by page",
  session: "application",
  scopes: ["service:leagues", "service:leagues:ladder"],
  run: Effect.fnUntraced(function* ({ application, captured }) {
    const report = yield* Report;
    const { api } = application;
    const all = yield* api.leagues.list({ limit: Limits.leagues.max });
    const league = all.find(({ category }) => category?.current === true) ?? all[0];
    if (league === undefined) return { skipped: "there is no league" };

    const inFiles = captured?.counts["entries of the ladder"];
    let read = 0;
    const pages = Pages.pages(api, "leagues.ladder", { league: league.id });
    const entries = yield* Pages.entries(pages).pipe(
      Stream.take(inFiles === undefined ? ENTRIES : Infinity),
      Stream.tap(() =>
        Effect.sync(() => report.progress((read += 1), inFiles ?? ENTRIES, `${read} entries`)),
      ),
      Stream.runCollect,
      // Captures may be older than the specification.
      Effect.catchTag("ResponseMalformed", (error) =>
        inFiles === undefined ? Effect.fail(error) : Effect.succeed(error.message),
      ),
    );
    if (typeof entries === "string")
      return { skipped: `the captured ladder does not match the specification. ${entries}` };
    report.table(
      ["rank", "character", "class", "level", "experience"],
      entries.map(({ character, rank }) => [
        rank,
        character.name,
        character.class,
        character.level,
        character.experience,
      ]),
      5,
    );

    const gaps = entries.filter(({ rank }, index) => rank !== index + 1).length;
    yield* assert(gaps === 0, `${gaps} ranks do not follow the one before`);
    return {
      result: `${number(entries.length)} entries of ${league.id}, every rank in order`,
      counts: { "entries of the ladder": entries.length },
    };
  }),
};
