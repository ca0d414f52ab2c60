/**
 * A service, a network and a client registration that misbehave: each ends a command with its own
 * code, and a next step.
 */
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { usePrompt, useService } from "./support/gamedata.ts";

const service = useService();
const prompt = usePrompt();
beforeEach(async () => {
  prompt.env = service.envOf("example-web");
  prompt.isHurried = true;
  await service.control("/faults", undefined, "DELETE");
});

const fault = (rule: object, endpoint = "leagues") =>
  service.control("/faults", { match: { endpoint }, fault: rule });

/** An address at which nobody listens. */
const deadAddress = () =>
  new Promise<string>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address() as { port: number };
      server.close(() => resolve(`http://127.0.0.1:${address.port}`));
    });
  });

describe("the service", () => {
  it.each([
    ["fails", { kind: "status", status: 503 }, 69, "service-failed"],
    ["answers something else", { kind: "malformedJson", at: "head" }, 76, "answer-malformed"],
    ["cuts its answers", { kind: "truncate", atByte: 100, ending: "reset" }, 69, "unreachable"],
    ["has a firewall that takes offence", { kind: "firewallPage" }, 77, "forbidden"],
  ])("%s", async (_, rule, exit, code) => {
    await fault(rule);
    const error = await prompt.error("leagues");
    expect(error).toMatchObject({ exit, code, operation: "leagues.list" });
    if (code === "forbidden") expect(error.next).toMatch(/^wait/u);
  });

  it("refuses a client with a secret: 77, and no advice to sign in", async () => {
    const follow = ["stream", "follow", "--store", `sqlite:${join(prompt.home, "no.db")}`];
    for (const [endpoint, command] of [
      ["leagues", ["leagues"]],
      ["publicStashTabs", follow],
    ] as const) {
      await fault({ kind: "status", status: 401 }, endpoint);
      expect(await prompt.error(command)).toMatchObject({
        exit: 77,
        next: "compare with the registration the client id, and the secret in GAME_DATA_CLIENT_SECRET",
      });
    }
  });

  it("limits for longer than one wants to wait: 75, and when to come back", async () => {
    await fault({ kind: "status", status: 429, retryAfter: 90 });
    const { retryAt, ...rest } = await prompt.error("leagues --max-wait 5");
    expect(rest).toMatchObject({ code: "rate-limited" });
    expect(Date.parse(retryAt) - Date.now()).toBeGreaterThan(60_000);
  });

  it("has a proxy that cuts a packed answer: 69, and not an empty list", async () => {
    const packed = gzipSync('{"leagues":[]}');
    const server = createHttpServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(packed.subarray(0, -6));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const env = { ...prompt.env, GAME_DATA_BASE_URL: `http://127.0.0.1:${port}` };
    const error = await prompt.error("leagues", { env });
    server.close();
    expect(error).toMatchObject({ code: "unreachable" });
  });

  it("is not there: 69, and what to look at", async () => {
    const dead = await deadAddress();
    for (const variable of ["GAME_DATA_BASE_URL", "GAME_DATA_AUTH_URL"]) {
      const env = { [variable]: dead, GAME_DATA_TOKENS: `${prompt.home}/${variable}` };
      expect(await prompt.error("leagues", { env })).toMatchObject({
        code: "unreachable",
        next: expect.stringContaining("gamedata doctor"),
      });
    }
    const { code, stderr, stdout } = await prompt.run("doctor", {
      env: { GAME_DATA_BASE_URL: dead },
    });
    expect(code).toBe(69);
    expect(stdout).toMatch(/✗ data API .*does not respond/u);
    expect(stderr).toContain("1 check failed.");
  });
});

describe("the registration", () => {
  const fresh = () => ({ GAME_DATA_TOKENS: `${prompt.home}/${crypto.randomUUID()}` });

  it("has another secret: 78, and the secret is not repeated", async () => {
    const env = { ...fresh(), GAME_DATA_CLIENT_SECRET: "a-wrong-secret" };
    const error = await prompt.error("leagues", { env });
    expect(error).toMatchObject({ code: "client-rejected" });
    expect(JSON.stringify(error)).not.toContain("a-wrong-secret");
  });

  it("lacks a scope: 78", async () => {
    await service.control("/clients", {
      clientId: "narrow",
      kind: "confidential",
      clientSecret: "narrow-secret",
      redirectUris: ["https://narrow.example.com/callback"],
      domains: ["example.com"],
      scopes: ["account:profile"],
    });
    const env = {
      ...fresh(),
      GAME_DATA_CLIENT_ID: "narrow",
      GAME_DATA_CLIENT_SECRET: "narrow-secret",
    };
    expect(await prompt.error("leagues", { env })).toMatchObject({ code: "client-rejected" });
    const limits = await prompt.run("limits --json", { env });
    expect(JSON.parse(limits.stdout)).toMatchObject([{ route: "GET /profile" }]);
    expect(limits.stderr).toContain("no token with service:leagues");
  });
});
