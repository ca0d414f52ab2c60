/** A bar on a stream that says it is a terminal. */
import { PassThrough } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import { bar } from "../src/report/Bar.ts";

afterEach(() => vi.restoreAllMocks());

const terminal = (isTTY: boolean) => {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY });
  return { stream, text: () => String(stream.read() ?? "") };
};

/** Without colour, and a line for each time that it was drawn. */
const drawn = (text: string) =>
  text
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/\u001B\[\d+m/gu, "")
    .split("\r\u001B[2K")
    .slice(1);

it("is redrawn in place, and left with its end", () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1000);
  const { stream, text } = terminal(true);
  const begun = bar(200, { indent: "  ", stream });
  begun.show(0, "nothing");
  now.mockReturnValue(1100);
  begun.show(100, "half");
  now.mockReturnValue(1250);
  expect(begun.end(200, "all")).toBe(250);
  expect(drawn(text())).toEqual([
    `  ${"░".repeat(30)}   0 %  nothing`,
    `  ${"█".repeat(15)}${"░".repeat(15)}  50 %  half`,
    `  ${"█".repeat(30)} 100 %  all\n`,
  ]);
});

it("is drawn twenty times a second at most", () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const { stream, text } = terminal(true);
  const begun = bar(1000, { stream });
  for (let millis = 0; millis < 1000; millis += 1) {
    now.mockReturnValue(millis);
    begun.show(millis, "");
  }
  expect(drawn(text())).toHaveLength(20);
});

it("does not go beyond its end, nor divide by nothing", () => {
  const { stream, text } = terminal(true);
  bar(2, { stream }).end(5, "more");
  bar(0, { stream }).end(0, "none");
  expect(drawn(text())).toEqual([
    `${"█".repeat(30)} 100 %  more\n`,
    `${"░".repeat(30)}   0 %  none\n`,
  ]);
});

it("lets no stranger's name steer the terminal", () => {
  const { stream, text } = terminal(true);
  bar(1, { stream }).end(1, "\u001B[2Jx");
  expect(drawn(text())[0]).toContain("\uFFFD[2Jx");
});

it("writes nothing where there is no terminal", () => {
  const { stream, text } = terminal(false);
  const begun = bar(10, { stream });
  begun.show(5, "half");
  begun.end(10, "all");
  expect(text()).toBe("");
});
