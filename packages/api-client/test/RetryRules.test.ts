import { Effect, Stream } from "effect";
import { expect, it } from "vitest";
import type { FilterCreate } from "@game-data/contract";
import { ladderEntries, pushFilter } from "../src/internal/helpers.ts";
import { judge } from "../src/internal/judge.ts";
import { limitRouteOf } from "../src/internal/Operations.ts";

it("a browser's hidden redirect is a redirect", () => {
  const about = { operation: "o", route: "GET /x", attempts: 1 };
  const refused = {
    status: 0,
    headers: {},
    body: "",
    now: 0,
    retryAfter: undefined,
    scopesNeeded: [],
    scopesGranted: undefined,
  };
  expect(judge(about, refused)).toMatchObject({ _tag: "Transport", phase: "redirect" });
});

it("a filter that is pushed as private says nothing of that to one that exists", async () => {
  const said: Array<unknown> = [];
  const existing = { id: "1", filter_name: "F", realm: "pc" } as never;
  const push = pushFilter({
    list: () => Effect.succeed([existing]),
    create: () => Effect.die("created"),
    update: (id, changes) => {
      said.push([id, changes]);
      return Effect.succeed({ status: "updated" as const, filter: existing });
    },
  });
  const filter: FilterCreate = { filter_name: "F", realm: "pc", filter: "Show" };
  await Effect.runPromise(push({ ...filter, public: false }));
  await Effect.runPromise(push({ ...filter, public: true }));
  expect(said).toEqual([
    ["1", filter],
    ["1", { ...filter, public: true }],
  ]);
});

it("a ladder ends with the 15 000 entries that it shows, whatever its total says", async () => {
  const offsets: Array<number> = [];
  const entries = ladderEntries(({ offset = 0 }: { offset?: number; limit?: number }) => {
    offsets.push(offset);
    return Effect.succeed({ total: 90_000, entries: Array.from({ length: 500 }, () => offset) });
  }, 500);
  await Effect.runPromise(Stream.runDrain(entries({ offset: 14_000 })));
  expect(offsets).toEqual([14_000, 14_500]);
});

it("the two games have limits of their own, and consoles share those of their game", () => {
  expect(["pc", "console_a", undefined, "game2"].map((realm) => limitRouteOf("r", realm))).toEqual([
    "r",
    "r",
    "r",
    "r game2",
  ]);
});
