import { describe, expect, it } from "vitest";
import type { TokenBody } from "../oauth/harness.ts";
import { NOON, openForFile } from "./harness.ts";

interface Reading {
  readonly now: string;
  readonly frozen: boolean;
}

const sandbox = await openForFile();

const clock = (body: unknown) => sandbox.ask<Reading>("POST", "/clock", body);

describe("the clock", () => {
  it("POST /control/clock freezes, advances and sets the virtual clock", async () => {
    await clock({ set: NOON });
    const moved = await clock({ advance: "31 seconds" });
    expect(moved).toEqual({ now: "2026-03-01T12:00:31.000Z", frozen: true });
    const later = { now: "2027-01-29T00:00:00.000Z", frozen: true };
    expect(await clock({ set: "2027-01-01T00:00:00Z", advance: "28 days" })).toEqual(later);
    expect(await sandbox.ask("GET", "/clock")).toEqual(later);
  });

  it("the virtual clock is frozen at the exact instant that the same request sets", async () => {
    await clock({ unfreeze: true });
    const set = await clock({ freeze: true, set: "2027-01-01T00:00:00Z" });
    expect(set).toEqual({ now: "2027-01-01T00:00:00.000Z", frozen: true });
  });

  it("the OAuth server and the data API send the virtual time as Date header", async () => {
    await clock({ set: "2027-01-01T00:00:00Z" });
    const paths = ["/oauth/authorize", "/oauth/token", "/oauth/nowhere", "/my/applications"];
    for (const url of [
      `${sandbox.baseUrl}/profile`,
      `${sandbox.baseUrl}/nowhere`,
      ...paths.map((path) => `${sandbox.authUrl}${path}`),
    ])
      expect((await fetch(url)).headers.get("date")).toBe("Fri, 01 Jan 2027 00:00:00 GMT");
  });

  it.each([
    [{}, "name one of"],
    [{ advance: "soon" }, "no duration"],
    [{ advance: "-1 seconds" }, "no duration"],
    [{ advance: "Infinity" }, "no duration"],
    [{ set: NOON, advance: "soon" }, "no duration"],
    [{ set: "noon" }, "no instant"],
    [{ advance: "100000000000 days" }, "1971 to 9998"],
    [{ set: "+010000-01-01T00:00:00Z" }, "1971 to 9998"],
    [{ set: "-000001-12-31T00:00:00Z" }, "1971 to 9998"],
    [{ set: "9998-12-31T23:59:59Z", advance: "1 second" }, "1971 to 9998"],
  ])("POST /control/clock refuses %j, and does not move the clock", async (body, says) => {
    const before = await sandbox.ask("GET", "/clock");
    await expect(clock(body)).rejects.toMatchObject({
      status: 400,
      reason: expect.stringContaining(says),
    });
    expect(await sandbox.ask("GET", "/clock")).toEqual(before);
  });
});

describe("faults", () => {
  it("faults on the control plane are listed, replaced and removed by their ids", async () => {
    const rule = { id: "mine", when: { count: 1 }, fault: { kind: "status", status: 500 } };
    await sandbox.ask("POST", "/faults", [rule, { fault: { kind: "hang" } }]);
    await sandbox.ask("POST", "/faults", { ...rule, when: { count: 2 } });
    expect(await sandbox.ask("GET", "/faults")).toMatchObject({
      faults: [{ id: "mine", rule: { ...rule, when: { count: 2 } } }, { id: "fault-1" }],
    });
    expect((await sandbox.control("DELETE", "/faults/mine")).status).toBe(204);
    expect((await sandbox.control("DELETE", "/faults/mine")).status).toBe(404);
    expect((await sandbox.control("DELETE", "/faults")).status).toBe(204);
    expect(await sandbox.ask("GET", "/faults")).toEqual({ faults: [] });
  });
});

it("GET /control/tokens lists grants with the first characters of their tokens, until revoked", async () => {
  const tokens = await sandbox.ask<TokenBody>("POST", "/tokens", { clientId: "example-desktop" });
  const listed = async () => (await sandbox.ask<any>("GET", "/tokens")).grants;
  const [{ id, ...grant }] = await listed();
  expect(grant).toMatchObject({ clientId: "example-desktop", account: "Emberlyn#4071" });
  const prefixes = [tokens.access_token, tokens.refresh_token!].map((text) => text.slice(0, 6));
  expect(grant.tokens.map(({ prefix }: any) => prefix)).toEqual(prefixes);
  expect((await sandbox.control("DELETE", `/grants/${id}`)).status).toBe(204);
  expect(await listed()).toEqual([]);
});

describe("readiness and documentation", () => {
  it("GET /ready has the seed and the addresses, and GET /health says ok", async () => {
    const { authUrl, baseUrl, controlUrl } = sandbox;
    const ready = { ready: true, seed: 1, authUrl, baseUrl, controlUrl };
    expect(await sandbox.ask("GET", "/ready")).toEqual(ready);
    expect(await sandbox.ask("GET", "/health")).toEqual({ status: "ok" });
  });

  it("a sandbox serves OpenAPI documents of the service and the control plane, with its addresses", async () => {
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
    expect(Object.keys(control.paths).length).toBeGreaterThan(15);
    for (const path of ["clock", "faults/{id}", "scenarios", "journal/stream"])
      expect(control.paths).toHaveProperty([`/control/${path}`]);
  });
});

describe("paths that nobody serves", () => {
  it("unknown paths of all three listeners are 404, and / names the console", async () => {
    expect((await sandbox.control("DELETE", "/grants/nope")).status).toBe(404);
    const control = await sandbox.control("GET", "/nowhere");
    expect(control.status).toBe(404);
    expect(await control.json()).toEqual({
      reason: "no such path; /control/openapi.json lists what there is",
    });
    const auth = await fetch(`${sandbox.authUrl}/oauth/nowhere`);
    expect(auth.status).toBe(404);
    expect(await auth.text()).toBe("no such path on the auth address\n");
    const data = await fetch(`${sandbox.baseUrl}/nowhere`);
    expect([data.status, await data.json()]).toMatchObject([404, { error: { code: 1 } }]);
    for (const base of [sandbox.authUrl, sandbox.baseUrl])
      expect(await (await fetch(base)).text()).toContain(
        `the console is at ${new URL(sandbox.controlUrl).origin}/`,
      );
  });
});

describe("the control plane's door", () => {
  it.each([
    "https://evil.example",
    "http://127.0.0.1:5000",
    "http://localhost:4000",
    "https://127.0.0.1:4000",
    "null",
  ])("the control plane refuses web pages of the origin %s, but not its own", async (origin) => {
    const reset = (headers: Record<string, string>) =>
      fetch(`${sandbox.controlUrl}/reset`, { method: "POST", headers });
    const response = await reset({ origin });
    expect(response.status).toBe(403);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect((await reset({ origin: new URL(sandbox.controlUrl).origin })).status).toBe(200);
    for (const site of ["cross-site", "same-site"])
      expect((await reset({ "sec-fetch-site": site })).status).toBe(403);
  });

  it("HEAD /control/health is answered with 200", async () => {
    const url = `${sandbox.controlUrl}/health`;
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
  });

  it("the control plane has its own address, and does not answer at those of the service", async () => {
    for (const base of [sandbox.baseUrl, sandbox.authUrl]) {
      expect((await fetch(`${base}/control/ready`)).status).toBe(404);
      expect((await fetch(`${base}/openapi.json`)).status).toBe(404);
      expect((await fetch(`${base}/control/reset`, { method: "POST" })).status).toBe(404);
    }
    expect((await fetch(`${new URL(sandbox.controlUrl).origin}/profile`)).status).toBe(404);
  });
});
