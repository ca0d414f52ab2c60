/** The bodies of all reading endpoints, held against the specification. */
import { bodies } from "@game-data/contract/results";
import { type Route, routes } from "@game-data/contract/routes";
import { expect, it } from "vitest";
import { departures, openData, textsOf } from "./harness.ts";

const sandbox = await openData({ world: { streamPageSize: 10, ladderSize: 100 } });

// `world/coverage.long.test.ts` walks through all of the world.
it("every response of the data API conforms to the specification [DA-05] [DA-07]", async () => {
  for (const [path, [name, text]] of await textsOf(sandbox, {
    realms: ["pc", "game2"],
    pages: 1,
    most: 1,
  })) {
    const body = JSON.parse(text) as unknown;
    expect.soft(departures(name, body), path).toEqual([]);
    const record = bodies[(routes[name] as Route).results[200] as "Profile"];
    expect.soft(record.safeDecode(body), path).toMatchObject({ ok: true });
  }
});

it("the response to a created filter conforms to the specification", async () => {
  const draft = { filter_name: "Test", realm: "game2", filter: "Show\n" };
  const { body } = await sandbox.post("/item-filter?validate=true", draft);
  expect(departures("itemFilters.create", body)).toEqual([]);
});
