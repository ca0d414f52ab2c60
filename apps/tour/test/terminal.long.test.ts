/** The tour at a terminal: colour, progress, the pages that it serves, and Ctrl-C. */
import { describeWithService } from "@game-data/test-support";
import { beforeAll, describe, expect, it } from "vitest";
import { atTerminal, CTRL_C, type Terminal } from "./support/terminal.ts";

// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[(?:3[0-9]|1|2)m/u;
/** Erases the line, as progress does. */
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
      terminal = atTerminal(script, ["--pages", "12"]);
      await terminal.shows(/Still here, until Ctrl-C:/u);
      const address = (name: string) =>
        // oxlint-disable-next-line no-control-regex
        terminal.shows(new RegExp(`${name}[^\\n]*?(http://127\\.0\\.0\\.1:\\d+/\\S*)\\r\\n`, "u"));
      documentation = (await address("documentation"))[1]!;
      inspector = (await address("tree inspector"))[1]!;
    });

    it("prints the steps in colour", () => {
      expect(terminal.text()).toMatch(COLOUR);
      expect(terminal.text()).toContain("\u001B[32m✓\u001B[39m");
      expect(plain(terminal.text())).toMatch(/12 steps passed/u);
    });

    it("shows the progress of a step in place, and removes it at the end", () => {
      const [, followed = ""] = plain(terminal.text()).split(
        "10. The public stash stream, into SQLite\r\n",
      );
      const [moving = ""] = followed.split("   pages ");
      const percents = [...moving.matchAll(/(\d+) % +\d+ pages/gu)].map(([, each]) => Number(each));
      // A line every 100 ms at most: a fast machine may show the first one alone.
      expect(percents).not.toEqual([]);
      expect(percents).toEqual(percents.toSorted((a, b) => a - b));
      expect(moving.split(REDRAWN)).toHaveLength(percents.length + 2);
      // The last one is erased: its line holds the step's first fact.
      expect(moving.endsWith(REDRAWN)).toBe(true);
    });

    it("serves the documentation and the inspector", async () => {
      for (const [url, type, words] of [
        [documentation, "application/json", "Game Data API"],
        [inspector, "text/html", "<script"],
      ] as const) {
        const response = await fetch(url);
        expect(response.status).toBe(200);
        expect(response.headers.get("content-type")).toContain(type);
        expect(await response.text()).toContain(words);
      }
      const page = await (await fetch(inspector)).text();
      expect(page).toContain("default-src 'none'; script-src 'self'");
      const [, asset] = /src="\.\/(assets\/[^"]+\.js)"/u.exec(page)!;
      const loaded = await fetch(`${inspector}${asset}`);
      expect(loaded.headers.get("content-type")).toContain("text/javascript");
      expect((await fetch(`${inspector}..%2f..%2fpackage.json`)).status).toBe(404);
    });

    it("exits with 0 at Ctrl-C, and closes its addresses", async () => {
      terminal.type(CTRL_C);
      expect(await terminal.exit).toBe(0);
      await expect(fetch(documentation)).rejects.toThrow("fetch failed");
      await expect(fetch(inspector)).rejects.toThrow("fetch failed");
    });
  });

  it("exits by itself with --exit, and without colour with NO_COLOR", async () => {
    const terminal = atTerminal(script, ["--exit", "--pages", "3"], { NO_COLOR: "1" });
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).toContain("12 steps passed");
    expect(terminal.text()).not.toMatch(COLOUR);
    expect(terminal.text()).toContain(REDRAWN);
    expect(terminal.text()).not.toContain("Still here");
  });

  it("exits with 130 for Ctrl-C during a step", async () => {
    const terminal = atTerminal(script, ["--pages", "3"]);
    await terminal.shows(/1\. Sign in/u);
    terminal.type(CTRL_C);
    expect(await terminal.exit).toBe(130);
    expect(terminal.text()).not.toContain("passed");
  });

  it("exits with 0 for Ctrl-C between the last step and its pages", async () => {
    const terminal = atTerminal(script, ["--pages", "3"]);
    await terminal.shows(/12 steps passed/u);
    terminal.type(CTRL_C);
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).not.toContain("Still here");
  });
});
