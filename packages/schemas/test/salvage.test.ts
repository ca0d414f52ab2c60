import { once as nextOf } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { Guild, Item, PublicStashPage, RecordError, StashTab } from "../src/index.ts";
import { Reject, salvage, salvageEach, salvageExchange } from "../src/plain/salvage.ts";
import { item, listed, market, unlisted } from "./support.ts";

const bad = { ...item, w: "2" };
const page = {
  next_change_id: "1-2-3",
  later: true,
  stashes: [
    listed,
    { ...listed, items: [item, bad, { ...item, h: -1 }] },
    unlisted,
    7,
    { ...listed, stashType: 1, items: [bad] },
  ],
};
const places = (rejects: Iterable<Reject>) =>
  [...rejects].map(
    ({ pointer, record, issues }) =>
      `${record} ${pointer} ${issues.map((issue) => issue.pointer).join()}`,
  );

describe("salvage", () => {
  it("gives the good changes themselves and refuses the others as a whole", () => {
    expect(PublicStashPage.is(page)).toBe(false);
    const salvaged = salvage(page);
    expect(salvaged.next_change_id).toBe("1-2-3");
    expect(salvaged.size).toBe(5);
    const all = [...salvaged];
    expect(all.map(({ value }) => value)).toEqual([
      listed,
      undefined,
      unlisted,
      undefined,
      undefined,
    ]);
    expect(all[0]?.value).toBe(page.stashes[0]);
    expect(all.flatMap(({ rejects }) => places(rejects))).toEqual([
      "PublicStashChange /stashes/1 /items/1/w",
      "PublicStashChange /stashes/3 ",
      "PublicStashChange /stashes/4 /stashType",
    ]);
    expect([...all[1]!.rejects][0]?.value).toBe(page.stashes[1]);
  });

  it("leaves refused items out of a copy when the grain is the item", () => {
    const [, second, , fourth, fifth] = [...salvage(page, { grain: "item", issues: 3 })];
    expect(second?.value).toEqual({ ...listed, items: [item] });
    expect(places(second!.rejects)).toEqual([
      "Item /stashes/1/items/1 /w",
      "Item /stashes/1/items/2 /h",
    ]);
    expect(second?.rejects).toHaveLength(2);
    expect([...second!.rejects][0]?.value).toBe(bad);
    expect(page.stashes[1]).toMatchObject({ items: [item, bad, { h: -1 }] });
    expect(fourth?.value).toBeUndefined();
    // Its items are left out, and something else is wrong: that alone is named.
    expect(fifth?.value).toBeUndefined();
    expect(places(fifth!.rejects)).toEqual(["PublicStashChange /stashes/4 /stashType"]);
    const { stashType: _, ...without } = { ...listed, items: [bad] };
    const [absent] = [...salvage({ ...page, stashes: [without] }, { grain: "item", issues: 3 })];
    expect(places(absent!.rejects)).toEqual(["PublicStashChange /stashes/0 /stashType"]);
  });

  it("refuses what a getter or a proxy throws for, and tells nothing of it", () => {
    const thrower = (name: string) =>
      Object.defineProperty({ next_change_id: "1", stashes: [] }, name, {
        enumerable: true,
        get: () => {
          throw new Error("s3cr3t");
        },
      });
    const gone = Proxy.revocable({}, {});
    gone.revoke();
    for (const thrown of [thrower("next_change_id"), thrower("stashes"), gone.proxy])
      expect(() => salvage(thrown)).toThrow(RecordError);
    for (const grain of ["change", "item"] as const) {
      const broken = { ...listed, items: gone.proxy };
      const mixed = { next_change_id: "1", stashes: [thrower("id"), gone.proxy, broken, unlisted] };
      const found = [...salvage(mixed, { grain })];
      expect(found.map(({ rejects }) => rejects.length)).toEqual([1, 1, 1, 0]);
      expect(
        JSON.stringify(found.flatMap(({ rejects }) => [...rejects].map(({ issues }) => issues))),
      ).not.toContain("s3cr3t");
    }
  });

  it("holds no reject: those of a million items are gone through in 64 MB", async () => {
    const work = async (module: string) => {
      const { salvage: read } = (await import(module)) as { salvage: typeof salvage };
      const items: unknown = JSON.parse(`[${"1,".repeat(999_999)}1]`);
      const change = { id: "a", public: true, stashType: "x", items };
      for (const { rejects } of read({ next_change_id: "1", stashes: [change] }, { grain: "item" }))
        for (const { pointer } of rejects)
          if (pointer === "/stashes/0/items/999999") process.exitCode = 7;
    };
    const module = JSON.stringify(new URL("../src/plain/salvage.ts", import.meta.url).href);
    const resourceLimits = { maxOldGenerationSizeMb: 64 };
    const worker = new Worker(`(${work})(${module})`, { eval: true, resourceLimits });
    expect(await nextOf(worker, "exit")).toEqual([7]);
  }, 60_000);

  it("refuses a grain that is none by its name", () => {
    for (const grain of ["items", "constructor", null, 1])
      expect(() => salvage(page, { grain } as object)).toThrow(
        /^Invalid grain: expected "change" or "item", got/u,
      );
  });

  it("reads the elements of a list, and throws for what is none", () => {
    for (const list of [{}, undefined, null, { length: 3 }, "abc"])
      expect(() => [...salvageEach(Guild, list as never)]).toThrow(
        /^Invalid list of Guild: expected array/u,
      );
  });

  it("throws for the envelope alone", () => {
    for (const [value, pointer] of [
      [null, ""],
      [[], ""],
      [{ stashes: [] }, "/next_change_id"],
      [{ next_change_id: 1, stashes: [bad] }, "/next_change_id"],
      [{ next_change_id: "1", stashes: {} }, "/stashes"],
      [{ next_change_id: "1" }, "/stashes"],
    ] as const) {
      const error = (() => {
        try {
          return salvage(value);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).toBeInstanceOf(RecordError);
      expect((error as RecordError).issues.map((issue) => issue.pointer)).toEqual([pointer]);
    }
  });

  it("explains a reject when its issues are read, with one issue at least", () => {
    let reads = 0;
    const wrong = {
      ...unlisted,
      id: 7,
      get stash() {
        reads += 1;
        return 7;
      },
    };
    const options = [undefined, 0, 5].map((issues) => ({ issues }));
    for (const { issues } of options) {
      const [one] = [...salvage({ next_change_id: "1", stashes: [wrong] }, { issues })];
      const unread = reads;
      const [reject] = one!.rejects;
      expect([reject?.pointer, reject?.record, reads]).toEqual([
        "/stashes/0",
        "PublicStashChange",
        unread,
      ]);
      expect(reject?.issues).toHaveLength(issues === 5 ? 2 : 1);
      expect(reads).toBeGreaterThan(unread);
      expect(reject?.issues).toBe(reject?.issues);
      expect(JSON.parse(JSON.stringify(reject)).issues[0]).toMatchObject({ pointer: "/id" });
    }
  });

  it("looks at a change when it is asked for, and not before", () => {
    let reads = 0;
    const watched = Array.from({ length: 100 }, () => ({
      ...unlisted,
      get id() {
        reads += 1;
        return unlisted.id;
      },
    }));
    const iterator = salvage({ next_change_id: "1", stashes: watched })[Symbol.iterator]();
    expect(reads).toBe(0);
    expect(iterator.next().value?.rejects).toEqual([]);
    const once = reads;
    iterator.next();
    expect(reads).toBe(2 * once);
  });

  it("reads each element the same number of times, however many are refused", () => {
    const reads = (count: number) => {
      let total = 0;
      const element = new Proxy(
        { id: 7 },
        {
          get: (target, key) => {
            total += 1;
            return Reflect.get(target, key) as unknown;
          },
        },
      );
      const stashes = Array.from({ length: count }, () => element);
      for (const { rejects } of salvage({ next_change_id: "1", stashes }))
        expect(rejects).toHaveLength(1);
      return total;
    };
    expect(reads(2000)).toBe(10 * reads(200));
  });

  it("makes nothing for an unread reject but the reject: no text, no explanation, no accessor", () => {
    const [found] = salvage({ next_change_id: "1", stashes: [{ id: 7 }] });
    const [reject] = found!.rejects;
    expect(Object.keys(reject!)).toEqual(["value"]);
    expect(reject).toBeInstanceOf(Reject);
  });
});

describe("salvageEach", () => {
  it("reads the list of any response, parts of records included", () => {
    const tab = { id: "0123456789", name: "1", type: "NormalStash", metadata: {} };
    const tabs = [tab, { ...tab, items: [item, bad] }, { ...tab, id: 1 }];
    const all = [...salvageEach(StashTab, tabs, { pointer: "/stashes", parts: { items: Item } })];
    expect(all.map(({ value }) => value)).toEqual([tab, { ...tab, items: [item] }, undefined]);
    expect(all.flatMap(({ rejects }) => places(rejects))).toEqual([
      "Item /stashes/1/items/1 /w",
      "StashTab /stashes/2 /id",
    ]);
  });
});

describe("salvageExchange", () => {
  it("reads a page of the exchange market by market", () => {
    const salvaged = salvageExchange({
      next_change_id: 3600,
      markets: [market, { ...market, lowest_stock: { chaos: -1 } }],
    });
    expect([salvaged.next_change_id, salvaged.size]).toEqual([3600, 2]);
    const [first, second] = [...salvaged];
    expect(first).toEqual({ value: market, rejects: [] });
    expect(places(second!.rejects)).toEqual(["Market /markets/1 /lowest_stock/chaos"]);
    expect(() => salvageExchange({ next_change_id: "3600", markets: [] })).toThrow(RecordError);
  });
});
