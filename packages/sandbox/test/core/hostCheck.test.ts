/**
 * Under which names the sandbox answers: a page that rebinds its own name to 127.0.0.1 gets
 * nothing, on no listener.
 */
import { createSandboxHandler, type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeHostCheck } from "../../src/http/origins.ts";
import { ask } from "./program.ts";

const at = (host: string, addresses = "http://127.0.0.1", hosts?: ReadonlyArray<string>) =>
  makeHostCheck({ authUrl: addresses, baseUrl: addresses, controlUrl: addresses, hosts })(host);

const ANYBODYS = "the Host is not a name of this sandbox";

describe("a Host", () => {
  it.each([
    ["127.0.0.1:4000", "127.0.0.1", "LOCALHOST:9", "[::1]:4000", "127.8.8.8", "a.b.localhost"],
  ])("the host check accepts every name of this machine", (...hosts) => {
    for (const host of hosts) expect([host, at(host).refused]).toEqual([host, undefined]);
  });

  it.each<readonly [host: string, reason: string]>([
    ["evil.example", ANYBODYS],
    ["evil.example:4000", ANYBODYS],
    ["127.0.0.1.evil.example", ANYBODYS],
    ["localhost.evil.example", ANYBODYS],
    ["evillocalhost", ANYBODYS],
    ["10.0.0.7:4000", ANYBODYS],
    ["[::2]", ANYBODYS],
    ...["a b", "127.0.0.1:4000/x", "user@127.0.0.1", "127.0.0.1#x", ""].map(
      (host): [string, string] => [host, "the Host header is malformed"],
    ),
  ])("the host check refuses the Host %j", (host, reason) => {
    expect(at(host).refused).toBe(reason);
  });

  it.each([
    ["build-server:4000", "http://127.0.0.1", ["Build-Server"], true],
    ["BUILD-SERVER", "http://127.0.0.1", ["build-server"], true],
    ["other:4000", "http://127.0.0.1", ["build-server"], false],
    // Where other machines were let in on purpose, every name is good unless some are listed.
    ["build-server", "http://0.0.0.0", undefined, true],
    ["other", "http://0.0.0.0", ["build-server"], false],
    ["build-server", "http://0.0.0.0", ["build-server"], true],
    ["0.0.0.0:4000", "http://0.0.0.0", ["build-server"], true],
  ])("the Host %s at %s with the hosts %j is accepted: %s", (host, addresses, hosts, isGood) => {
    expect(at(host, addresses, hosts).refused === undefined).toBe(isGood);
  });

  it("the host check returns the origin of an accepted Host", () => {
    for (const host of ["localhost:4002", "127.0.0.1:4002"])
      expect(at(host).origin).toBe(`http://${host}`);
  });
});

describe("a rebound name", () => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ now: "2026-03-01T12:00:00Z" });
    await sandbox.control("POST", "/clock", { freeze: true });
  });
  afterAll(() => sandbox.close());

  it("a foreign Host (DNS rebinding) is 421 on every listener, whatever the request contains", async () => {
    const paths = [
      `${sandbox.authUrl}/my/applications`,
      `${sandbox.authUrl}/oauth/token`,
      `${sandbox.baseUrl}/profile`,
      `${sandbox.baseUrl}/nowhere`,
      `${sandbox.controlUrl}/clients`,
    ];
    for (const url of paths) {
      const answer = await ask(url, { host: "evil.example", origin: "http://evil.example" });
      expect([url, answer.status]).toEqual([url, 421]);
      expect(answer.body).not.toContain("evil");
    }
    const data = await ask(`${sandbox.baseUrl}/profile`, { host: "evil.example" });
    expect(JSON.parse(data.body)).toEqual({
      error: { code: 2, message: "Misdirected: the Host is not a name of this sandbox." },
    });
  });

  it("a foreign host in an absolute target is 421, whatever the Host header is (RFC 9112 §3.2.2)", async () => {
    const { host } = new URL(sandbox.baseUrl);
    const statusOf = async (path: string, header: string) =>
      (await ask(sandbox.baseUrl, { host: header }, { path })).status;
    expect(await statusOf(`http://${host}/profile`, "evil.example")).toBe(401);
    expect(await statusOf("http://evil.example/profile", host)).toBe(421);
    expect(await statusOf(`http://${host}?x`, host)).toBe(404);
  });

  it("the journal has requests with a foreign Host or a path of another listener", async () => {
    await sandbox.control("DELETE", "/journal");
    const foreign = await ask(`${sandbox.baseUrl}/profile`, { host: "evil.example" });
    const stray = await ask(`${sandbox.authUrl}/league?realm=pc`, {});
    const other = await ask(`${sandbox.baseUrl}/oauth/token`, {});
    expect([foreign.status, stray.status, other.status]).toEqual([421, 404, 404]);
    for (const { headers } of [foreign, stray, other])
      expect(headers.date).toMatch(/^Sun, 01 Mar 2026 12:00:/u);
    const { entries } = (await sandbox.control("GET", "/journal")) as { readonly entries: unknown };
    expect(entries).toMatchObject([
      { listener: "data", route: "/profile", status: 421, policy: null },
      { listener: "auth", route: null, status: 404, policy: null },
      { listener: "data", route: null, status: 404, policy: null },
    ]);
  });
});

it("a sandbox in process refuses a foreign Host header with 421", async () => {
  await using sandbox = await createSandboxHandler();
  const statusOf = async (host: string) =>
    (await sandbox.fetch(new Request(`${sandbox.baseUrl}/profile`, { headers: { host } }))).status;
  expect(await statusOf("api.sandbox.localhost")).toBe(401);
  expect(await statusOf("evil.example")).toBe(421);
});
