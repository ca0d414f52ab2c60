/** Scenarios, limits, the view of the world and the live audit on the control plane. */
import { expect, it } from "vitest";
import type { AuditReport } from "../../src/audit/report.ts";
import { SCENARIOS } from "../../src/audit/scenarios.ts";
import { startSandbox } from "../../src/index.ts";
import { openForFile } from "./harness.ts";

const sandbox = await openForFile({ rates: "realistic" });

const running = async (): Promise<ReadonlyArray<string>> => {
  const { scenarios } = await sandbox.ask<{
    scenarios: ReadonlyArray<{ name: string; isRunning: boolean }>;
  }>("GET", "/scenarios");
  expect(scenarios).toHaveLength(SCENARIOS.length);
  return scenarios.filter(({ isRunning }) => isRunning).map(({ name }) => name);
};

it("the control plane runs several scenarios at once, and stops them with their faults", async () => {
  await sandbox.ask("POST", "/scenarios", { name: "maintenance" });
  await sandbox.ask("POST", "/scenarios", { name: "gone" });
  expect(await running()).toEqual(["maintenance", "gone"]);
  const token = await sandbox.serviceToken();
  expect((await sandbox.get("/league", token)).status).toBe(503);
  await sandbox.ask("DELETE", "/scenarios");
  expect(await running()).toEqual([]);
  expect(await sandbox.ask("GET", "/faults")).toEqual({ faults: [] });
  expect((await sandbox.get("/league", token)).status).toBe(200);
});

it("a scenario's steps replace the rate policies, and stopping it restores them", async () => {
  const policies = () => sandbox.ask<{ policies: object }>("GET", "/policies");
  const before = await policies();
  await sandbox.ask("POST", "/scenarios", { name: "policy-tightens" });
  const token = await sandbox.serviceToken();
  for (let count = 0; count < 3; count++) await sandbox.get("/league", token);
  await expect
    .poll(async () => (await policies()).policies)
    .toEqual({ tight: { Client: "5:5:5" } });
  await sandbox.ask("DELETE", "/scenarios");
  expect(await policies()).toEqual(before);
});

it("a reset stops scenarios, and a refused set-up is reported with its request", async () => {
  await sandbox.ask("POST", "/scenarios", { name: "league-ends" });
  await sandbox.ask("POST", "/reset");
  expect(await running()).toEqual([]);
  for (const [path, reason] of [
    ["/nowhere", "POST /nowhere: no such path"],
    ["/limits", "POST /limits: use GET"],
  ]) {
    const setup = [{ method: "POST", path }];
    await expect(sandbox.ask("POST", "/scenarios", { name: "gone", setup })).rejects.toMatchObject({
      issues: [{ pointer: "/setup/0", message: expect.stringContaining(reason!) }],
    });
  }
});

it("the scenarios `stream-end` and `hour-boundary` end the streams, and the journal shows it", async () => {
  await sandbox.ask("POST", "/scenarios", { name: "stream-end" });
  await sandbox.ask("POST", "/scenarios", { name: "hour-boundary" });
  const token = await sandbox.serviceToken();
  const page = async (path: string): Promise<any> => (await sandbox.get(path, token)).json();
  const first = await page("/public-stash-tabs");
  const end = await page(`/public-stash-tabs?id=${first.next_change_id}`);
  expect(end).toEqual({ next_change_id: first.next_change_id, stashes: [] });
  const entry = (await sandbox.journal()).at(-1)!;
  expect([entry.isEmpty, entry.nextCursor]).toEqual([true, entry.cursor]);
  const { now } = await sandbox.ask<{ now: string }>("GET", "/clock");
  expect(now.slice(14)).toBe("59:57.000Z");
});

it.each([
  ["all-null", expect.stringContaining('"locale":null')],
  ["empty-body", ""],
])("the scenario %s changes the second body, but not its status 200", async (name, body) => {
  await sandbox.ask("POST", "/scenarios", { name });
  const token = await sandbox.tokenOf("example-web", ["account:profile"], "Emberlyn#4071");
  await sandbox.get("/profile", token);
  const second = await sandbox.get("/profile", token);
  expect([second.status, await second.text()]).toEqual([200, body]);
});

it("GET /control/limits shows the windows that count requests, with the names of accounts", async () => {
  const token = await sandbox.tokenOf("example-web", ["account:profile"], "Emberlyn#4071");
  await sandbox.get("/profile", token);
  await sandbox.get("/profile", token);
  const { windows } = await sandbox.ask<{ windows: unknown }>("GET", "/limits");
  const window = { policy: "profile-request-limit", rule: "Account", identity: "Emberlyn#4071" };
  const counted = { maxHits: 10, periodSeconds: 15, hits: 2, restrictedSeconds: 0 };
  expect(windows).toContainEqual({ ...window, ...counted });
  await sandbox.advance("10 minutes");
  expect(await sandbox.ask("GET", "/limits")).toEqual({ windows: [] });
});

it("GET /control/world reads as any account, and leaves nothing in the journal", async () => {
  const look = (query: Record<string, string>) =>
    sandbox.control("GET", `/world?${new URLSearchParams(query)}`);
  const profile = await look({ path: "/profile", account: "Quillon#1182" });
  expect(await profile.json()).toMatchObject({ name: "Quillon#1182" });
  expect((await look({ path: "/league/Standard/ladder?limit=999" })).status).toBe(400);
  expect((await look({ path: "/nothing" })).status).toBe(404);
  expect((await look({ path: "/profile", account: "Nobody" })).status).toBe(400);
  expect((await look({})).status).toBe(400);
  expect(await sandbox.journal()).toEqual([]);
});

it("the audit of a journal that has forgotten requests passes no rule", async () => {
  await using small = await startSandbox({ journal: 5 });
  const ask = () => fetch(`${small.baseUrl}/profile`);
  const audit = async () => (await small.control("GET", "/audit")) as AuditReport;
  for (let sent = 0; sent < 5; sent++) await ask();
  expect((await audit()).rules.some(({ verdict }) => verdict === "pass")).toBe(true);
  await ask();
  const { rules, ...report } = await audit();
  expect(rules.filter(({ verdict }) => verdict === "pass")).toEqual([]);
  expect(report).toMatchObject({ forgotten: 1 });
});

it("GET /control/audit checks the requests in the journal by the rules of the audit", async () => {
  await sandbox.get("/profile?token=x", undefined);
  const { exercised, rules } = await sandbox.ask<AuditReport>("GET", "/audit");
  expect(exercised["A16"]).toBe(1);
  expect(rules.find(({ id }) => id === "A16")?.verdict).toBe("fail");
  expect(rules.find(({ id }) => id === "A12")?.verdict).toBe("not exercised");
});
