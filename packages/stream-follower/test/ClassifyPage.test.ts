/** What a page is, by its ids and rows: a table of pages, and what they mean. */
import { expect, it } from "vitest";
import { classifyPage, nextSeq, type PageContext } from "../src/core/classifyPage.ts";
import { HistoryGap, ProtocolViolation, type StreamKey } from "../src/index.ts";

const STASHES: StreamKey = { source: "stashes", realm: "pc" };
const HOURS: StreamKey = { source: "exchange", realm: "pc" };

const page = (nextId: string, rows = 1) => ({
  ...{ nextId, rows: Array<never>(rows), bounds: [], checksum: "now" },
  ...{ wire: new Uint8Array(), raw: new Uint8Array() },
});
const visited = () => true;
const pause = { onCycle: "pause", onGap: "continue" } as const;
const halt = { onCycle: "halt", onGap: "halt" } as const;
const hour = { key: HOURS, requestedId: "7200" };
const data = (more: object = {}) => ({ event: "data", atTail: false, violations: [], ...more });
const cycle = new ProtocolViolation({ kind: "Cycle", id: "a", nextId: "b" });
const back = new ProtocolViolation({ kind: "Backwards", id: "7200", nextId: "3600" });
const gap = { kind: "skipped", from: "10800", to: "18000" } as const;
const twice = { violations: ["SameIdWithData"] };

it.each<[string, ReturnType<typeof page>, Partial<PageContext>, object]>([
  ["one that leads on", page("b"), {}, data()],
  ["an empty one that leads on", page("b", 0), {}, data({ atTail: true })],
  ["the same id, empty", page("a", 0), {}, { event: "tail" }],
  ["the same id, with rows", page("a"), {}, { event: "data", atTail: true, ...twice }],
  ["the same rows again", page("a"), { lastChecksum: "now" }, { event: "tail", ...twice }],
  [
    "a circle",
    page("b"),
    { wasVisited: visited },
    { event: "violation", violation: cycle, violations: ["Cycle"] },
  ],
  [
    "a circle, to halt at",
    page("b"),
    { wasVisited: visited, settings: halt },
    { event: "fatal", error: cycle, violations: ["Cycle"] },
  ],
  [
    "a circle, to accept",
    page("b"),
    { wasVisited: visited, settings: { ...pause, onCycle: "accept" } },
    data({ violations: ["Cycle"] }),
  ],
  [
    "a circle of the first page",
    page("b"),
    { wasVisited: visited, requestedId: undefined },
    { violation: new ProtocolViolation({ kind: "Cycle", id: "", nextId: "b" }) },
  ],
  ["an hour", page("10800"), { ...hour, settings: halt }, data()],
  ["an hour without trade", page("10800", 0), hour, data()],
  ["the first hour", page("18000"), { ...hour, requestedId: undefined, settings: halt }, data()],
  ["an hour that leads back", page("3600"), hour, { event: "violation", violation: back }],
  ["hours left out", page("18000"), hour, data({ gap })],
  [
    "hours left out, to halt at",
    page("18000"),
    { ...hour, settings: halt },
    { event: "fatal", error: new HistoryGap(gap) },
  ],
  ["ids like hours", page("3600"), { requestedId: "7200", settings: halt }, data()],
  ["ids like hours apart", page("18000"), { requestedId: "7200", settings: halt }, data()],
])("a page is what its ids say: %s", (_, received, now, expected) => {
  const context = { key: STASHES, settings: pause, requestedId: "a", lastChecksum: undefined };
  const found = classifyPage(received, { ...context, wasVisited: () => false, ...now });
  expect(found).toMatchObject(expected);
  expect(found.page).toBe(found.event === "data" ? received : undefined);
  expect("gap" in found).toBe("gap" in expected);
});

it.each([
  ["one more than the page before", STASHES, "7200", 6n],
  ["the hour", HOURS, "7200", 7200n],
  ["the hour before the next one, of the first page", HOURS, undefined, 10_800n - 3600n],
  ["one more where the hour does not grow", HOURS, "5", 6n],
])("its number is %s", (_, key, requestedId, seq) => {
  expect(nextSeq(key, requestedId, "10800", 5n)).toBe(seq);
});
