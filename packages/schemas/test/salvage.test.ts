import { expect, it } from "vitest";
import { Guild, Item, PublicStashPage, RecordError, StashTab } from "../src/index.ts";
import { type Reject, salvage, salvageEach, salvageExchange } from "../src/salvage.ts";
import { item, listed, market, unlisted } from "./support.ts";

const bad = { ...item, w: "2" };
const page = {
  next_change_id: "1-2-3",
  later: true,
  stashes: [
    listed,
    { ...listed, items: [item, bad, { ...item, w: "2", h: -1 }] },
    unlisted,
    7,
    { ...listed, stashType: 1, items: [bad] },
  ],
};
const pointers = (all: ReadonlyArray<{ readonly pointer: string }>) =>
  all.map(({ pointer }) => pointer);
const places = (rejects: Iterable<Reject>) =>
  [...rejects].map((one) => `${one.record} ${one.pointer} ${pointers(one.issues).join()}`);
const pageOf = (...stashes: ReadonlyArray<unknown>) => ({ next_change_id: "1", stashes });
it("salvage returns the valid changes themselves, and refuses the others as a whole", () => {
  expect(PublicStashPage.is(page)).toBe(false);
  const salvaged = salvage(page);
  expect([salvaged.next_change_id, salvaged.size]).toEqual(["1-2-3", 5]);
  const all = [...salvaged];
  const good = [listed, undefined, unlisted, undefined, undefined];
  expect(all.map(({ value }) => value)).toEqual(good);
  expect(all[0]?.value).toBe(page.stashes[0]);
  expect(all.flatMap(({ rejects }) => places(rejects))).toEqual([
    "PublicStashChange /stashes/1 /items/1/w",
    "PublicStashChange /stashes/3 ",
    "PublicStashChange /stashes/4 /stashType",
  ]);
  expect([...all[1]!.rejects][0]?.value).toBe(page.stashes[1]);
});

it("salvage with the grain `item` returns a copy of a change without its refused items", () => {
  const [, second, , fourth, fifth] = [...salvage(page, { grain: "item", issues: 3 })];
  expect(second?.value).toEqual({ ...listed, items: [item] });
  expect(places(second!.rejects)).toEqual([
    "Item /stashes/1/items/1 /w",
    "Item /stashes/1/items/2 /w,/h",
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

it("salvage returns a rejected value as it arrived, even if the page is changed later", () => {
  const change = { ...listed, items: [{ ...item }, 1, 2] };
  const [found] = salvage(pageOf(change), { grain: "item" });
  const { rejects, value } = found!;
  Object.assign(value!.items![0]!, { w: "x" });
  change.items.length = 0;
  expect(rejects).toHaveLength(2);
  const refused = [1, 2].map((index) => ({ pointer: `/stashes/0/items/${index}`, value: index }));
  expect([...rejects]).toMatchObject(refused);
  expect(JSON.parse(JSON.stringify(rejects))).toMatchObject(refused);
  const [good, other] = salvage(pageOf(unlisted, 7));
  expect(JSON.stringify([good?.rejects, other?.rejects])).toMatch(/^\[\[\],\[\{/u);
});

it("salvage refuses a change with more than 1000 refused items as a whole", () => {
  const change = (count: number) => ({ ...listed, items: Array.from({ length: count }, () => 1) });
  const [kept, refused] = [...salvage(pageOf(change(1000), change(1001)), { grain: "item" })];
  expect([kept?.value?.items, kept?.rejects.length]).toEqual([[], 1000]);
  expect(places(refused!.rejects)).toEqual(["PublicStashChange /stashes/1 /items/0"]);
});

it("salvage refuses a value whose getter throws, with a typed error", () => {
  const fail = () => {
    throw new Error("secret-4711");
  };
  const broken = (of: object, name: string) =>
    Object.defineProperty({ ...of, id: 7 }, name, { get: fail, enumerable: true });
  for (const name of ["items", "league"]) {
    const [reject] = [...salvage(pageOf(broken(listed, name)), { grain: "item" })];
    expect([reject?.value, reject?.rejects.length]).toEqual([undefined, 1]);
    expect(places(reject!.rejects)).toEqual(["PublicStashChange /stashes/0 /id"]);
  }
  expect(() => salvage(broken(page, "stashes"))).toThrow(RecordError);
  expect(salvage(broken(page, "later")).size).toBe(5);
  const list = new Proxy([listed], {
    get: (of, key) => (key === "0" ? fail() : Reflect.get(of, key)),
  });
  expect([...salvage({ next_change_id: "1", stashes: list })]).toMatchObject([{ rejects: [{}] }]);
});

it("salvage refuses an unknown grain, and salvageEach refuses a value that is not a list", () => {
  const grains = /^Invalid grain: expected "change" or "item", got/u;
  for (const grain of ["items", "constructor", null, 1])
    expect(() => salvage(page, { grain } as object)).toThrow(grains);
  for (const list of [{}, undefined, null, { length: 3 }, "abc"] as ReadonlyArray<any>)
    expect(() => [...salvageEach(Guild, list)]).toThrow(/^Invalid list: expected array/u);
});

it.each([
  [null, ""],
  [[], ""],
  [{ stashes: [] }, "/next_change_id"],
  [{ next_change_id: 1, stashes: [bad] }, "/next_change_id"],
  [{ next_change_id: "1", stashes: {} }, "/stashes"],
  [{ next_change_id: "1" }, "/stashes"],
])("salvage throws RecordError for a wrong page around the changes: %j", (value, pointer) => {
  const issues = [expect.objectContaining({ pointer })];
  expect(() => salvage(value)).toThrow(RecordError);
  expect(() => salvage(value)).toThrow(expect.objectContaining({ issues }));
});

it("salvage explains a reject when its issues are read, and names at least one issue", () => {
  let reads = 0;
  const get = () => (reads += 1) && 7;
  const wrong = Object.defineProperty({ ...unlisted, id: 7 }, "stash", { get, enumerable: true });
  for (const issues of [undefined, 0, 5]) {
    const [one] = [...salvage(pageOf(wrong), { issues })];
    const unread = reads;
    const [reject] = one!.rejects;
    expect(reject).toMatchObject({ pointer: "/stashes/0", record: "PublicStashChange" });
    expect(reads).toBe(unread);
    expect(reject?.issues).toHaveLength(issues === 5 ? 2 : 1);
    expect(reads).toBeGreaterThan(unread);
    expect(reject?.issues).toBe(reject?.issues);
    expect(JSON.parse(JSON.stringify(reject)).issues[0]).toMatchObject({ pointer: "/id" });
  }
});

it("salvage checks a change when the caller reaches it, even if all changes are refused", () => {
  const reads = { count: 0 };
  const get = () => (reads.count += 1);
  const element = Object.defineProperty({}, "id", { get });
  const ofPage = (count: number) => {
    reads.count = 0;
    const changes = salvage(pageOf(...Array.from({ length: count }, () => element)));
    expect(reads.count).toBe(0);
    for (const { rejects } of changes) expect(rejects).toHaveLength(1);
    return reads.count;
  };
  expect(ofPage(2000)).toBe(10 * ofPage(200));
  const iterator = salvage(pageOf(element, element, element))[Symbol.iterator]();
  reads.count = 0;
  iterator.next();
  const once = reads.count;
  iterator.next();
  expect(reads.count).toBe(2 * once);
});

it("salvageEach salvages any list of records, and the lists inside its records", () => {
  const tab = { id: "0123456789", name: "1", type: "NormalStash", metadata: {} };
  const parted = { ...tab, items: [item, bad], children: [7, tab] };
  const tabs = [tab, parted, { ...tab, id: 1 }, { ...tab, children: [7] }];
  const parts = { items: Item, children: StashTab };
  const all = [...salvageEach(StashTab, tabs, { pointer: "/stashes", parts })];
  const good = { ...tab, items: [item], children: [tab] };
  expect(all.map(({ value }) => value)).toEqual([tab, good, undefined, { ...tab, children: [] }]);
  expect(all[1]?.rejects).toHaveLength(2);
  expect(all.flatMap(({ rejects }) => places(rejects))).toEqual([
    "Item /stashes/1/items/1 /w",
    "StashTab /stashes/1/children/0 ",
    "StashTab /stashes/2 /id",
    "StashTab /stashes/3/children/0 ",
  ]);
});

it("salvageExchange reads a page of the exchange market by market", () => {
  const salvaged = salvageExchange({
    next_change_id: 3600,
    markets: [market, { ...market, lowest_stock: { chaos: -1 } }],
  });
  expect([salvaged.next_change_id, salvaged.size]).toEqual([3600, 2]);
  const [first, second] = [...salvaged];
  expect([first?.value, first?.rejects.length]).toEqual([market, 0]);
  expect(places(second!.rejects)).toEqual(["Market /markets/1 /lowest_stock/chaos"]);
  expect(() => salvageExchange({ next_change_id: "3600", markets: [] })).toThrow(RecordError);
});
