import { describe, expect, it } from "vitest";
import { LruCache } from "../../src/internal/LruCache.ts";
import { changeIdOf, positionOf } from "../../src/world/ChangeIds.ts";
import { LARGE_PAGES, resolveSizes } from "../../src/world/Sizes.ts";
import { WORLD_START, makeWorld } from "./helpers.ts";

describe("change ids", () => {
  it("lead back to their position, under their own key alone", () => {
    for (const position of [0, 1, 149, 150, 3000, 65_535, 65_536, 4_000_000]) {
      const id = changeIdOf("key", position);
      expect(id).toMatch(/^\d+(?:-\d+){4}$/u);
      expect(positionOf("key", id)).toBe(position);
      expect(positionOf("other", id)).toBeUndefined();
    }
  });

  it("say nothing about their order", () => {
    const firsts = Array.from({ length: 50 }, (_, position) =>
      Number(changeIdOf("key", position).split("-")[0]),
    );
    const rising = firsts.filter((first, index) => index > 0 && first > firsts[index - 1]!).length;
    expect(rising).toBeGreaterThan(10);
    expect(rising).toBeLessThan(40);
    expect(new Set(firsts).size).toBe(50);
  });
});

describe("the bounded cache", () => {
  it("forgets what was not used for longest", () => {
    const cache = new LruCache<number>(2);
    const made: Array<string> = [];
    const get = (key: string) =>
      cache.get(key, () => {
        made.push(key);
        return made.length;
      });
    for (const key of ["a", "b", "a", "c", "a", "b"]) get(key);
    expect(made).toEqual(["a", "b", "c", "b"]);
    expect(cache.known("c")).toBeUndefined();
  });
});

describe("sizes", () => {
  it("have defaults and least values", () => {
    const defaults = { streamStashes: 400, streamPageSize: 150, ladderSize: 20_000 };
    expect(resolveSizes({})).toMatchObject(defaults);
    const small = { streamStashes: 0, streamPageSize: 0.5, exchangeKeepHours: -3 };
    const least = { streamStashes: 16, streamPageSize: 1, exchangeKeepHours: 1 };
    expect(resolveSizes(small)).toMatchObject(least);
  });

  it("can give pages of about 5 MB", () => {
    const { world } = makeWorld(1, LARGE_PAGES);
    const bytes = JSON.stringify(world.stream("pc").page(0, WORLD_START)).length;
    expect(bytes).toBeGreaterThan(4_000_000);
    expect(bytes).toBeLessThan(7_000_000);
  });
});

describe("the stash stream's changes", () => {
  it("bring each stash once in a round", () => {
    const stream = makeWorld().world.stream("pc");
    for (const round of [0, 3]) {
      const ids = Array.from({ length: 400 }, (_, place) => stream.change(round * 400 + place).id);
      expect(new Set(ids).size).toBe(400);
    }
  });

  it("stand still when nobody changes anything", () => {
    const { world } = makeWorld(1, { streamChangesPerMinute: 0 });
    expect(world.stream("pc").visible(WORLD_START + 86_400_000)).toBe(3000);
    expect(world.stream("pc").madeAt(3000)).toBe(Infinity);
  });
});
