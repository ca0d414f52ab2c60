/** The explanation of a refused value, and its cost. */
import { Cause, Exit, Schema, type SchemaIssue } from "effect";
import { expect, it } from "vitest";
import * as Conformance from "../src/Conformance.ts";
import * as Drift from "../src/Drift.ts";
import * as Schemas from "../src/effect/index.ts";
import {
  Account,
  Guild,
  Item,
  Market,
  PublicStashChange,
  PublicStashPage,
  RecordError,
  StashTab,
  type PlainRecord,
} from "../src/index.ts";
import { item, listed, market, unlisted } from "./support.ts";

const issuesOf = (record: PlainRecord<unknown>, value: unknown, issues?: number) => {
  const result = record.safeDecode(value, { issues });
  return result.ok ? [] : result.error.issues;
};
const places = (record: PlainRecord<unknown>, value: unknown) =>
  issuesOf(record, value, 200).map(
    ({ actual, expected, pointer }) => `${pointer}: ${expected}, ${actual}`,
  );

it("the message of RecordError names the record and the first wrong place, and contains no value", () => {
  const message = "Invalid Account at /name: expected string, got negative integer.";
  const result = Account.safeDecode({ name: -1 });
  expect(!result.ok && result.error.toJSON()).toMatchObject({
    ...{ _tag: "RecordError", record: "Account", hasMore: false, message },
    help: "https://game-data.github.io/game-data/errors/schemas/#recorderror",
    issues: [{ pointer: "/name", actual: "negative integer" }],
  });
  expect(!result.ok && result.error.isRetryable).toBe(false);
  expect(() => Account.decode(null)).toThrow("Invalid Account: expected object, got null.");
  const long = { ...market, volume_traded: { ["x".repeat(1e6)]: -1 } };
  expect(() => Market.decode(long)).toThrow(/^Invalid Market at .{500}: .{1,100}$/u);
  const key = "~/".repeat(5000);
  const [issue] = issuesOf(Market, { ...market, volume_traded: { [key]: -1 } });
  expect(issue).toMatchObject({ path: ["volume_traded", key] });
  expect(issue?.pointer).toBe(`/volume_traded/${"~0~1".repeat(500)}`);
  const forged = { ...market, volume_traded: { "\n[FATAL] \u001B[31m": -1 } };
  expect(() => Market.decode(forged)).toThrow("/volume_traded/\uFFFD[FATAL] \uFFFD[31m: expected");
  const kinds = { integer: 0, number: 0.5, boolean: true, array: [] };
  for (const [actual, name] of Object.entries(kinds))
    expect(places(Account, { name })).toEqual([`/name: string, ${actual}`]);
  const { issues } = Account["~standard"].validate({ name: null });
  expect(issues).toEqual([{ message: "Expected string, got null", path: ["name"] }]);
});

it("safeDecode names the whole value if it is refused because its members are not enumerable", () => {
  const members = { id: { value: 1 }, name: { value: "Ember" }, tag: { value: "T" } };
  const row = Object.create(Object.defineProperties({}, members)) as object;
  expect(places(Guild, row)).toEqual([": valid value, object"]);
  expect(Guild["~standard"].validate(row).issues).toHaveLength(1);
  expect(Drift.typeErrors(Schemas.Guild, row)).toHaveLength(1);
});

it("safeDecode names 10 places if `issues` is not a number, and at least one place", () => {
  const page = { next_change_id: "1", stashes: Array.from({ length: 30 }, () => ({})) };
  const count = (issues: unknown) => issuesOf(PublicStashPage, page, issues as number).length;
  const thrower = { valueOf: () => expect.fail("s3cr3t") };
  const none = [undefined, Number.NaN, thrower, Symbol("x"), "3", null, 3n];
  expect(new Set(none.map(count))).toEqual(new Set([10]));
  expect([0, -1, 3].map(count)).toEqual([1, 1, 3]);
  expect(PublicStashPage.safeDecode(1, null as never).ok).toBe(false);
  for (const limit of [Number.NaN, 0, -1, Symbol("x")]) {
    const options = { limit } as { readonly limit: number };
    const [errors, all] = [Drift.typeErrors, Drift.report].map(
      (list) => list(Schemas.PublicStashPage, page, options).length,
    );
    expect(errors).toBe(all);
    expect(errors).toBe(typeof limit === "number" && limit <= 0 ? 1 : 10);
  }
});

it("the issues of a stash change with a wrong `public` name only `public`", () => {
  const place = { pointer: "/public", expected: "true or false" };
  for (const word of ["x", 1, null, "true", "constructor", "__proto__", "toString", {}, []]) {
    const value: unknown = { ...listed, public: word, id: 7 };
    expect(issuesOf(PublicStashChange, value)).toMatchObject([place]);
    const [error, ...others] = Drift.typeErrors(Schemas.PublicStashChange, value);
    expect([error, others]).toMatchObject([{ ...place, member: "PublicStashChange.public" }, []]);
  }
  for (const value of [{}, JSON.parse('{"__proto__":{"public":true}}')])
    expect(places(PublicStashChange, value)).toEqual(["/public: true or false, absent"]);
  expect(places(PublicStashChange, { ...unlisted, items: {} })).toEqual(["/items: array, object"]);
});

it("safeDecode and Drift refuse a value whose getter returns a valid value on the second read", () => {
  let reads = 0;
  const get = () => (reads++ % 2 === 0 ? -1 : 1);
  const fields = { name: "Ember", tag: "T" };
  const shifty = Object.defineProperty(fields, "id", { get, enumerable: true });
  const page = { next_change_id: 1, stashes: [{ ...listed, items: [shifty] }] };
  expect(places(PublicStashPage, page)).toContain("/next_change_id: string, integer");
  reads = 0;
  expect(Schemas.Guild["~standard"].validate(shifty as never)).toHaveProperty("issues");
  expect(() => Item.decode(shifty)).toThrow(RecordError);
  expect(Drift.typeErrors(Schemas.Guild, new Proxy(shifty, {})).length).toBeLessThan(3);
});

it("the error of an Effect Schema has the places of safeDecode, and a value only with `reportInput`", () => {
  const stashes = [{ ...listed, items: [{ ...item, w: "no-4711" }] }];
  const read = Schema.decodeUnknownExit(Schemas.PublicStashPage, { errors: "all" });
  const exit = read({ next_change_id: 5, stashes });
  const message = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "";
  expect(message).toContain("Expected unsigned integer, got string");
  expect(message).toContain(`at ["stashes"][0]["items"][0]["w"]`);
  expect(message).toContain("Expected string, got integer");
  expect(message).not.toContain("4711");
  const empty = read({});
  expect(Exit.isFailure(empty) && Cause.pretty(empty.cause)).toContain("Missing key");
  const issueOf = (options: object) => {
    const guild = { id: 1, name: 4711, tag: "" };
    const failed = Schema.decodeUnknownExit(Schemas.Guild, options)(guild);
    if (Exit.isSuccess(failed)) return undefined;
    const [reason] = failed.cause.reasons as ReadonlyArray<{ error?: Schema.SchemaError }>;
    return reason?.error?.issue;
  };
  const leafOf = (issue: SchemaIssue.Issue | undefined) =>
    issue?._tag === "Pointer" ? issue.issue : issue;
  expect(leafOf(issueOf({}))).not.toHaveProperty("input");
  expect(leafOf(issueOf({ reportInput: true }))).toHaveProperty("input", 4711);
});

/** A page of these elements that counts how often a member is read. */
const counted = (one: unknown) => {
  const reads = { count: 0 };
  const counting = (name: "get" | "ownKeys") => ({
    [name]: (...args: ReadonlyArray<never>) => {
      reads.count += 1;
      return (Reflect[name] as (...all: ReadonlyArray<never>) => unknown)(...args);
    },
  });
  const handler: ProxyHandler<object> = { ...counting("get"), ...counting("ownKeys") };
  const element = typeof one === "object" && one !== null ? new Proxy(one, handler) : one;
  const stashes = Array.from({ length: 100_000 }, () => element);
  return { reads, page: { next_change_id: "1", stashes: new Proxy(stashes, handler) } };
};

it.each([[{}], [null], [1], [{ id: 1 }], [{ id: 1, public: true }], [[]]])(
  "refusing a page of 100,000 elements %j reads a bounded number of members",
  (one) => {
    for (const read of [
      (page: unknown) => PublicStashPage.safeDecode(page),
      (page: unknown) => Drift.typeErrors(Schemas.PublicStashPage, page, { limit: 10 }),
      (page: unknown) => Drift.report(Schemas.PublicStashPage, page, { limit: 10 }),
      (page: unknown) => Conformance.report(Schemas.PublicStashPage, page, { limit: 10 }),
      (page: unknown) => Schema.decodeUnknownExit(Schemas.PublicStashPage)(page),
    ]) {
      const { page, reads } = counted(one);
      read(page);
      expect(reads.count).toBeGreaterThan(0);
      expect(reads.count).toBeLessThan(1000);
    }
  },
);

/** How often the items that `inside` puts beside a wrong one are read until it is named. */
const reads = (
  inside: (good: object, wrong: object) => readonly [PlainRecord<unknown>, object],
) => {
  let count = 0;
  const get = () => (count += 1) && 84;
  const good = Object.defineProperty({ ...item }, "ilvl", { get, enumerable: true });
  const [record, value] = inside(good, { ...item, ilvl: "84" });
  expect(issuesOf(record, value).map(({ pointer }) => pointer)).toEqual([
    expect.stringMatching(/\/ilvl$/u),
  ]);
  return count;
};

it("safeDecode reads each valid item twice if the last item of a list is wrong", () => {
  const tab = { id: "0", name: "", type: "", metadata: {} };
  const items = (length: number, good: object) => Array.from({ length }, () => good);
  const list = (length: number) =>
    reads((good, wrong) => [StashTab, { ...tab, items: [...items(length, good), wrong] }]);
  expect([list(100), list(1000)]).toEqual([200, 2000]);
});

it("the cost of safeDecode is linear in the size of a refused item with deep and wide nests", () => {
  const nest = (width: number) =>
    reads((good, wrong) => {
      let value = wrong;
      for (let level = 0; level < 16; level++)
        value = { ...item, socketedItems: [...Array.from({ length: width }, () => good), value] };
      return [Item, value];
    });
  expect(nest(80)).toBe(2 * nest(40));
});
