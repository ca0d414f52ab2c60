/** Worlds by path: each its own sandbox, keys and bounds, and what answers outside of them. */
import { type SandboxInfo, startWorlds } from "@game-data/sandbox";
import { afterAll, describe, expect, it } from "vitest";
import { formsOf } from "../oauth/browser.ts";
import { authorizeQuery } from "../oauth/harness.ts";
import { ask } from "./program.ts";

const NOON = "2026-03-01T12:00:00.000Z";
const worlds = await startWorlds({ seed: 7, now: NOON, mostWorlds: 60 });
afterAll(() => worlds.close());

const raw = (path: string, method = "GET", headers: Record<string, string> = {}) =>
  ask(worlds.origin, headers, { path, method });

const get = async ({ baseUrl }: SandboxInfo, path: string, token: string) =>
  fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });

describe("a world", () => {
  it("has addresses under its key, and its own tokens, clock, faults and journal", async () => {
    const [one, other] = [worlds.at("one"), worlds.at("other")];
    expect(one.baseUrl).toBe(`${worlds.origin}/worlds/one`);
    expect(one.controlUrl).toBe(`${worlds.origin}/worlds/one/control`);
    const token = await one.token({ scopes: ["account:profile"] });
    expect((await get(one, "/profile", token)).status).toBe(200);
    expect((await get(other, "/profile", token)).status).toBe(401);
    await one.fault({ match: { endpoint: "profile" }, fault: { kind: "status", status: 503 } });
    await one.advance("400 days");
    const others = await other.token({ scopes: ["account:profile"] });
    expect((await get(other, "/profile", others)).status).toBe(200);
    expect((await get(one, "/profile", token)).status).toBe(503);
    expect(await other.control("GET", "/clock")).toMatchObject({
      now: expect.stringMatching(/^2026-03-01T12/u),
    });
    await one.control("POST", "/reset");
    await other.verify({ match: { endpoint: "profile" }, exactly: 2 });
    await one.verify({ match: { endpoint: "profile" }, exactly: 0 });
  });

  it("is what its PUT says, the same for the same seed, and new after DELETE", async () => {
    const put = (key: string, body: object) =>
      fetch(`${worlds.origin}/worlds/${key}`, { method: "PUT", body: JSON.stringify(body) });
    const chosen = { seed: 99, now: "2026-05-01T00:00:00Z", world: { ladderSize: 30 } };
    const first = await put("chosen", chosen);
    expect(first.status).toBe(201);
    const info = (await first.json()) as SandboxInfo;
    expect(info.accounts).not.toEqual(worlds.at("one").accounts);
    expect((await put("twin", { seed: 99 })).status).toBe(201);
    expect(worlds.at("twin").accounts).toEqual(info.accounts);
    expect((await put("twin", {})).status).toBe(200);
    expect(worlds.at("twin").accounts).toEqual(worlds.at("one").accounts);
    const wrong = await put("chosen", { seeed: 1, now: "noon" });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ issues: [{ pointer: "/seeed", nearest: "seed" }] });
    expect((await put("chosen", { now: "noon" })).status).toBe(400);
    expect((await put("chosen", { now: NOON, frozen: true })).status).toBe(200);
    expect(await worlds.at("chosen").control("GET", "/clock")).toEqual({ now: NOON, frozen: true });
    expect((await fetch(`${worlds.origin}/worlds/chosen`, { method: "DELETE" })).status).toBe(204);
    expect(worlds.at("chosen").accounts).toEqual(worlds.at("one").accounts);
  });

  it("signs a person in on its own pages, with a cookie of its own path", async () => {
    const world = worlds.at("pages");
    const redirect_uri = "http://127.0.0.1:8765/callback";
    const query = authorizeQuery({ client_id: "example-desktop", redirect_uri });
    let cookie = "";
    const visit = async (to: string, form?: Record<string, string>) => {
      const response = await fetch(new URL(to, worlds.origin), {
        redirect: "manual",
        headers: { cookie },
        ...(form && { method: "POST", body: new URLSearchParams(form) }),
      });
      const set = response.headers.get("set-cookie");
      if (set !== null) expect(set).toContain("; Path=/worlds/pages/;");
      cookie = set?.split(";")[0] ?? cookie;
      return response;
    };
    const submit = async (page: Response, action: string, more: Record<string, string>) => {
      const form = formsOf(await page.text()).find((each) => each.action.endsWith(action))!;
      expect(form.action).toBe(`/worlds/pages${action}`);
      return (await visit(form.action, { ...form.fields, ...more })).headers.get("location")!;
    };
    const account = world.accounts[0]!.name;
    const first = await visit(`${world.authUrl}/oauth/authorize?${query}`);
    const next = await submit(first, "/sign-in", { account });
    expect(next).toMatch(/^\/worlds\/pages\/oauth\/consent/u);
    const back = await submit(await visit(next), "/oauth/consent", { decision: "allow" });
    expect(new URL(back).searchParams.get("code")).not.toBeNull();
    const applications = await (await visit("/worlds/pages/my/applications")).text();
    expect(applications).toContain('action="/worlds/pages/sign-out"');
  });

  it("has the console and the documentation under its path", async () => {
    expect((await raw("/worlds/one")).status).toBe(308);
    const page = await raw("/worlds/one/");
    expect(page.body).toContain('src="console.js"');
    for (const path of ["console.js", "console.css", "control/openapi.json", "openapi.json"])
      expect([path, (await raw(`/worlds/one/${path}`)).status]).toEqual([path, 200]);
    const { body } = await raw("/worlds/one/control/openapi.json");
    expect(JSON.parse(body)).toMatchObject({ servers: [{ url: `${worlds.origin}/worlds/one` }] });
  });
});

describe("a key", () => {
  it("that is none is refused in a path and in the process, and makes no world", async () => {
    const before = await raw("/worlds");
    const long = "a".repeat(41);
    for (const key of ["", "..", "%2e%2e", "%2e", long, "Upper"]) {
      const { body, status } = await raw(`/worlds/${key}/profile`);
      expect([key, status, body]).toEqual([key, 404, expect.stringContaining("1 to 40")]);
      expect(() => worlds.at(key)).toThrow("a key has 1 to 40");
    }
    for (const path of ["/worlds/", "/profile", "/"]) expect((await raw(path)).status).toBe(404);
    expect(() => worlds.at("a/b")).toThrow("a key has 1 to 40");
    expect((await raw("/worlds")).body).toBe(before.body);
    expect(worlds.at("a".repeat(40)).baseUrl).toContain("aaaa");
  });

  it("under a foreign Host, or of a page of another origin, makes no world", async () => {
    const origin = "https://evil.example";
    for (const [path, method, headers, status] of [
      ["/worlds/foreign/profile", "GET", { host: "evil.example" }, 421],
      ["/worlds/foreign", "PUT", { host: "evil.example" }, 421],
      ["/worlds/foreign", "PUT", { origin }, 403],
      ["/worlds/foreign/profile", "GET", { origin }, 403],
      ["/worlds/foreign/profile", "GET", { "sec-fetch-site": "cross-site" }, 403],
    ] as const)
      expect({ path, sent: headers, ...(await raw(path, method, headers)) }).toMatchObject({
        status,
      });
    expect((await raw("/worlds")).body).not.toContain("foreign");
  });
});

it("answers one world too many with 503, and drops none", async () => {
  await using few = await startWorlds({ mostWorlds: 2 });
  const statusOf = async (path: string, method = "GET") =>
    (await fetch(`${few.origin}${path}`, { method })).status;
  expect(await statusOf("/worlds/a/profile")).toBe(401);
  expect(await statusOf("/worlds/b/profile")).toBe(401);
  expect(await statusOf("/worlds/c/profile")).toBe(503);
  expect(await statusOf("/worlds/c", "PUT")).toBe(503);
  expect(() => few.at("c")).toThrow('the world "c" cannot start: there are 2 worlds already');
  expect(await statusOf("/worlds/a/profile")).toBe(401);
  expect(await statusOf("/worlds/a", "DELETE")).toBe(204);
  expect(await statusOf("/worlds/c/profile")).toBe(401);
});

it("ends the requests that wait for an answer of a world that goes", async () => {
  const url = `${worlds.origin}/worlds/leaving`;
  for (const method of ["DELETE", "PUT"]) {
    const world = worlds.at("leaving");
    await world.fault({ fault: { kind: "hang" } });
    const signal = AbortSignal.timeout(10_000);
    const waiting = fetch(`${world.baseUrl}/profile`, { signal }).then(
      () => "answered",
      () => (signal.aborted ? "still waiting" : "ended"),
    );
    // The rule has seen the request once it hangs.
    await expect
      .poll(async () => JSON.stringify(await world.control("GET", "/faults")))
      .toContain('"fired":1');
    await fetch(url, { method });
    expect(await waiting).toBe("ended");
  }
});

it("refuses a file, and what no sandbox takes", async () => {
  for (const [options, says] of [
    [{ file: "x.db" }, "keep their state in memory"],
    [{ seed: 0.5 }, "seed"],
  ] as const)
    await expect(startWorlds(options as never)).rejects.toThrow(says);
});
