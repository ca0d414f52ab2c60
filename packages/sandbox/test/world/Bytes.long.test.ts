/**
 * Guards the bytes of the generated world: the same seed gives the same world, release after
 * release. A change of a hash is a change for users and needs a changeset; with `-u` vitest writes it
 * into `__snapshots__`.
 */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { GameOneRealm, Realm } from "../../src/world/Leagues.ts";
import { ACCOUNTS, WORLD_START, makeWorld } from "./helpers.ts";

const hashOf = (values: Iterable<unknown>): string => {
  const hash = createHash("sha256");
  for (const value of values) hash.update(JSON.stringify(value) + "\n");
  return hash.digest("hex").slice(0, 32);
};

const { world } = makeWorld(1);

const pagesOf = (realm: GameOneRealm) => {
  const stream = world.stream(realm);
  let position = 0;
  return Array.from({ length: 50 }, () => {
    const page = stream.page(position, WORLD_START);
    position += page.stashes.length;
    return page;
  });
};

const charactersOf = (realm: Realm) =>
  ACCOUNTS.flatMap(({ uuid }) =>
    world.characters(uuid, realm).map(({ name }) => world.character(uuid, realm, name)),
  ).slice(0, 20);

const laddersOf = (realm: GameOneRealm) =>
  (["xp", "depth", "depthsolo", "time", "score"] as const).map((sort) =>
    world.ladders.page(world.league(realm, "Standard")!, realm, sort, { offset: 40, limit: 60 }),
  );

const hoursOf = (realm: Realm) => {
  const first = world.exchange.firstHour(WORLD_START);
  return Array.from({ length: 24 }, (_, index) =>
    world.exchange.answer(realm, first + index * 3600, WORLD_START),
  );
};

const tabsOf = (realm: GameOneRealm) => {
  const place = { account: ACCOUNTS[0]!.uuid, realm, league: "Standard" };
  return world.stashes(place).map(({ id }) => world.stash(place, id));
};

it.each([
  ["50 stream pages of pc", pagesOf("pc")],
  ["50 stream pages of console_a", pagesOf("console_a")],
  ["50 stream pages of console_b", pagesOf("console_b")],
  ["20 characters of pc", charactersOf("pc")],
  ["20 characters of console_a", charactersOf("console_a")],
  ["20 characters of console_b", charactersOf("console_b")],
  ["20 characters of game2", charactersOf("game2")],
  ["five ladders of pc", laddersOf("pc")],
  ["five ladders of console_a", laddersOf("console_a")],
  ["five ladders of console_b", laddersOf("console_b")],
  ["24 exchange hours of pc", hoursOf("pc")],
  ["24 exchange hours of console_a", hoursOf("console_a")],
  ["24 exchange hours of console_b", hoursOf("console_b")],
  ["24 exchange hours of game2", hoursOf("game2")],
  ["the stash tabs of pc", tabsOf("pc")],
  ["the stash tabs of console_a", tabsOf("console_a")],
  ["the stash tabs of console_b", tabsOf("console_b")],
])("the world of seed 1 keeps the bytes of %s", (_, values) => {
  expect(hashOf(values)).toMatchSnapshot();
});
