/** The audit: every planted mistake is found, a client that keeps the rules passes. */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { audit } from "../../src/audit/audit.ts";
import { toHtml, toJUnit, toSarif, toText } from "../../src/audit/formats.ts";
import { type AuditReport, report } from "../../src/audit/report.ts";
import { RULES, type Run } from "../../src/audit/rules.ts";
import { scenarioOf, SCENARIOS } from "../../src/audit/scenarios.ts";
import { runProgram } from "../core/program.ts";

vi.setConfig({ testTimeout: 240_000 });

const program = (name: string) => [
  process.execPath,
  fileURLToPath(new URL(`${name}.mjs`, import.meta.url)),
];
const SMALL = { streamHistoryPages: 1, streamPageSize: 20, ladderSize: 100 };

const idsOf = ({ rules }: AuditReport, ...verdicts: ReadonlyArray<string>) =>
  rules.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);

describe("the audit of a client", () => {
  // `packages/sandbox/audits/clients.mjs` runs real clients through the scenarios that last.
  it("finds nothing in one that keeps the rules", async () => {
    const found = await audit(program("goodClient"), {
      sandbox: { world: SMALL },
      scenarios: ["baseline", "token-expires-mid-run", "maintenance", "gone", "drifted-schema"].map(
        (name) => scenarioOf(name)!,
      ),
      timeoutMillis: 30_000,
    });
    const broken = found.rules.flatMap(({ broken: all, id }) => all.map((one) => ({ id, ...one })));
    expect(broken).toEqual([]);
    expect(found.exit).toBe(0);
    expect(found.unusedEndpoints).toContain("characters.get");
  });

  it("never calls a rule passed that was not exercised", () => {
    const nothing = report([{ scenario: "baseline", entries: [], publicClients: new Set() }]);
    expect(idsOf(nothing, "not exercised")).toEqual(RULES.map(({ id }) => id));
    expect(toJUnit(nothing)).toContain(`errors="0" failures="0" skipped="${RULES.length}"`);
    // Who reads the files alone must not see green where nothing could be judged.
    for (const exit of [4, 5]) {
      expect(toJUnit({ ...nothing, exit })).toContain(`errors="1"`);
      expect(toSarif({ ...nothing, exit }, "x")).toContain(`"executionSuccessful":false`);
    }
    expect(toText(nothing)).toContain("not exercised");
    expect(toHtml(nothing)).toContain("<h1>Audit</h1>");
  });
});

describe("A30", () => {
  /** Quick answers on connections of their own: the next one comes `gap` after the one before. */
  const connections = (count: number, gap: number, openOf: (index: number) => number) =>
    Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      connection: `connection#${index}`,
      connectedMillis: index * gap,
      openConnections: openOf(index),
      elapsedMillis: index * gap + 0.2,
      durationMillis: 0.8,
    })) as ReadonlyArray<unknown> as Run["entries"];
  const says = (entries: Run["entries"]) =>
    RULES.find(({ id }) => id === "A30")!
      .check({ entries } as Run)
      .broken.map(({ message }) => message);

  it("sees a flood that is answered as it comes", () => {
    expect(says(connections(40, 0.5, (index) => index + 3))).toEqual([
      "had 40 requests under way at once",
    ]);
  });

  it("takes neither two workers that close their connections nor a sequence for one", () => {
    expect(says(connections(40, 0.5, () => 2))).toEqual([]);
    expect(says(connections(40, 1.5, (index) => index + 1))).toEqual([]);
  });
});

it("stands in the guide, rule by rule", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/audit.md", import.meta.url), "utf8");
  const rows = [...guide.matchAll(/^\| (A\d\d .*?) +\| (error|warning) /gmu)].map(
    ([, rule, level]) => `${rule} ${level}`,
  );
  expect(rows).toEqual(RULES.map(({ id, severity, title }) => `${id} ${title} ${severity}`));
});

describe("game-data-sandbox audit", () => {
  it("prints one JSON document on stdout, and ends with the exit code of the report", async () => {
    const script =
      "await fetch(process.env.GAME_DATA_BASE_URL + '/profile?token=x'); console.log('hi')";
    const run = await runProgram(
      ...["audit", "--json", "--scenario", "baseline", "--"],
      ...[process.execPath, "-e", script],
    );
    const found = JSON.parse(run.stdout) as AuditReport;
    expect(Object.keys(found)).toEqual(expect.arrayContaining(["rules", "exercised", "exit"]));
    const rule = found.rules.find(({ id }) => id === "A16");
    expect(rule).toMatchObject({ verdict: "fail", statement: "§5: sending a token" });
    expect(rule?.broken[0]?.requests[0]).toMatchObject({ method: "GET", route: "/profile" });
    expect(found.exercised["A16"]).toBe(1);
    expect([found.exit, run.code]).toEqual([3, 3]);
    expect(run.stderr).toContain("hi");
  });

  it("writes its reports whole, and through no link", async () => {
    const folder = mkdtempSync(join(tmpdir(), "audit-reports-"));
    const victim = join(folder, "victim");
    writeFileSync(victim, "theirs");
    const files = ["junit", "html", "sarif"].map((name) => join(folder, name));
    for (const file of files) symlinkSync(victim, file);
    const flags = files.flatMap((file) => [`--${basename(file)}`, file]);
    const run = await runProgram(
      ...["audit", "--scenario", "baseline", ...flags, "--"],
      ...[process.execPath, "-e", ""],
    );
    expect(run.stdout).toContain("A16");
    const [junit, html, sarif] = files.map((file) => readFileSync(file, "utf8"));
    expect(junit).toContain("<testsuite");
    expect(html).toContain("<html");
    expect(JSON.parse(sarif!)).toHaveProperty("runs");
    expect(readFileSync(victim, "utf8")).toBe("theirs");
    expect(readdirSync(folder).toSorted()).toEqual(["html", "junit", "sarif", "victim"]);
    rmSync(folder, { recursive: true });
  });

  it("says what it cannot do: a scenario that is none, a program that is none", async () => {
    const unknown = await runProgram("audit", "--scenario", "maintenence", "--", "true");
    expect([unknown.code, unknown.stdout]).toEqual([64, ""]);
    expect(unknown.stderr).toContain("did you mean maintenance?");
    expect((await runProgram("audit")).code).toBe(64);
    for (const flags of [
      ["--timeout", "0"],
      ["--for", "0"],
      ["--junit", "/no/such/folder/x.xml"],
      ["--html", tmpdir()],
    ]) {
      const refused = await runProgram("audit", ...flags, "--", "true");
      expect([refused.code, refused.stdout]).toEqual([64, ""]);
      expect(refused.stderr).toContain(flags[1]);
      expect(refused.stderr.trim().split("\n")).toHaveLength(1);
    }
    expect(
      (await runProgram("audit", "--scenario", "baseline", "--", "/no/such/program")).code,
    ).toBe(66);
  });

  it("lists the scenarios, and prints one as control documents", async () => {
    const all = await runProgram("scenarios");
    expect(all.stdout.trim().split("\n")).toHaveLength(SCENARIOS.length);
    const one = await runProgram("scenarios", "maintenance");
    expect(JSON.parse(one.stdout)).toMatchObject({ name: "maintenance" });
  });
});
