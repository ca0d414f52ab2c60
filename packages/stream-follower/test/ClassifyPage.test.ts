/** What a page is by its ids and rows: its end, and the broken rules that are counted. */
import { expect, it } from "vitest";
import { HistoryGap, ProtocolViolation } from "../src/Errors.ts";
import { classifyPage, nextSeq } from "../src/core/classifyPage.ts";
import { HOURS, KEY } from "./support/Run.ts";

type Context = Parameters<typeof classifyPage>[1];
const page = (nextId: string, rows = 1) => ({
  ...{ nextId, rows: Array<never>(rows), bounds: [], checksum: "now" },
  ...{ wire: new Uint8Array(), raw: new Uint8Array() },
});
const circle = (onCycle: "accept" | "halt" | "pause", more: Partial<Context> = {}) => ({
  ...{ settings: { onCycle, onGap: "halt" } as const, wasVisited: () => true, ...more },
});
const hour = (more: Partial<Context> = {}) => ({ key: HOURS, requestedId: "3600", ...more });
const going = (onGap: "continue" | "halt", onCycle: "accept" | "pause" = "pause") =>
  hour({ settings: { onGap, onCycle } });
const data = (violations: ReadonlyArray<string> = [], atTail = false) => ({
  ...{ event: "data", atTail, violations },
});
const broken = (kind: "Cycle" | "Backwards", id: string, nextId: string) =>
  new ProtocolViolation({ kind, id, nextId });
const cycle = ["Cycle"];
const twice = ["SameIdWithData"];
const gap = { kind: "skipped", from: "7200", to: "10800" } as const;

it.each<[string, ReturnType<typeof page>, Partial<Context>, object]>([
  ["one that leads on", page("b"), {}, data()],
  ["an empty one that leads on", page("b", 0), {}, data([], true)],
  ["one whose id is a lower number", page("1"), { requestedId: "2" }, data()],
  ["one whose id is a higher number", page("99999"), { requestedId: "2" }, data()],
  ["the same id, with rows", page("a"), {}, data(twice, true)],
  ["the same rows again", page("a"), { lastChecksum: "now" }, { event: "tail", violations: twice }],
  ["the same id, empty", page("a", 0), {}, { event: "tail" }],
  [
    ...(["a circle", page("b"), circle("pause")] as const),
    { event: "violation", violation: broken("Cycle", "a", "b"), violations: cycle },
  ],
  [
    ...(["a circle at the start", page("b"), circle("pause", { requestedId: undefined })] as const),
    { event: "violation", violation: broken("Cycle", "", "b"), violations: cycle },
  ],
  [
    ...(["a circle, to halt at", page("b"), circle("halt")] as const),
    { event: "fatal", error: broken("Cycle", "a", "b"), violations: cycle },
  ],
  ["a circle, to accept", page("b"), circle("accept"), data(cycle)],
  ["the next hour", page("7200"), hour(), data()],
  ["an hour without trade", page("7200", 0), hour(), data()],
  ["the current hour", page("3600", 0), hour(), { event: "tail" }],
  ["the first hour", page("99999"), hour({ requestedId: undefined }), data()],
  ["a later hour", page("10800"), going("continue"), { ...data(), gap }],
  [
    ...(["a later hour, to halt at", page("10800"), going("halt")] as const),
    { event: "fatal", error: new HistoryGap(gap) },
  ],
  [
    ...(["an hour before", page("0"), hour()] as const),
    { event: "violation", violation: broken("Backwards", "3600", "0"), violations: ["Backwards"] },
  ],
  ["an hour before, to accept", page("0"), going("halt", "accept"), data(["Backwards"])],
])("a page is what its ids say: %s", (_, received, now, expected) => {
  const found = classifyPage(received, {
    ...circle("pause"),
    key: KEY,
    requestedId: "a",
    lastChecksum: undefined,
    wasVisited: () => false,
    ...now,
  });
  const isData = "event" in expected && expected.event === "data";
  expect(found).toStrictEqual(isData ? { ...expected, page: received } : expected);
});

it.each([
  ["a page of stashes", KEY, "a", "7200", 5n, 6n],
  ["an hour", HOURS, "7200", "10800", 3600n, 7200n],
  ["the first hour, before the one that it names", HOURS, undefined, "10800", 0n, 7200n],
  ["an hour that does not grow", HOURS, "5", "10800", 5n, 6n],
] as const)("is numbered in order: %s", (_, key, requestedId, nextId, last, expected) => {
  expect(nextSeq(key, requestedId, nextId, last)).toBe(expected);
});
