/**
 * Under which names the sandbox answers: a page that rebinds its own name to 127.0.0.1 gets
 * nothing, on no listener.
 */
import { createSandboxHandler, type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeHostCheck } from "../../src/http/hostCheck.ts";

const at = (host: string, addresses = "http://127.0.0.1", hosts?: ReadonlyArray<string>) =>
  makeHostCheck(
    {
      authUrl: `${addresses}:4000`,
      baseUrl: `${addresses}:4001`,
      controlUrl: `${addresses}:4002/control`,
    },
    hosts,
  )(host);

describe("a Host", () => {
  it("is good where it is a name of this machine", () => {
    for (const host of [
      "127.0.0.1:4000",
      "127.0.0.1",
      "LOCALHOST:9",
      "[::1]:4000",
      "127.8.8.8",
      "a.b.localhost",
    ])
      expect([host, at(host).refused]).toEqual([host, undefined]);
  });

  it("is refused where it is anybody else's", () => {
    for (const host of [
      "evil.example",
      "evil.example:4000",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "evillocalhost",
      "10.0.0.7:4000",
      "[::2]",
    ])
      expect([host, at(host).refused]).toEqual([host, "the Host is not a name of this sandbox"]);
  });

  it("is refused where it is none", () => {
    for (const host of ["a b", "127.0.0.1:4000/x", "user@127.0.0.1", "127.0.0.1#x", ""])
      expect([host, at(host).refused]).toEqual([host, "the Host header is malformed"]);
  });

  it("may be one that the options name, in any case and on any port", () => {
    expect(at("build-server:4000", undefined, ["Build-Server"]).refused).toBeUndefined();
    expect(at("BUILD-SERVER", undefined, ["build-server"]).refused).toBeUndefined();
    expect(at("other:4000", undefined, ["build-server"]).refused).toBeDefined();
  });

  it("is not judged where other machines were let in on purpose, unless names are listed", () => {
    expect(at("build-server", "http://0.0.0.0").refused).toBeUndefined();
    expect(at("other", "http://0.0.0.0", ["build-server"]).refused).toBeDefined();
    expect(at("build-server", "http://0.0.0.0", ["build-server"]).refused).toBeUndefined();
    expect(at("0.0.0.0:4000", "http://0.0.0.0", ["build-server"]).refused).toBeUndefined();
  });

  it("tells the origin under which a request came", () => {
    expect(at("localhost:4002").origin).toBe("http://localhost:4002");
    expect(at("127.0.0.1:4002").origin).toBe("http://127.0.0.1:4002");
  });
});

describe("a rebound name", () => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ now: "2026-03-01T12:00:00Z" });
    await fetch(`${sandbox.controlUrl}/clock`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ freeze: true }),
    });
  });
  afterAll(() => sandbox.close());

  const ask = (url: string, headers: Record<string, string>) =>
    new Promise<{ status?: number; date?: string; body: string }>((resolve, reject) => {
      const call = request(url, { headers }, (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => (body += chunk.toString()));
        const { date = "" } = response.headers;
        response.on("end", () => resolve({ status: response.statusCode ?? 0, date, body }));
      });
      call.once("error", reject);
      call.end();
    });

  it("is 421 on every listener, whatever else the request brings", async () => {
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

  it("is the one of an absolute target, whatever the header says (RFC 9112 §3.2.2)", async () => {
    const { host, hostname, port } = new URL(sandbox.baseUrl);
    const statusOf = (path: string, header: string) =>
      new Promise((resolve) => {
        const call = request({ hostname, port, path, headers: { host: header } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        call.end();
      });
    expect(await statusOf(`http://${host}/profile`, "evil.example")).toBe(401);
    expect(await statusOf("http://evil.example/profile", host)).toBe(421);
    expect(await statusOf(`http://${host}?x`, host)).toBe(404);
  });

  it("stands in the journal, at the virtual time, and so does a path of another listener", async () => {
    await fetch(`${sandbox.controlUrl}/journal`, { method: "DELETE" });
    const foreign = await ask(`${sandbox.baseUrl}/profile`, { host: "evil.example" });
    const stray = await ask(`${sandbox.authUrl}/league?realm=pc`, {});
    const other = await ask(`${sandbox.baseUrl}/oauth/token`, {});
    expect([foreign.status, stray.status, other.status]).toEqual([421, 404, 404]);
    for (const { date } of [foreign, stray, other])
      expect(date).toMatch(/^Sun, 01 Mar 2026 12:00:/u);
    const { entries } = (await (await fetch(`${sandbox.controlUrl}/journal`)).json()) as {
      readonly entries: ReadonlyArray<Record<string, unknown>>;
    };
    expect(
      entries.map(({ listener, policy, route, status }) => [listener, route, status, policy]),
    ).toEqual([
      ["data", "/profile", 421, null],
      ["auth", null, 404, null],
      ["data", null, 404, null],
    ]);
  });
});

it("in process, a Host header that lies is refused as well", async () => {
  const sandbox = await createSandboxHandler();
  const ask = async (host: string) =>
    (await sandbox.fetch(new Request(`${sandbox.baseUrl}/profile`, { headers: { host } }))).status;
  expect(await ask("api.sandbox.localhost")).toBe(401);
  expect(await ask("evil.example")).toBe(421);
  await sandbox.close();
});
