/** The cost of deep and long values, and the bound on them. */
import { Cause, Exit, Schema } from "effect";
import { describe, expect, it } from "vitest";
import * as Drift from "../src/Drift.ts";
import { Character, Item, League, PublicStashPage, StashTab } from "../src/effect/index.ts";
import { MAX_DEPTH } from "../src/plain/depth.ts";
import { character, item, listed } from "./support.ts";

describe("Depth", () => {
  const nestItems = (levels: number): unknown => {
    let value: unknown = item;
    for (let level = 0; level < levels; level++) value = { ...item, socketedItems: [value] };
    return value;
  };
  const nestTabs = (levels: number): unknown => {
    const tab = { id: "", name: "", type: "", metadata: {} };
    let value: unknown = tab;
    for (let level = 0; level < levels; level++) value = { ...tab, children: [value] };
    return value;
  };

  it("is bounded for items and tabs, at the same level for all readers", () => {
    for (const [schema, nest] of [
      [Item, nestItems],
      [StashTab, nestTabs],
    ] as const) {
      expect(Schema.is(schema)(nest(MAX_DEPTH))).toBe(true);
      expect(Drift.typeErrors(schema, nest(MAX_DEPTH))).toEqual([]);
      expect(Schema.is(schema)(nest(MAX_DEPTH + 1))).toBe(false);
      expect(Drift.typeErrors(schema, nest(MAX_DEPTH + 1))).toHaveLength(1);
    }
  });

  it("of 5 000 is refused with a pointer, without exhausting the stack", () => {
    const deep = nestItems(5000);
    const pointer = "/socketedItems/0".repeat(MAX_DEPTH + 1);
    expect(Drift.typeErrors(Item, deep).map((one) => one.pointer)).toEqual([pointer]);
    for (const [schema, value] of [
      [Item, deep],
      [PublicStashPage, { next_change_id: "", stashes: [{ ...listed, items: [deep] }] }],
      [Character, { ...character, equipment: [deep] }],
      [StashTab, nestTabs(5000)],
      [Schema.toType(Item), deep],
      [Schema.Array(Item), [deep]],
    ] as ReadonlyArray<readonly [Schema.Codec<unknown>, unknown]>) {
      const exit = Schema.decodeUnknownExit(schema)(value);
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("levels of nesting");
    }
  });

  it("of unknown members is nobody's concern", () => {
    const text = `{"id":"x","later":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    const value: unknown = JSON.parse(text);
    expect(Schema.decodeUnknownSync(League)(value)).toBe(value);
  });
});

describe("Work", () => {
  /** Counts the members that a reader looks at. */
  const counting = (value: unknown, counter: { reads: number }): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const copy = Array.isArray(value)
      ? value.map((element) => counting(element, counter))
      : Object.fromEntries(
          Object.entries(value).map(([key, member]) => [key, counting(member, counter)]),
        );
    return new Proxy(copy, {
      get: (target, key, receiver) => {
        counter.reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
  };
  const reads = (value: unknown): number => {
    const counter = { reads: 0 };
    const exit = Schema.decodeUnknownExit(PublicStashPage)(counting(value, counter));
    expect(Exit.isFailure(exit)).toBe(true);
    return counter.reads;
  };
  const bad = { ...item, ilvl: "84" };

  it("grows in line with the size of a page whose last item is refused", () => {
    const page = (count: number) => ({
      next_change_id: "",
      stashes: [{ ...listed, items: [...Array.from({ length: count }, () => item), bad] }],
    });
    expect(reads(page(800))).toBeLessThan(2.2 * reads(page(400)));
  });

  it("grows in line with the size of deep and wide nests", () => {
    const nest = (width: number): unknown => {
      let value: unknown = bad;
      for (let level = 0; level < 16; level++) {
        const others = Array.from({ length: width }, () => item);
        value = { ...item, socketedItems: [...others, value] };
      }
      return { next_change_id: "", stashes: [{ ...listed, items: [value] }] };
    };
    expect(reads(nest(80))).toBeLessThan(2.2 * reads(nest(40)));
  });
});
