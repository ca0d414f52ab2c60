/** The audit of a client that keeps the rules, and the command. */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { audit } from "../../src/audit/audit.ts";
import type { AuditReport } from "../../src/audit/report.ts";
import { SCENARIOS } from "../../src/audit/scenarios.ts";
import { runProgram } from "../core/program.ts";

// `packages/sandbox/audits/clients.mjs` does the same with clients of others.
it(
  "the audit reports no broken rule for a client that keeps the rules, in all scenarios",
  { timeout: 120_000 },
  async () => {
    const client = fileURLToPath(new URL("goodClient.mjs", import.meta.url));
    const run = audit([process.execPath, client], {
      sandbox: { world: { streamHistoryPages: 1, streamPageSize: 20, ladderSize: 100 } },
      scenarios: SCENARIOS,
      timeoutMillis: 30_000,
    });
    const found = await Effect.runPromise(run);
    expect(found.rules.flatMap(({ broken }) => broken)).toEqual([]);
    expect(found.exit).toBe(0);
  },
);

describe("game-data-sandbox audit", () => {
  const run = (...args: ReadonlyArray<string>) => runProgram("audit", ...args);
  const baseline = ["--scenario", "baseline"];

  it("an audit prints its report as one JSON document, and replaces a link by the JUnit file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "audit-reports-"));
    const victim = join(folder, "victim");
    writeFileSync(victim, "theirs");
    const junit = join(folder, "junit.xml");
    symlinkSync(victim, junit);
    const script =
      "await fetch(process.env.GAME_DATA_BASE_URL + '/profile?token=x'); console.log('hi')";
    const { code, stderr, stdout } = await run(
      ...["--json", ...baseline, "--junit", junit, "--", process.execPath, "-e", script],
    );
    const found = JSON.parse(stdout) as AuditReport;
    const rule = found.rules.find(({ id }) => id === "A16");
    expect(rule).toMatchObject({ verdict: "fail", statement: "§5: sending a token" });
    expect(rule?.broken[0]?.requests[0]).toMatchObject({ method: "GET", route: "/profile" });
    expect(found.exercised["A16"]).toBe(1);
    expect([found.exit, code]).toEqual([3, 3]);
    expect(stderr).toContain("hi");
    expect(readFileSync(junit, "utf8")).toContain("<testsuite");
    expect(readFileSync(victim, "utf8")).toBe("theirs");
    expect(readdirSync(folder).toSorted()).toEqual(["junit.xml", "victim"]);
    rmSync(folder, { recursive: true });
  });

  it.each([
    [["--scenario", "maintenence"], "did you mean maintenance?"],
    [["--junit", "/no/such/folder/x.xml"], "/no/such/folder/x.xml cannot be written"],
    [["--junit", tmpdir()], `${tmpdir()} is a folder`],
    [["--require", "A99"], "there is no rule A99"],
  ])("the audit refuses the command line %j with a message of one line", async (flags, says) => {
    const refused = await run(...flags, "--", "true");
    expect([refused.code, refused.stdout]).toEqual([64, ""]);
    expect(refused.stderr.trim().split("\n")).toEqual([expect.stringContaining(says)]);
  });

  it("an audit exits with 66 if the program does not exist", async () => {
    expect((await run(...baseline, "--", "/no/such/program")).code).toBe(66);
  });

  it("the command `scenarios` lists all scenarios, and prints one of them as JSON", async () => {
    const all = await runProgram("scenarios");
    expect(all.stdout.trim().split("\n")).toHaveLength(SCENARIOS.length);
    const one = JSON.parse((await runProgram("scenarios", "maintenance")).stdout) as object;
    expect(one).toMatchObject({ name: "maintenance" });
  });
});
