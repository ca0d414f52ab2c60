/**
 * Guards the bytes of the generated world: the same seed gives the same world, release after
 * release. A change of a hash is a change for users and needs a changeset.
 */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { REALMS } from "../../src/world/Realm.ts";
import type { GameOneRealm } from "../../src/world/Realm.ts";
import { ACCOUNTS, WORLD_START, makeWorld } from "./helpers.ts";

const hashOf = (values: Iterable<unknown>): string => {
  const hash = createHash("sha256");
  for (const value of values) hash.update(JSON.stringify(value) + "\n");
  return hash.digest("hex").slice(0, 32);
};

const GAME_ONE: ReadonlyArray<GameOneRealm> = ["pc", "console_a", "console_b"];
const { world } = makeWorld(1);

describe("the world of seed 1", () => {
  it.each(GAME_ONE)("keeps the bytes of 50 stream pages of %s", (realm) => {
    const stream = world.stream(realm);
    let position = 0;
    const pages = Array.from({ length: 50 }, () => {
      const page = stream.page(position, WORLD_START);
      position += page.stashes.length;
      return page;
    });
    expect(hashOf(pages)).toBe(PAGES[realm]);
  });

  it.each(REALMS)("keeps the bytes of 20 characters of %s", (realm) => {
    const characters = ACCOUNTS.flatMap(({ uuid }) =>
      world.characters(uuid, realm).map(({ name }) => world.character(uuid, realm, name)),
    ).slice(0, 20);
    expect(characters.length).toBeGreaterThan(0);
    expect(hashOf(characters)).toBe(CHARACTERS[realm]);
  });

  it.each(GAME_ONE)("keeps the bytes of five ladders of %s", (realm) => {
    const league = world.league(realm, "Standard")!;
    const ladders = (["xp", "depth", "depthsolo", "time", "score"] as const).map((sort) =>
      world.ladders.page(league, realm, sort, { offset: 40, limit: 60 }),
    );
    expect(hashOf(ladders)).toBe(LADDERS[realm]);
  });

  it.each(REALMS)("keeps the bytes of 24 exchange hours of %s", (realm) => {
    const first = world.exchange.firstHour(WORLD_START);
    const hours = Array.from({ length: 24 }, (_, index) =>
      world.exchange.answer(realm, first + index * 3600, WORLD_START),
    );
    expect(hashOf(hours)).toBe(HOURS[realm]);
  });

  it.each(GAME_ONE)("keeps the bytes of the stash tabs of %s", (realm) => {
    const { uuid } = ACCOUNTS[0]!;
    const tabs = world
      .stashes({ account: uuid, realm, league: "Standard" })
      .map(({ id }) => world.stash({ account: uuid, realm, league: "Standard" }, id));
    expect(hashOf(tabs)).toBe(TABS[realm]);
  });
});

const PAGES = {
  pc: "623264626ad201c0825a4ee9195d5028",
  console_a: "f13f188dadb5d25500060cf42696cf66",
  console_b: "102d2de6f16144c78bedbd4fe04d5265",
};
const CHARACTERS = {
  pc: "4fa5b90ce54b26378496bb2c457c324e",
  console_a: "9d08c7566ca704f1130cc75a0e4e7048",
  console_b: "f1705cf7df61b6830995966b6e173812",
  game2: "94547090f0111292728f190113cc2a17",
};
const LADDERS = {
  pc: "a172917f0757f8b6aec3543b59f3b686",
  console_a: "0b63edc6f623f9c594b5e535d23b94cb",
  console_b: "9e3060424734918ab22c2be03d2cd1e7",
};
const HOURS = {
  pc: "fdbcb954209ed7a0cc13f6a962cc10e1",
  console_a: "afc516fa887c0fe4d7c34c4a569457da",
  console_b: "71a9ac18b13366688108db14a73f2999",
  game2: "f00f248479b5301b2c170ae13641fc80",
};
const TABS = {
  pc: "1e053474252f82bb505f2a037a5099fb",
  console_a: "4c03cd7ed75e658aaf8917c8ea9c5531",
  console_b: "1a935ff589627313d5557dff0fd064c9",
};
