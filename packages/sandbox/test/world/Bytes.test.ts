/**
 * Guards the bytes of the generated world: the same seed gives the same world, release after
 * release. A change of a hash is a change for users and needs a changeset.
 */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { REALMS } from "../../src/world/Realm.ts";
import type { GameOneRealm } from "../../src/world/WorldModel.ts";
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
      .stashes(uuid, realm, "Standard")
      .map(({ id }) => world.stash(uuid, realm, "Standard", id));
    expect(hashOf(tabs)).toBe(TABS[realm]);
  });
});

const PAGES = {
  pc: "3ff6b09fb6e247abcb78481f35038e50",
  console_a: "8f5b1b136e37e927049ac850bd91e000",
  console_b: "5ddb3d80f0609a0927710fd67f2e64f3",
};
const CHARACTERS = {
  pc: "bcebefd1caabb487ddf616fec1c7e019",
  console_a: "79d9165ede239af50d776078c92b7f7c",
  console_b: "d0ca6c9fa69a03472bf09718aa38dd42",
  game2: "66eb9f0d06672a5517bd9ed977c44aa8",
};
const LADDERS = {
  pc: "08301b0c51728228ecc84c5641e878e3",
  console_a: "7c4c8520267b7a22ce0a146dcff4f8d8",
  console_b: "7c714d74812e34d74d6f17042c94c09c",
};
const HOURS = {
  pc: "c9ae489d9d74d973cc501b1090f354e5",
  console_a: "0f38377cc2dd42645a999ee3b4aeca35",
  console_b: "1df17f93b20a1b35557ca0a47e9c899f",
  game2: "a9faf570fde6986a1e3006e1c854df7a",
};
const TABS = {
  pc: "b7d55a722e3ce2dfdca30b170ac78808",
  console_a: "573f1ef6d7be9df5d73b00bd0046d839",
  console_b: "dd1d74b7332e8b450f0691db770c5554",
};
