/**
 * The public stash stream, followed into SQLite.
 */
import { statSync } from "node:fs";
import { Effect } from "effect";
import { megabytes, number, Report } from "../report.ts";
import { assert, type Step } from "../Tour.ts";
import { followInto } from "./followInto.ts";

export const stashStream: Step = {
  title: "The public stash stream, into SQLite",
  session: "application",
  scopes: ["service:psapi"],
  run: Effect.fnUntraced(function* ({ application, sandbox, store, streamPages }) {
    const report = yield* Report;
    const started = performance.now();
    const followed = yield* followInto(
      store,
      application,
      { source: "stashes" },
      {
        // A deployment's stream does not end: its first pages are enough.
        maxPages: sandbox === undefined ? streamPages : Infinity,
        onPage: ({ listed, pages }) =>
          report.progress(pages, streamPages, `${pages} pages, ${listed.size} stashes`),
      },
    );
    const seconds = (performance.now() - started) / 1000;
    const { bytes, ended, items, pages, quarantined, rows, stashes, stored } = followed;
    report.facts(
      ["pages", `${pages}, ${megabytes(bytes)} of JSON`],
      ["changes", number(rows)],
      ["public stashes", number(stashes)],
      ["items in them", number(items)],
      ["quarantined", number(quarantined)],
      ["file", megabytes(statSync(store).size)],
    );

    const isEqual = stored?.rows === stashes && stored.items === items && stored.pages === pages;
    yield* assert(isEqual, "the counts of the file differ");
    const end = ended === "caughtUp" ? "caught up" : `the first ${pages} pages`;
    return {
      result: `${end} at ${number(Math.round(pages / seconds))} pages a second; SQL counts the same`,
      counts: {
        changes: rows,
        "stashes listed": stored?.rows ?? 0,
        "items in stashes": stored?.items ?? 0,
      },
    };
  }),
};
