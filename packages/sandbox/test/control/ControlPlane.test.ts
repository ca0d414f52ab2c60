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

const clock = (body: unknown) => sandbox.ask<Reading>("POST", "/clock", body);

const reasonOf = async (response: Response) => {
  expect(response.status).toBe(400);
  return ((await response.json()) as { readonly reason: string }).reason;
};

describe("the clock", () => {
  it("stands still, moves on, and is set", async () => {
    await clock({ set: NOON });
    expect(await clock({ advance: "31 seconds" })).toEqual({
      now: "2026-03-01T12:00:31.000Z",
      frozen: true,
    });
    expect(await clock({ set: "2027-01-01T00:00:00Z", advance: "28 days" })).toEqual({
      now: "2027-01-29T00:00:00.000Z",
      frozen: true,
    });
    expect(await sandbox.ask("GET", "/clock")).toEqual({
      now: "2027-01-29T00:00:00.000Z",
      frozen: true,
    });
  });

  it("runs on from where it stands", async () => {
    const { frozen, now } = await clock({ unfreeze: true });
    expect(frozen).toBe(false);
    expect(Date.parse(now) - Date.parse(NOON)).toBeLessThan(60_000);
    await expect.poll(async () => (await sandbox.ask<Reading>("GET", "/clock")).now).not.toBe(now);
  });

  it("stands exactly where it is set when both are asked for", async () => {
    await clock({ unfreeze: true });
    const set = await clock({ freeze: true, set: "2027-01-01T00:00:00Z" });
    expect(set).toEqual({ now: "2027-01-01T00:00:00.000Z", frozen: true });
  });

  it("is what the Date header of both listeners says", async () => {
    await clock({ set: "2027-01-01T00:00:00Z" });
    const paths = ["/oauth/authorize", "/oauth/token", "/oauth/nowhere", "/my/applications"];
    for (const url of [
      `${sandbox.baseUrl}/profile`,
      `${sandbox.baseUrl}/nowhere`,
      ...paths.map((path) => `${sandbox.authUrl}${path}`),
    ])
      expect((await fetch(url)).headers.get("date")).toBe("Fri, 01 Jan 2027 00:00:00 GMT");
  });

  it("refuses what it does not understand, and has not moved then", async () => {
    const before = await sandbox.ask("GET", "/clock");
    const refuse = async (body: unknown) => reasonOf(await sandbox.control("POST", "/clock", body));
    expect(await refuse({ advnace: "1 second" })).toContain("did you mean advance?");
    expect(await refuse({})).toContain("name one of");
    expect(await refuse({ advance: "soon" })).toContain("no duration");
    expect(await refuse({ advance: "-1 seconds" })).toContain("no duration");
    expect(await refuse({ advance: "Infinity" })).toContain("no duration");
    expect(await refuse({ set: NOON, advance: "soon" })).toContain("no duration");
    expect(await refuse({ set: "noon" })).toContain("no instant");
    expect(await refuse({ advance: 31 })).toContain("Expected string");
    expect(await refuse({ advance: "100000000000 days" })).toContain("0 to 9999");
    expect(await refuse({ set: "+010000-01-01T00:00:00Z" })).toContain("0 to 9999");
    expect(await refuse({ set: "-000001-12-31T00:00:00Z" })).toContain("0 to 9999");
    expect(await refuse({ set: "9999-12-31T23:59:59Z", advance: "1 second" })).toContain("9999");
    expect(await sandbox.ask("GET", "/clock")).toEqual(before);
  });
});

describe("faults", () => {
  it("are listed, replaced and removed by name", async () => {
    const rule = {
      id: "mine",
      when: { count: 1 },
      fault: { kind: "status", status: 500 },
    } as const;
    await sandbox.ask("POST", "/faults", [rule, { fault: { kind: "hang" } }]);
    await sandbox.ask("POST", "/faults", { ...rule, when: { count: 2 } });
    const { faults } = await sandbox.ask<{ faults: ReadonlyArray<{ id: string; rule: unknown }> }>(
      "GET",
      "/faults",
    );
    expect(faults.map(({ id }) => id)).toEqual(["mine", "fault-1"]);
    expect(faults[0]?.rule).toEqual({ ...rule, when: { count: 2 } });
    expect((await sandbox.control("DELETE", "/faults/mine")).status).toBe(204);
    expect((await sandbox.control("DELETE", "/faults/mine")).status).toBe(404);
    expect((await sandbox.control("DELETE", "/faults")).status).toBe(204);
    expect(await sandbox.ask("GET", "/faults")).toEqual({ faults: [] });
  });
});

describe("readiness and documentation", () => {
  it("says that it is ready, and where everything is", async () => {
    const { authUrl, baseUrl, controlUrl } = sandbox;
    expect(await sandbox.ask("GET", "/ready")).toEqual({
      ready: true,
      seed: 1,
      authUrl,
      baseUrl,
      controlUrl,
    });
    expect(await sandbox.ask("GET", "/health")).toEqual({ status: "ok" });
  });

  it("documents both APIs as OpenAPI, with the addresses at which they are", async () => {
    const origin = new URL(sandbox.controlUrl).origin;
    const read = async (path: string) =>
      (await (await fetch(`${origin}${path}`)).json()) as {
        readonly openapi: string;
        readonly servers: unknown;
        readonly paths: Record<string, { readonly servers?: unknown }>;
      };
    const service = await read("/openapi.json");
    expect(service.openapi).toBe("3.1.0");
    expect(service.servers).toEqual([{ url: sandbox.baseUrl }]);
    expect(service.paths["/oauth/token"]?.servers).toEqual([{ url: sandbox.authUrl }]);
    expect(Object.keys(service.paths)).toContain("/profile");
    const control = await read("/control/openapi.json");
    expect(control.servers).toEqual([{ url: origin }]);
    expect(Object.keys(control.paths).toSorted()).toEqual([
      "/control/accounts",
      "/control/accounts/{account}",
      "/control/accounts/{account}/characters/{realm}/{name}",
      "/control/accounts/{account}/stashes/{realm}/{league}/{id}",
      "/control/audit",
      "/control/authorize",
      "/control/clients",
      "/control/clock",
      "/control/edits",
      "/control/faults",
      "/control/faults/{id}",
      "/control/grants/{id}",
      "/control/health",
      "/control/items/{id}",
      "/control/journal",
      "/control/journal/capture",
      "/control/journal/stream",
      "/control/journal/{id}/bodies",
      "/control/leagues/{realm}/{id}",
      "/control/limits",
      "/control/policies",
      "/control/ready",
      "/control/replay",
      "/control/reset",
      "/control/restore",
      "/control/scenarios",
      "/control/snapshot",
      "/control/tokens",
      "/control/unmatched",
      "/control/verify",
      "/control/world",
    ]);
  });
});

describe("paths that nobody serves", () => {
  it("are 404 and say so", async () => {
    const control = await sandbox.control("GET", "/nowhere");
    expect(control.status).toBe(404);
    expect(await control.json()).toEqual({
      reason: "no such path; /control/openapi.json lists what there is",
    });
    const auth = await fetch(`${sandbox.authUrl}/oauth/nowhere`);
    expect(auth.status).toBe(404);
    expect(await auth.text()).toBe("no such path on the auth address\n");
  });
});

describe("the control plane's door", () => {
  it.each([
    "https://evil.example",
    "http://127.0.0.1:5000",
    "http://localhost:4000",
    "https://127.0.0.1:4000",
    "null",
  ])("is closed to web pages of %s, and open to its own", async (origin) => {
    const reset = (headers: Record<string, string>) =>
      fetch(`${sandbox.controlUrl}/reset`, { method: "POST", headers });
    const response = await reset({ origin });
    expect(response.status).toBe(403);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect((await reset({ origin: new URL(sandbox.controlUrl).origin })).status).toBe(200);
  });

  it("is on an address of its own: the API under test knows nothing of it", async () => {
    for (const base of [sandbox.baseUrl, sandbox.authUrl]) {
      expect((await fetch(`${base}/control/ready`)).status).toBe(404);
      expect((await fetch(`${base}/openapi.json`)).status).toBe(404);
      expect((await fetch(`${base}/control/reset`, { method: "POST" })).status).toBe(404);
    }
    expect((await fetch(`${new URL(sandbox.controlUrl).origin}/profile`)).status).toBe(404);
  });
});
