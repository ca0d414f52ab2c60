/** What a page is by its ids and rows: its end, and the broken rules that are counted. */
import { expect, it } from "vitest";
import { classifyPage, nextSeq } from "../src/core/classifyPage.ts";

const page = (nextId: string, rows = 1) => ({
  ...{ nextId, rows: Array<never>(rows), bounds: [], checksum: "now" },
  ...{ wire: new Uint8Array(), raw: new Uint8Array() },
});
const circle = (onCycle: "accept" | "halt" | "pause") => ({
  settings: { onCycle, onGap: "halt" } as const,
  wasVisited: () => true,
});
const twice = { violations: ["SameIdWithData"] };
const cycle = { violations: ["Cycle"] };

it.each<[string, ReturnType<typeof page>, Partial<Parameters<typeof classifyPage>[1]>, object]>([
  ["one that leads on", page("b"), {}, { event: "data", atTail: false, violations: [] }],
  ["an empty one that leads on", page("b", 0), {}, { event: "data", atTail: true }],
  ["the same id, with rows", page("a"), {}, { event: "data", atTail: true, ...twice }],
  ["the same rows again", page("a"), { lastChecksum: "now" }, { event: "tail", ...twice }],
  ["a circle", page("b"), circle("pause"), { event: "violation", ...cycle }],
  ["a circle, to halt at", page("b"), circle("halt"), { event: "fatal", ...cycle }],
  ["a circle, to accept", page("b"), circle("accept"), { event: "data", ...cycle }],
])("a page is what its ids say: %s", (_, received, now, expected) => {
  const found = classifyPage(received, {
    ...circle("pause"),
    key: { source: "stashes", realm: "pc" },
    requestedId: "a",
    lastChecksum: undefined,
    wasVisited: () => false,
    ...now,
  });
  expect(found).toMatchObject(expected);
});

it("an hour that does not grow is numbered like a page of stashes", () => {
  expect(nextSeq({ source: "exchange", realm: "pc" }, "5", "10800", 5n)).toBe(6n);
});
