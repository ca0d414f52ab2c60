/** The story at a terminal: colour, a bar that is redrawn, pages to click through, and Ctrl-C. */
import { describeWithService } from "@game-data/test-support";
import { beforeAll, describe, expect, it } from "vitest";
import { atTerminal, CTRL_C, type Terminal } from "./support/terminal.ts";

// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[(?:3[0-9]|1|2)m/u;
const REDRAWN = "\r\u001B[2K";

/** Without colour. */
// oxlint-disable-next-line no-control-regex
const plain = (text: string) => text.replaceAll(/\u001B\[\d+m/gu, "");

describeWithService("terminal", "at a terminal", (script) => {
  describe("until Ctrl-C", () => {
    let terminal: Terminal;
    let documentation: string;
    let inspector: string;
    beforeAll(async () => {
      terminal = atTerminal(script);
      await terminal.shows(/Still here, until Ctrl-C:/u);
      const address = (name: string) =>
        // oxlint-disable-next-line no-control-regex
        terminal.shows(new RegExp(`${name}[^\\n]*?(http://127\\.0\\.0\\.1:\\d+/\\S*)\\r\\n`, "u"));
      documentation = (await address("documentation"))[1]!;
      inspector = (await address("tree inspector"))[1]!;
    }, 60_000);

    it("tells the story in colour", () => {
      expect(terminal.text()).toMatch(COLOUR);
      expect(terminal.text()).toContain("\u001B[32m✓\u001B[39m");
      expect(plain(terminal.text())).toMatch(/12 steps came true/u);
    });

    it("redraws a bar in place, further each time, up to its end", () => {
      const [, followed = ""] = plain(terminal.text()).split(
        "10. The public stash stream, into SQLite\r\n",
      );
      const [bars = ""] = followed.split("\r\n   pages");
      const percents = bars
        .split(REDRAWN)
        .slice(1)
        .map((bar) => Number(/[█░]{30} +(\d+) %/u.exec(bar)?.[1]));
      expect(percents.length).toBeGreaterThan(3);
      expect(percents).toEqual(percents.toSorted((a, b) => a - b));
      expect(percents.at(-1)).toBe(100);
      // In place: no line ends before the last one.
      expect(bars.trim().split("\r\n")).toHaveLength(1);
    });

    it("serves the documentation and the inspector", async () => {
      for (const [url, words] of [
        [documentation, "Game Data API"],
        [inspector, "<script"],
      ] as const) {
        const response = await fetch(url);
        expect(response.status).toBe(200);
        expect(response.headers.get("content-type")).toContain("text/html");
        expect(await response.text()).toContain(words);
      }
    });

    it("ends with 0 at Ctrl-C, and lets go of its addresses", async () => {
      terminal.type(CTRL_C);
      expect(await terminal.exit).toBe(0);
      await expect(fetch(documentation)).rejects.toThrow("fetch failed");
      await expect(fetch(inspector)).rejects.toThrow("fetch failed");
    }, 30_000);
  });

  it("ends by itself with --exit, and without colour where that is not wanted", async () => {
    const terminal = atTerminal(script, ["--exit"], { NO_COLOR: "1" });
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).toContain("12 steps came true");
    expect(terminal.text()).not.toMatch(COLOUR);
    expect(terminal.text()).toContain(REDRAWN);
    expect(terminal.text()).not.toContain("Still here");
  }, 60_000);

  it("ends with 130 when Ctrl-C cuts the story short", async () => {
    const terminal = atTerminal(script);
    await terminal.shows(/1\. Sign in/u);
    terminal.type(CTRL_C);
    expect(await terminal.exit).toBe(130);
    expect(terminal.text()).not.toContain("came true");
  }, 60_000);
});
