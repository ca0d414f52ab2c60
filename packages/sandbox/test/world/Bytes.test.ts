/**
 * Guards the bytes of the generated world: the same seed gives the same world, release after
 * release. A change of a hash is a change for users and needs a changeset.
 */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { GameOneRealm, Realm } from "../../src/world/Realm.ts";
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
  ["50 stream pages of pc", pagesOf("pc"), "623264626ad201c0825a4ee9195d5028"],
  ["50 stream pages of console_a", pagesOf("console_a"), "f13f188dadb5d25500060cf42696cf66"],
  ["50 stream pages of console_b", pagesOf("console_b"), "102d2de6f16144c78bedbd4fe04d5265"],
  ["20 characters of pc", charactersOf("pc"), "4fa5b90ce54b26378496bb2c457c324e"],
  ["20 characters of console_a", charactersOf("console_a"), "9d08c7566ca704f1130cc75a0e4e7048"],
  ["20 characters of console_b", charactersOf("console_b"), "f1705cf7df61b6830995966b6e173812"],
  ["20 characters of game2", charactersOf("game2"), "94547090f0111292728f190113cc2a17"],
  ["five ladders of pc", laddersOf("pc"), "a172917f0757f8b6aec3543b59f3b686"],
  ["five ladders of console_a", laddersOf("console_a"), "0b63edc6f623f9c594b5e535d23b94cb"],
  ["five ladders of console_b", laddersOf("console_b"), "9e3060424734918ab22c2be03d2cd1e7"],
  ["24 exchange hours of pc", hoursOf("pc"), "632de9499bf186476b85ad96fab25793"],
  ["24 exchange hours of console_a", hoursOf("console_a"), "437a3cbf861ee2589f69db27cf72a26f"],
  ["24 exchange hours of console_b", hoursOf("console_b"), "c2234a4d4ae680bcc89760798dc2b473"],
  ["24 exchange hours of game2", hoursOf("game2"), "737dcf749a640761c2a6d99f57085dee"],
  ["the stash tabs of pc", tabsOf("pc"), "1e053474252f82bb505f2a037a5099fb"],
  ["the stash tabs of console_a", tabsOf("console_a"), "4c03cd7ed75e658aaf8917c8ea9c5531"],
  ["the stash tabs of console_b", tabsOf("console_b"), "1a935ff589627313d5557dff0fd064c9"],
])("the world of seed 1 keeps the bytes of %s", (_, values, hash) => {
  expect(hashOf(values)).toBe(hash);
});
