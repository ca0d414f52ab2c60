/** Strict control documents, the control key, public addresses, verify, and one error shape. */
import { startSandbox } from "@game-data/sandbox";
import { describe, expect, it } from "vitest";
import { NOON, openForFile } from "./harness.ts";

const sandbox = await openForFile();

interface Refusal {
  readonly reason: string;
  readonly issues?: ReadonlyArray<{ readonly pointer: string; readonly nearest?: string }>;
}

const refuse = async (path: string, body: unknown, method = "POST"): Promise<Refusal> => {
  const response = await sandbox.control(method, path, body);
  expect([path, response.status]).toEqual([path, 400]);
  return (await response.json()) as Refusal;
};

const LATER = "2027-01-01T00:00:00Z";
const HANG = { fault: { kind: "hang" } };
const DOWN = { kind: "status", status: 503 };

describe("a document without a meaning", () => {
  it.each([
    ["/faults", { fault: { kind: "members", add: {} } }, "/fault"],
    ["/faults", { fault: { kind: "headers", remove: [] } }, "/fault"],
    ["/faults", { fault: { kind: "nulls", members: [] } }, "/fault/members"],
    ["/faults", { fault: { kind: "contentLength", differsBy: 0 } }, "/fault/differsBy"],
    ["/faults", { match: { endpoint: "profile" }, fault: { kind: "nullResult" } }, "/match"],
    ["/faults", { match: { path: "/league" }, fault: { kind: "changeId", mode: "end" } }, "/match"],
    ["/faults", { match: { method: "POST" }, fault: { kind: "duplicateChanges" } }, "/match"],
    ["/faults", { match: { route: "/profile" }, fault: { kind: "forgedState" } }, "/match"],
    ["/faults", { fault: { kind: "explode" } }, "/fault/kind"],
    ["/faults", [HANG, { fault: { kind: "changeId", mode: "set" } }], "/1/fault/id"],
    ["/faults", { when: { from: "noon" }, ...HANG }, "/when/from"],
    ["/faults", { when: { probability: 2 }, ...HANG }, "/when/probability"],
    ["/faults", { fault: { ...DOWN, headers: { "x y": "a" } } }, "/fault/headers/x y"],
    ["/faults", { fault: { ...DOWN, retryAfter: "a\nb" } }, "/fault/retryAfter"],
    ["/faults", { fault: { kind: "headers", set: { "x-y": "a\nb" } } }, "/fault/set/x-y"],
    ["/faults", { id: "", fault: { kind: "hang" } }, "/id"],
    ["/faults", { fault: { kind: "status", status: 204, body: "x" } }, "/fault/body"],
    ["/journal/capture", { match: { endpoint: "oauth" }, count: 1 }, "/match/endpoint"],
    ["/reset", { seed: 1 }, "/seed"],
    ["/snapshot", { x: 1 }, "/x"],
    ["/clock", { freeze: true, unfreeze: true }, "/unfreeze"],
    ["/tokens", { clientId: "example-desktop", scopes: [] }, "/scopes"],
    ["/faults", { when: { from: LATER, until: NOON }, ...HANG }, "/when/until"],
    ["/verify", { match: {}, exactly: 0, atLeast: 2 }, "/atLeast"],
    ["/faults", { macth: {}, when: { nht: 1 }, ...HANG }, "/macth", "/when/nht"],
  ])("is refused: %s %j", async (path, body, ...pointers) => {
    const { issues = [] } = await refuse(path, body);
    expect(issues.map(({ pointer }) => pointer).toSorted()).toEqual(pointers);
    expect(await sandbox.ask("GET", "/faults")).toEqual({ faults: [] });
  });

  it("is refused where it edits what cannot be", async () => {
    const day = "2026-03-01T12:00:00Z";
    const edits = [
      ["/leagues/pc/Mine", { startAt: day, endAt: day }],
      ["/accounts/Emberlyn%234071/stashes/pc/Standard/xyz", { name: "x" }],
      [`/items/${"b".repeat(64)}`, { item: { frameType: 12 } }],
    ] as const;
    const pointers = [];
    for (const [path, body] of edits)
      pointers.push((await refuse(path, body, "PUT")).issues?.map(({ pointer }) => pointer));
    expect(pointers).toEqual([["/endAt"], ["{id}"], expect.arrayContaining(["/item/frameType"])]);
    expect((await sandbox.control("DELETE", "/grants/nope")).status).toBe(404);
  });

  it("names what an instant of a league has to be", async () => {
    for (const endAt of ["yesterday", "2026-02-30T00:00:00Z"])
      expect(await refuse("/leagues/pc/Mine", { endAt }, "PUT")).toMatchObject({
        reason: "/endAt: Expected null or an instant such as 2026-03-01T12:00:00Z",
      });
  });
});

it("snapshots hold faults with their counters", async () => {
  const token = await sandbox.serviceToken();
  await sandbox.addFault({ id: "third", when: { nth: 3 }, fault: { kind: "status", status: 503 } });
  await sandbox.get("/league", token);
  const snapshot = await sandbox.ask("POST", "/snapshot");
  await sandbox.ask("DELETE", "/faults");
  await sandbox.ask("POST", "/restore", snapshot);
  const seen = [];
  for (let time = 0; time < 3; time++) seen.push((await sandbox.get("/league", token)).status);
  expect(seen).toEqual([200, 503, 200]);
  expect(await sandbox.ask("POST", "/snapshot")).toMatchObject({
    faults: [{ id: "third", seen: 4, fired: 1 }],
  });
});

describe("verify", () => {
  it("counts requests: 200 where the number is met, 409 with the nearest where it is not", async () => {
    const token = await sandbox.serviceToken();
    await sandbox.get("/league", token);
    const match = { endpoint: "leagues.list", clientId: "example-service" };
    const met = await sandbox.ask("POST", "/verify", { match, exactly: 1 });
    expect(met).toMatchObject({ isMet: true, count: 1 });
    const other = { match: { endpoint: "leagues.ladder" }, atLeast: 1 };
    const missed = await sandbox.control("POST", "/verify", other);
    expect(missed.status).toBe(409);
    const nearest = [{ endpoint: "leagues.list" }];
    expect(await missed.json()).toMatchObject({ count: 0, matched: [], nearest });
    expect((await refuse("/verify", { match })).reason).toContain("exactly");
    expect((await refuse("/verify", { match, status: 700, exactly: 0 })).reason).toContain("599");
    for (const query of ["endpoint=profil", "clientId=zz"])
      expect((await refuse(`/journal?${query}`, undefined, "GET")).reason).toContain("there is no");
  });

  it("counts a request that still waits for its answer", async () => {
    await sandbox.ask("POST", "/faults", { id: "slow", fault: { kind: "hang" } });
    const stop = new AbortController();
    const waiting = fetch(`${sandbox.baseUrl}/profile`, { signal: stop.signal }).catch(() => {});
    const match = { endpoint: "profile" };
    await expect
      .poll(async () => (await sandbox.control("POST", "/verify", { match, exactly: 1 })).status)
      .toBe(200);
    expect((await sandbox.control("POST", "/verify", { match, exactly: 0 })).status).toBe(409);
    stop.abort();
    await waiting;
  });
});

describe("beyond loopback", () => {
  it("the control plane asks for its key, and health does not", async () => {
    const remote = await startSandbox({ host: "0.0.0.0", allowRemote: true });
    const { port } = new URL(remote.controlUrl);
    const ask = async (path: string, key = "") => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`http://127.0.0.1:${port}/control${path}`, { headers })).status;
    };
    expect(remote.controlKey).toMatch(/^[\w-]{43}$/u);
    expect([await ask("/clock"), await ask("/clock", "wrong")]).toEqual([401, 401]);
    expect(await ask("/clock", remote.controlKey)).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/control/health`)).status).toBe(200);
    await remote.close();
    expect(sandbox).not.toHaveProperty("controlKey");
  });

  it("tells the addresses under which others reach it", async () => {
    const one = await startSandbox({ publicUrl: "http://sandbox:4000", hosts: ["sandbox"] });
    expect([one.authUrl, one.baseUrl, one.controlUrl]).toEqual([
      "http://sandbox:4000",
      "http://sandbox:4001",
      "http://sandbox:4002/control",
    ]);
    await one.close();
    for (const publicUrl of ["http://0.0.0.0:4000", "sandbox", "http://sandbox", "http://s:1/x"])
      await expect(startSandbox({ publicUrl })).rejects.toThrow("publicUrl");
  });
});

it("serves all three listeners on one port, each under its own paths", async () => {
  const one = await startSandbox({ singlePort: true });
  expect(new URL(one.authUrl).port).toBe(new URL(one.controlUrl).port);
  const status = async (path: string) => (await fetch(`${one.authUrl}${path}`)).status;
  expect(await status("/my/applications")).toBe(200);
  expect(await status("/profile")).toBe(401);
  expect(await status("/control/ready")).toBe(200);
  await one.close();
});
