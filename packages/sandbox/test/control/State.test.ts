/**
 * State of a sandbox that can be read and brought back: journal, reset, snapshot, restore.
 */
import { describe, expect, it } from "vitest";
import { basic, DESKTOP, type TokenBody, tokenOf } from "../oauth/harness.ts";
import { NOON, open, openForFile } from "./harness.ts";

interface Reading {
  readonly now: string;
  readonly frozen: boolean;
}

const sandbox = await openForFile();

const clock = (body: unknown) => sandbox.ask<Reading>("POST", "/clock", body);

describe("the journal", () => {
  it("the journal shows each request with its client, response and policy", async () => {
    const token = await sandbox.serviceToken();
    await (await sandbox.get("/league?realm=pc&limit=2", token)).arrayBuffer();
    expect(await sandbox.journal()).toMatchObject([
      {
        id: 1,
        at: (await sandbox.ask<Reading>("GET", "/clock")).now,
        listener: "data",
        method: "GET",
        route: "/league",
        endpoint: "leagues.list",
        parameters: { realm: "pc", limit: "2" },
        status: 200,
        durationMillis: expect.any(Number),
        clientId: "example-service",
        account: "Quillon#1182",
        policy: "league-request-limit",
        limited: false,
        faults: [],
      },
    ]);
  });

  it("the journal names the client of HTTP Basic credentials only if it is registered", async () => {
    const form = { grant_type: "client_credentials", scope: "service:leagues" };
    for (const user of ["example-service", "somebody"])
      await fetch(`${sandbox.authUrl}/oauth/token`, {
        method: "POST",
        headers: basic(`${user}:wrong`),
        body: new URLSearchParams(form),
      });
    const entries = await sandbox.journal("?endpoint=oauth.token");
    expect(entries.map(({ clientId, status }) => [clientId, status])).toEqual([
      ["example-service", 401],
      [null, 401],
    ]);
  });

  it("the journal shows a ref in place of each token that a request issued or used", async () => {
    let token = (await sandbox.ask<TokenBody>("POST", "/tokens", { clientId: DESKTOP.id }))
      .refresh_token!;
    for (let time = 0; time < 2; time++) {
      const form = { client_id: DESKTOP.id, grant_type: "refresh_token", refresh_token: token };
      const body = new URLSearchParams(form);
      const response = await fetch(`${sandbox.authUrl}/oauth/token`, { method: "POST", body });
      token = (await tokenOf(response)).refresh_token!;
    }
    const [first, second] = await sandbox.journal("?endpoint=oauth.token");
    const refs = [expect.stringMatching(/^token#\d$/u), expect.stringMatching(/^refresh#\d$/u)];
    expect([first!.issued, first!.scopes.includes("account:profile")]).toEqual([refs, true]);
    expect(second!.used).toEqual(first!.issued.slice(1));
  });

  it("`verify` counts requests by a path with names that the journal does not show", async () => {
    const token = await sandbox.token({ scopes: ["account:characters"] });
    await sandbox.get("/character/Nobody", token);
    await sandbox.verify({ match: { path: "/character/Nobody" }, exactly: 1 });
    const wrong = sandbox.verify({ match: { path: "/character/Somebody" }, exactly: 1 });
    await expect(wrong).rejects.toMatchObject({ count: 0 });
  });

  it("the journal shows which requests a rate policy has refused", async () => {
    const policies = { none: { Client: "1:5:5" } };
    const all = await sandbox.ask<object>("GET", "/policies");
    await sandbox.ask("PUT", "/policies", { ...all, policies, endpoints: { "*": "none" } });
    const token = await sandbox.serviceToken();
    for (let time = 0; time < 2; time++) await sandbox.get("/league", token);
    expect(await sandbox.journal("?status=429")).toMatchObject([{ policy: "none", limited: true }]);
  });

  it("the journal omits requests to the control plane, and can be cleared", async () => {
    await sandbox.get("/league");
    await sandbox.ask("GET", "/ready");
    expect((await sandbox.journal()).map(({ endpoint }) => endpoint)).toEqual(["leagues.list"]);
    await sandbox.ask("DELETE", "/journal");
    expect(await sandbox.journal()).toEqual([]);
  });
});

describe("reset, snapshot and restore", () => {
  const page = async (token: string) =>
    (await (await sandbox.get("/public-stash-tabs", token)).json()) as unknown;

  it("a reset restores the clock of the first start, and removes tokens, faults and the journal", async () => {
    const token = await sandbox.serviceToken();
    await clock({ advance: "10 days" });
    await sandbox.addFault({ when: { after: 1 }, fault: { kind: "hang" } });
    await (await sandbox.get("/league", token)).arrayBuffer();
    const { frozen, now } = await sandbox.ask<Reading>("POST", "/reset");
    expect(frozen).toBe(false);
    expect(Date.parse(now) - Date.parse(NOON)).toBeLessThan(60_000);
    expect(await sandbox.ask("GET", "/faults")).toEqual({ faults: [] });
    expect(await sandbox.journal()).toEqual([]);
    expect((await sandbox.get("/league", token)).status).toBe(401);
    const fresh = await sandbox.serviceToken();
    expect((await sandbox.get("/league", fresh)).status).toBe(200);
  });

  it("restoring a snapshot restores tokens, filters, clock, policies and counters", async () => {
    const token = await sandbox.serviceToken();
    await sandbox.ask("PUT", "/policies", { profile: "realistic" });
    await (await sandbox.get("/league", token)).arrayBuffer();
    const stream = await page(token);
    const snapshot = await sandbox.ask<{ clock: Reading }>("POST", "/snapshot");
    expect(snapshot).toMatchObject({ format: 1, seed: 1, clock: { frozen: true } });

    await sandbox.ask("POST", "/reset");
    expect((await sandbox.get("/league", token)).status).toBe(401);

    expect(await sandbox.ask("POST", "/restore", snapshot)).toEqual(snapshot.clock);
    const again = await sandbox.get("/league", token);
    expect(again.status).toBe(200);
    expect(again.headers.get("x-rate-limit-client")).toBe("10:5:10");
    expect(again.headers.get("x-rate-limit-client-state")).toBe("2:5:0");
    expect(await page(token)).toEqual(stream);
  });

  it("restoring a snapshot of a running clock continues from the instant of the snapshot", async () => {
    await clock({ set: "2027-01-01T00:00:00Z", unfreeze: true });
    const snapshot = await sandbox.ask("POST", "/snapshot");
    await clock({ advance: "10 days", freeze: true });
    const { frozen, now } = await sandbox.ask<Reading>("POST", "/restore", snapshot);
    expect(frozen).toBe(false);
    expect(now.slice(0, 10)).toBe("2027-01-01");
  });

  it("POST /control/restore refuses a snapshot of another world, and an invalid snapshot", async () => {
    const other = await open({ now: "2026-06-01T12:00:00Z" });
    const foreign = await other.ask("POST", "/snapshot");
    await other.close();
    const own = await sandbox.ask<{ store: { tables: object } }>("POST", "/snapshot");
    const { store } = own;
    for (const [body, says] of [
      [foreign, /started at 2026-06-01T12:\S+, this one at 2026-03-01T12:/u],
      [
        { ...own, store: { ...store, tables: { ...store.tables, meta: [] } } },
        /started at an unknown time/u,
      ],
      [{ ...own, seed: 2 }, /seed 2/u],
      [{ ...own, store: { ...store, format: 99 } }, /format 99/u],
      [{}, /is missing/u],
    ] as const)
      await expect(sandbox.ask("POST", "/restore", body)).rejects.toMatchObject({
        status: 400,
        reason: expect.stringMatching(says),
      });
    const token = await sandbox.serviceToken();
    expect((await sandbox.get("/league", token)).status).toBe(200);
  });
});
