/** The story against the sandbox that it starts itself. */
import { beforeAll, describe, expect, it } from "vitest";
import { runTour, spawnTour, type Told } from "./support/runTour.ts";

/** CI follows the whole stream, as `npm start` does; elsewhere a tenth of it shows the same. */
const { options, changes } =
  process.env["REQUIRE_SERVICES"] === "1"
    ? { options: [], changes: /changes +9,\d{3}\n/u }
    : { options: ["--pages", "6"], changes: /changes +9\d{2}\n/u };

describe("npm start", () => {
  let told: Told;
  beforeAll(async () => {
    told = await spawnTour(options);
  });

  it("passes twelve steps, and exits with 0", () => {
    expect(told.err).toBe("");
    expect(told.out).toMatch(/12 steps passed, in /u);
    expect(told.out.match(/^✓/gmu)).toHaveLength(12);
    expect(told.exit).toBe(0);
  });

  it("is plain text where nobody watches, and shows no token", () => {
    // oxlint-disable-next-line no-control-regex
    expect(told.out).not.toMatch(/[\u001B\r]/u);
    expect(told.out).not.toMatch(/[\w-]{43,}(?<!AAAAB.*)$/mu);
  });

  it("shows the results of each step", () => {
    expect(told.out).toContain("the tour approves the consent page");
    expect(told.out).toContain("14 characters; leagues: Lanternway, Ruthless Standard");
    expect(told.out).toMatch(/KelowynTheFerry {2}Marauder {4}118 +14 +5 +435/u);
    expect(told.out).toContain(
      "all 33 listed tabs of Lanternway, 14 of them sub-tabs, with 437 items",
    );
    expect(told.out).toContain("HTTP 422: The filter is not valid");
    expect(told.out).toContain("3 filters now, 2 before");
    expect(told.out).toContain("2,500 entries of Lanternway, every rank in order");
    // 150 on each page at the start; the stream goes on while the tour runs.
    expect(told.out).toMatch(changes);
    expect(told.out).toMatch(/caught up at \d+ pages a second/u);
    expect(told.out).toMatch(/30 hours, [\d,]+ markets/u);
    expect(told.out).toMatch(/data API +Unauthorized, HTTP 401, code 8/u);
    expect(told.out).toMatch(/OAuth server +InvalidGrant/u);
  });
});

describe("a command line that makes no sense", () => {
  it.each([
    [["--nonsense"], "--nonsense"],
    [["--pages", "0"], "--pages"],
    [["--replay", "no/such/folder"], "no such folder"],
    [["--auth-url", "https://auth.example.com"], "--base-url"],
    [["--auth-url", "http://auth.example.com", "--base-url", "x", "--client-id", "x"], "https"],
    [["--replay", ".", "--client-id", "x"], "cannot be combined with --client-id"],
  ])("%j: 64", async (args, words) => {
    const { err, exit, out } = await runTour(args);
    expect(err).toContain(words);
    expect(out).toBe("");
    expect(exit).toBe(64);
  });
});
