/** Strict control documents, the control key, public addresses, verify, and one error shape. */
import { type Issue, startSandbox } from "@game-data/sandbox";
import { describe, expect, it } from "vitest";
import { NOON, openForFile } from "./harness.ts";

const sandbox = await openForFile();

interface Refusal {
  readonly reason: string;
  readonly issues?: ReadonlyArray<Issue>;
}

const LATER = "2027-01-01T00:00:00Z";
const HANG = { fault: { kind: "hang" } };
const DOWN = { kind: "status", status: 503 };
const PUBLIC = { clientId: "x", kind: "public", redirectUris: [] };
const NO_LIMITS = { enabled: true, hiddenBuckets: null, endpoints: {} };
const limitedBy = (Ip: string) => ({ ...NO_LIMITS, policies: { p: { Ip } } });
const IN_VAIN = { match: { path: "/nowhere" }, ...HANG };

/** A document, the places of its mistakes, and words that say what they are. */
type Row = [body: object | undefined, pointers: string, says?: string | RegExp];

/** Every kind of rule, in every document. */
const MISTAKES: Readonly<Record<string, ReadonlyArray<Row>>> = {
  "POST /faults": [
    [{ fault: { kind: "members", add: {} } }, "/fault"],
    [{ fault: { kind: "headers", remove: [] } }, "/fault"],
    [{ fault: { kind: "nulls", members: [] } }, "/fault/members"],
    [{ fault: { kind: "contentLength", differsBy: 0 } }, "/fault/differsBy"],
    [{ match: { endpoint: "profile" }, fault: { kind: "nullResult" } }, "/match"],
    [{ match: { path: "/league" }, fault: { kind: "changeId", mode: "end" } }, "/match"],
    [{ match: { method: "POST" }, fault: { kind: "duplicateChanges" } }, "/match"],
    [{ match: { route: "/profile" }, fault: { kind: "forgedState" } }, "/match"],
    [[HANG, { fault: { kind: "changeId", mode: "set" } }], "/1/fault/id"],
    [{ when: { probability: 2 }, ...HANG }, "/when/probability"],
    [{ when: { from: LATER, until: NOON }, ...HANG }, "/when/until"],
    [{ fault: { ...DOWN, headers: { "x~/": "a" } } }, "/fault/headers/x~0~1"],
    [{ fault: { ...DOWN, retryAfter: "a\nb" } }, "/fault/retryAfter"],
    [{ fault: { kind: "headers", set: { "x-y": "a\nb" } } }, "/fault/set/x-y"],
    [{ id: "", fault: { kind: "hang" } }, "/id"],
    [{ fault: { kind: "status", status: 204, body: "x" } }, "/fault/body"],
    [{ match: { endpoint: "profile", method: "POST" }, ...HANG }, "/match"],
    [{ match: { endpoint: "profile", grantType: "refresh_token" }, ...HANG }, "/match"],
    [{ when: { nth: 3, after: 5 }, ...HANG }, "/when/nth", "no request is all"],
    [{ when: { nth: [1, 3], every: 2 }, ...HANG }, "/when/nth"],
    [{ fault: { kind: "headers", remove: ["Date"] } }, "/fault", "is set by"],
    [{ fault: { kind: "headers", set: { "content-length": "3" } } }, "/fault"],
    [{ fault: { kind: "members" } }, "/fault", "/fault: it does nothing"],
    [IN_VAIN, "/match/path"],
    [{ match: { path: "/stahs/" }, ...HANG }, "/match/path"],
    [{ macth: {}, ...HANG }, "/macth", "did you mean match?"],
    [{ when: { nht: 1 }, ...HANG }, "/when/nht", "did you mean nth?"],
    [{ fault: { kind: "hagn" } }, "/fault/kind", "did you mean hang?"],
    [{ fault: { kind: "hagn", knd: "x" } }, "/fault/kind", "hang?"],
    [{ fault: { knd: "hang" } }, "/fault/kind /fault/knd", "unknown member; did you mean kind?"],
    [{ fault: { other: 1 } }, "/fault/kind", "Expected one of status, firewallPage, delay, "],
    [{ fault: null }, "/fault", "Expected object"],
    [{ fault: [] }, "/fault", "Expected object"],
    [
      { fault: { kind: "delay", milisconds: 5 } },
      "/fault/milisconds /fault/milliseconds",
      "milliseconds?",
    ],
    [{ match: { endpoint: "profil" }, ...HANG }, "/match/endpoint", "mean profile?"],
    [{ match: { route: "/profil" }, ...HANG }, "/match/route", "mean /profile?"],
    [{ match: { method: "GTE" }, ...HANG }, "/match/method", "did you mean GET?"],
    [{ match: { clientId: "example-wbe" }, ...HANG }, "/match/clientId", "example-web?"],
    [{ match: { account: "Emberlyn" }, ...HANG }, "/match/account", "there is no"],
    [{ match: {} }, "/fault", "is missing"],
  ],
  "POST /verify": [
    [{ match: { endpoint: "profile", method: "POST" }, exactly: 0 }, "/match"],
    [{ match: {}, exactly: 0, atLeast: 2 }, "/atLeast", "no number of requests"],
    [{ match: {}, exactly: 3, atMost: 2 }, "/atMost"],
    [{ match: {} }, "", "exactly"],
    [{ match: {}, status: 700, exactly: 0 }, "/status", "599"],
    [{ match: { path: "/profil/x" }, exactly: 0 }, "/match/path"],
  ],
  "PUT /policies": [
    [{ policies: {} }, "/enabled /endpoints /hiddenBuckets", "is missing"],
    [{ profile: "generuos" }, "/profile", "did you mean generous?"],
    [{ profile: "none" }, "/profile", /Expected one of generous, realistic, off$/u],
    [{ ...NO_LIMITS, policies: {}, enabledd: true }, "/enabledd", "enabled?"],
    [
      { ...NO_LIMITS, policies: { p: { Ip: "1:1:1" } }, endpoints: { profil: "p" } },
      "/endpoints/profil",
      "mean profile?",
    ],
    [
      { ...NO_LIMITS, policies: { slow: { Ip: "1:1:1" } }, endpoints: { profile: "slwo" } },
      "/endpoints/profile",
      "mean slow?",
    ],
    [limitedBy("1:5:1,1:0:1"), "/policies/p/Ip", "has a period of 0 seconds"],
    [limitedBy("1:9:1,0:5:10"), "/policies/p/Ip", "permits nothing"],
    [limitedBy("1:5:1,9:5:1"), "/policies/p/Ip", "two windows of the same period"],
    ...["10", "10:5", "10:5:-1", "1.5:5:1", "10:5:10;30:60:300"].map((windows): Row => [
      limitedBy(windows),
      "/policies/p/Ip",
      "joined by commas",
    ]),
    [{ ...NO_LIMITS, policies: { p: {} } }, "/policies/p", "has no rule"],
    [{ ...NO_LIMITS, policies: { "a b": { Ip: "1:1:1" } } }, "/policies/a b"],
  ],
  "POST /reset": [
    [{ x: 1 }, "/x", "/x: unknown member"],
    [{ seed: 1 }, "/seed"],
  ],
  "POST /clock": [
    [{ advnce: "1 hour" }, "/advnce", "unfreeze, reset; did you mean advance?"],
    [{ set: "2026-02-30" }, "/set", "is no instant"],
    [{}, "", /^name one of set/u],
    [{ freeze: true, unfreeze: true }, "/unfreeze", "not both"],
    [{ beforeHour: "31 secnds" }, "/beforeHour", "did you mean 31 seconds?"],
    [{ advance: "31.25secnds" }, "/advance", "did you mean 31.25 seconds?"],
    [{ advance: "x 31 secnds" }, "/advance", /"31 seconds"$/u],
    [{ advance: "31 secnds." }, "/advance", /"31 seconds"$/u],
    [{ advance: "31 fortnights" }, "/advance", /"31 seconds"$/u],
  ],
  "POST /tokens": [
    [{ clientId: "example-dekstop" }, "/clientId", "did you mean example-desktop?"],
    [{ clientId: 5 }, "/clientId", /Expected string$/u],
    [{ clientId: "example-desktop", scopes: ["account:profil"] }, "/scopes/0", "account:profile?"],
    [{ clientId: "example-desktop", acount: "x" }, "/acount", "did you mean account?"],
    [{ clientId: "example-desktop", scopes: [] }, "/scopes"],
    [{ clientId: "example-desktop", scopes: ["service:leagues"] }, "/scopes/0"],
  ],
  "POST /clients": [
    [{ ...PUBLIC, kind: "pubilc" }, "/kind", "did you mean public?"],
    [{ ...PUBLIC, grants: ["refresh_tokn"] }, "/grants/0", "refresh_token?"],
    [{ ...PUBLIC, redirectUris: ["ftp://x"] }, "/redirectUris/0"],
    [{ ...PUBLIC, owner: "No" }, "/owner"],
  ],
  "POST /authorize": [
    [{ url: "x" }, "/url", "is no URL"],
    [{ uri: "x" }, "/uri /url"],
  ],
  "POST /scenarios": [
    [{ name: "maintenence" }, "/name", "did you mean maintenance?"],
    [{ name: "gone", setup: [{ method: "PSOT", path: "/" }] }, "/setup/0/method", "POST?"],
    [
      { name: "gone", steps: [{ after: { endpoint: "profil", count: 1 }, do: [] }] },
      "/steps/0/after/endpoint",
      "profile?",
    ],
  ],
  "POST /restore": [[{ format: 2 }, "/clock /faults /format /rates /seed /store", "Expected 1"]],
  "GET /journal?status=x": [[undefined, "?status"]],
  "GET /journal?endpoint=profil": [[undefined, "?endpoint", "there is no"]],
  "GET /journal?clientId=zz": [[undefined, "?clientId", "there is no"]],
  "POST /snapshot": [[{ x: 1 }, "/x"]],
};

it.each(
  Object.entries(MISTAKES).flatMap(([address, rows]) =>
    rows.map((row): [string, ...Row] => [address, ...row]),
  ),
)("%s refuses %j, and reports the places %s", async (address, body, pointers, says = "") => {
  const [method = "", path = ""] = address.split(" ");
  const policies = await sandbox.ask("GET", "/policies");
  const response = await sandbox.control(method, path, body);
  const { issues = [], reason } = (await response.json()) as Refusal;
  const found = issues.map(({ pointer }) => pointer).toSorted();
  expect([response.status, found.join(" ")]).toEqual([400, pointers]);
  expect(reason).toMatch(says);
  const sentences = issues.map(({ message, pointer: at }) =>
    at === "" ? message : `${at}: ${message}`,
  );
  expect(reason).toContain(sentences.join("; "));
  for (const { message, nearest } of issues)
    expect(/did you mean (.+)\?$/u.exec(message)?.[1]).toBe(nearest);
  expect(await sandbox.ask("GET", "/faults")).toEqual({ faults: [] });
  expect(await sandbox.ask("GET", "/policies")).toEqual(policies);
});

it("endpoints of the control plane without query parameters refuse a query", async () => {
  await sandbox.addFault({ id: "kept", fault: { kind: "hang" } });
  for (const [method, path] of [
    ["DELETE", "/faults?id=other"],
    ["GET", "/audit?x=1"],
  ] as const)
    expect((await sandbox.control(method, path)).status).toBe(400);
  expect(await sandbox.ask("GET", "/faults")).toMatchObject({ faults: [{ id: "kept" }] });
});

it.each([
  ["not JSON", "{"],
  ["not UTF-8", Uint8Array.of(0xff)],
  ["nested deeper than 500 levels", "[".repeat(501) + "]".repeat(501)],
])("the control plane refuses a body that is %s with this reason", async (reason, body) => {
  const response = await fetch(`${sandbox.controlUrl}/faults`, { method: "POST", body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ reason: `the body is ${reason}` });
});

it("a restored snapshot has its faults with their counters", async () => {
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
  it("POST /control/verify answers 200 if the number is met, else 409 with the nearest requests", async () => {
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
  });

  it("POST /control/verify counts a request that has not been answered yet", async () => {
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
  it("a control plane that other machines can reach requires its key, except for its health", async () => {
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

  it("a sandbox with `publicUrl` reports the addresses under which others reach it", async () => {
    const one = await startSandbox({ publicUrl: "http://sandbox:4000", hosts: ["sandbox"] });
    expect([one.authUrl, one.baseUrl, one.controlUrl]).toEqual([
      "http://sandbox:4000",
      "http://sandbox:4001",
      "http://sandbox:4002/control",
    ]);
    await one.close();
    for (const [says, ...urls] of [
      ["is not an http URL", "sandbox", "ftp://s:1", "xhttp://s:1", "http:// x"],
      ["has more than scheme, host and port", "http://s:1/x", "http://s:1?x", "http://s:1#x"],
      ["/publicUrl: nobody can reach 0.0.0.0", "http://0.0.0.0:4000"],
      ["/publicUrl: name a port", "http://sandbox"],
    ])
      for (const publicUrl of urls) await expect(startSandbox({ publicUrl })).rejects.toThrow(says);
  });
});

it("a sandbox with `singlePort` serves all three listeners on one port", async () => {
  const one = await startSandbox({ singlePort: true });
  expect(new URL(one.authUrl).port).toBe(new URL(one.controlUrl).port);
  const status = async (path: string) => (await fetch(`${one.authUrl}${path}`)).status;
  expect(await status("/my/applications")).toBe(200);
  expect(await status("/profile")).toBe(401);
  expect(await status("/control/ready")).toBe(200);
  await one.close();
});
