/**
 * State of a sandbox that can be read and brought back: journal, reset, snapshot, restore.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOON, open, type Tools } from "./harness.ts";

interface Reading {
  readonly now: string;
  readonly frozen: boolean;
}

let sandbox: Tools;

beforeEach(async () => {
  sandbox = await open();
});

afterEach(() => sandbox.close());

const reasonOf = async (response: Response) => {
  expect(response.status).toBe(400);
  return ((await response.json()) as { readonly reason: string }).reason;
};

const clock = (body: unknown) => sandbox.ask<Reading>("POST", "/clock", body);

describe("the journal", () => {
  it("tells what was asked, by whom, how it was answered and under which policy", async () => {
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

  it("never holds a secret, wherever it was put", async () => {
    const secrets = [
      "s3cretToken",
      "s3cretCode",
      "s3cretState",
      "s3cretPassword",
      "s3cretPath",
      "s3cretId",
    ];
    const [tokenSecret, code, state, password, path, id] = secrets as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const requests: ReadonlyArray<[string, RequestInit]> = [
      [`${sandbox.baseUrl}/league?access_token=${tokenSecret}&code=${code}`, {}],
      [`${sandbox.baseUrl}/profile`, { headers: { authorization: `Bearer ${tokenSecret}` } }],
      [`${sandbox.baseUrl}/character/${path}`, {}],
      [`${sandbox.baseUrl}/${path}/${path}?${state}`, {}],
      [
        `${sandbox.authUrl}/oauth/authorize?client_id=${id}&state=${state}&code_challenge=${code}`,
        {},
      ],
      [
        `${sandbox.authUrl}/oauth/token`,
        {
          method: "POST",
          headers: {
            authorization: `Basic ${Buffer.from(`${id}:${password}`).toString("base64")}`,
          },
          body: new URLSearchParams({
            grant_type: "authorization_code",
            code,
            code_verifier: state,
            client_secret: password,
          }),
        },
      ],
    ];
    for (const [url, init] of requests) await (await fetch(url, init)).arrayBuffer();
    const entries = await sandbox.journal();
    expect(entries).toHaveLength(requests.length);
    const text = JSON.stringify(entries).toLowerCase();
    for (const secret of secrets) expect(text).not.toContain(secret.toLowerCase());
  });

  it("names the client of basic credentials, if it is registered", async () => {
    const ask = (user: string) =>
      fetch(`${sandbox.authUrl}/oauth/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`${user}:wrong`).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "client_credentials", scope: "service:leagues" }),
      });
    await ask("example-service");
    await ask("somebody");
    const entries = await sandbox.journal("?endpoint=oauth.token");
    expect(entries.map(({ clientId, status }) => [clientId, status])).toEqual([
      ["example-service", 401],
      [null, 401],
    ]);
  });

  it("does not tell of the control plane, and can be forgotten", async () => {
    await sandbox.get("/league");
    await sandbox.ask("GET", "/ready");
    expect((await sandbox.journal()).map(({ endpoint }) => endpoint)).toEqual(["leagues.list"]);
    await sandbox.ask("DELETE", "/journal");
    expect(await sandbox.journal()).toEqual([]);
  });

  it("says who was refused by a limit", async () => {
    const policies = await sandbox.ask<object>("GET", "/policies");
    await sandbox.ask("PUT", "/policies", {
      ...policies,
      policies: { none: { Client: "1:5:5" } },
      endpoints: { "*": "none" },
    });
    const token = await sandbox.serviceToken();
    for (let time = 0; time < 2; time++) await sandbox.get("/league", token);
    expect(await sandbox.journal("?status=429")).toMatchObject([{ policy: "none", limited: true }]);
  });
});

describe("reset, snapshot and restore", () => {
  const page = async (token: string) =>
    (await (await sandbox.get("/public-stash-tabs", token)).json()) as unknown;

  it("a reset brings the first start back: tokens, clock, faults, journal", async () => {
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

  it("a snapshot brings back what it held: tokens, filters, clock, policies, counters", async () => {
    const token = await sandbox.serviceToken();
    await sandbox.ask("PUT", "/policies", { profile: "realistic" });
    await (await sandbox.get("/league", token)).arrayBuffer();
    const stream = await page(token);
    const snapshot = await sandbox.ask<object>("POST", "/snapshot");
    expect(snapshot).toMatchObject({ format: 1, seed: 1, clock: { frozen: true } });

    await sandbox.ask("POST", "/reset");
    expect((await sandbox.get("/league", token)).status).toBe(401);

    expect(await sandbox.ask("POST", "/restore", snapshot)).toEqual(
      (snapshot as { clock: Reading }).clock,
    );
    const again = await sandbox.get("/league", token);
    expect(again.status).toBe(200);
    expect(again.headers.get("x-rate-limit-client")).toBe("10:5:10");
    expect(again.headers.get("x-rate-limit-client-state")).toBe("2:5:0");
    expect(await page(token)).toEqual(stream);
  });

  it("a snapshot of a running clock runs on from where it was", async () => {
    await clock({ set: "2027-01-01T00:00:00Z", unfreeze: true });
    const snapshot = await sandbox.ask("POST", "/snapshot");
    await clock({ advance: "10 days", freeze: true });
    const { frozen, now } = await sandbox.ask<Reading>("POST", "/restore", snapshot);
    expect(frozen).toBe(false);
    expect(now.slice(0, 10)).toBe("2027-01-01");
  });

  it("a snapshot holds no token, code or secret in the clear", async () => {
    const issued = await sandbox.ask<{ access_token: string; refresh_token: string }>(
      "POST",
      "/tokens",
      { clientId: "example-web", account: "Emberlyn#4071", scopes: ["account:profile"] },
    );
    const url = new URL(`${sandbox.authUrl}/oauth/authorize`);
    url.search = new URLSearchParams({
      client_id: "example-web",
      response_type: "code",
      scope: "account:profile",
      state: "s",
      redirect_uri: "https://app.example.com/callback",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    }).toString();
    const { redirect } = await sandbox.ask<{ redirect: string }>("POST", "/authorize", {
      url: url.href,
    });
    const code = new URL(redirect).searchParams.get("code") ?? "";
    expect(code.length).toBeGreaterThan(20);
    const text = JSON.stringify(await sandbox.ask("POST", "/snapshot"));
    const secrets = sandbox.clients.flatMap(({ clientSecret = [] }) => clientSecret);
    expect(secrets.length).toBeGreaterThan(0);
    for (const secret of [issued.access_token, issued.refresh_token, code, ...secrets])
      expect(text).not.toContain(secret);
  });

  it("refuses a snapshot of a world that started at another time", async () => {
    const other = await open({ now: "2026-06-01T12:00:00Z" });
    const reason = await reasonOf(
      await sandbox.control("POST", "/restore", await other.ask("POST", "/snapshot")),
    );
    expect(reason).toMatch(/started at 2026-06-01T12:\S+, this one at 2026-03-01T12:/u);
    const own = await sandbox.ask<{ store: { tables: object } }>("POST", "/snapshot");
    const unstarted = {
      ...own,
      store: { ...own.store, tables: { ...own.store.tables, meta: [] } },
    };
    expect(await reasonOf(await sandbox.control("POST", "/restore", unstarted))).toContain(
      "started at an unknown time",
    );
    await other.close();
  });

  it("refuses a snapshot of another seed, or one that is none", async () => {
    const snapshot = await sandbox.ask<{ store: object }>("POST", "/snapshot");
    const refuse = async (body: unknown) =>
      reasonOf(await sandbox.control("POST", "/restore", body));
    expect(await refuse({ ...snapshot, seed: 2 })).toContain("seed 2");
    expect(await refuse({ ...snapshot, store: { ...snapshot.store, format: 99 } })).toContain(
      "format 99",
    );
    expect(await refuse({})).not.toBe("");
    const token = await sandbox.serviceToken();
    expect((await sandbox.get("/league", token)).status).toBe(200);
  });
});
