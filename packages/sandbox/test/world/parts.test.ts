import { describe, expect, it } from "vitest";
import { changeIdOf } from "../../src/world/ChangeIds.ts";
import { LARGE_PAGES } from "../../src/world/Sizes.ts";
import { WORLD_START, makeWorld } from "./helpers.ts";

describe("change ids", () => {
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

describe("sizes", () => {
  it("can give pages of about 5 MB", () => {
    const { world } = makeWorld(1, LARGE_PAGES);
    const bytes = JSON.stringify(world.stream("pc").page(0, WORLD_START)).length;
    expect(bytes).toBeGreaterThan(4_000_000);
    expect(bytes).toBeLessThan(7_000_000);
  });
});

describe("the stash stream's changes", () => {
  it("stand still when nobody changes anything", () => {
    const { world } = makeWorld(1, { streamChangesPerMinute: 0 });
    expect(world.stream("pc").visible(WORLD_START + 86_400_000)).toBe(3000);
    expect(world.stream("pc").madeAt(3000)).toBe(Infinity);
  });
});
