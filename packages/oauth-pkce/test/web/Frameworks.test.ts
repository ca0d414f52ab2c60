/**
 * The same story through each framework's own machinery, over HTTP. What arrives over raw sockets
 * ends no process: odd methods, targets and cookies, browsers that go away, and a middleware that
 * answers first. Each request is answered or closed.
 */
import type { ServerResponse } from "node:http";
import { sendOddRequests, sendRaw } from "@game-data/test-support";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { Browser, OUT, useApp, whoami } from "./app.ts";
import { frameworks, serve } from "./frameworks.ts";

const TARGETS = [
  "/",
  "/me",
  "/auth/login",
  "/auth/login?returnTo=//evil.example",
  "/auth/login?returnTo=%00%0d%0aSet-Cookie:a=b",
  "/auth/logout",
  "/callback",
  "/callback?code=x&state=y",
  "/callback?state=%E0%A4%A",
  "/callback#fragment",
  "//other.example/callback?code=x&state=y",
  "http://other.example/auth/login",
  "https://[/callback",
  "*",
  "/auth/../callback",
  "/%61uth/login",
  "/\\callback",
  `/callback?state=${"s".repeat(6_000)}`,
];
const COOKIES = [
  undefined,
  "",
  ";;;==",
  "__Host-gd_TAGTAG_s=x",
  `__Host-gd_TAGTAG_s=${"a".repeat(43)}.${"b".repeat(43)}`,
  "__Host-gd_TAGTAG_f_aaaaaaaaaaaaaaaaaaaaaa_0=x",
  "__proto__=1; constructor=2",
  "a=\u00ff\u00fe",
  `a=${"x".repeat(7_000)}`,
  "a=b; a=c; =; d",
];

const { oauth } = useApp();
/** In `.ci/run` a thousand. */
const REQUESTS = process.env["REQUIRE_SERVICES"] === "1" ? 1_000 : 80;

/** Those whose responses `toNode` writes; the others' adapters are not ours. */
const OF_NODE = new Set(["node:http", "Express", "Fastify", "Koa"]);

describe.each(Object.entries(frameworks))("%s", (name, makeListener) => {
  let served: Awaited<ReturnType<typeof serve>>;
  /** Answers first, as a time-out middleware does, or ends the connection. */
  let meddle: (response: ServerResponse) => void = () => undefined;
  beforeAll(async () => {
    served = await serve(oauth, makeListener, (response) => meddle(response));
  });
  afterAll(() => served.close());

  const open = () => new Browser((request) => fetch(request), served.url);
  /** Sends a request without a body. */
  const send = (target: string, header = "") =>
    sendRaw(
      served.port,
      `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1:${served.port}\r\n${header}\r\n`,
    );

  it("a sign-in behind the framework signs in, returns to the path, and signs out", async () => {
    const browser = open();
    assert.strictEqual(await whoami(browser), "nobody");
    const response = await browser.signIn("/auth/login?returnTo=/me%3Fa%3D1");
    assert.strictEqual(response.headers.get("location"), "/me?a=1");
    assert.strictEqual(await whoami(browser), "Account");
    assert.strictEqual((await browser.visit("/auth/logout", OUT)).status, 303);
    assert.strictEqual(await whoami(browser), "nobody");
  });

  it("a sign-in behind the framework answers an outage with 503 and Retry-After", async () => {
    const browser = open();
    oauth.state.status = 503;
    const response = await browser.signIn();
    oauth.state.status = 200;
    assert.deepStrictEqual([response.status, response.headers.get("retry-after")], [503, "17"]);
    assert.strictEqual(await whoami(browser), "nobody");
  });

  it("a sign-in behind the framework responds to or closes each malformed request, and continues", async () => {
    const login = await served.signIn.handle(new Request(`${served.url}/auth/login`));
    const tag = /gd_([\w-]{6})_/.exec(login?.headers.get("set-cookie") ?? "")?.[1] ?? "";
    const cookies = COOKIES.map((cookie) => cookie?.replace("TAGTAG", tag));
    const headers = ["sec-fetch-site: same-origin"];
    const options = {
      port: served.port,
      targets: TARGETS,
      cookies,
      headers,
      count: REQUESTS,
      seed: 26,
    };
    const ends = await sendOddRequests(options);
    assert.strictEqual(ends.silent, 0);
    assert.isAbove(ends.answered, REQUESTS / 2);
    assert.strictEqual(await send("/me"), "answered");
  });

  if (OF_NODE.has(name))
    it("toNode does not write to a response that another middleware has sent or ended", async () => {
      const meddlers: ReadonlyArray<(response: ServerResponse) => void> = [
        (response) => response.writeHead(503).end("too late"),
        (response) => void setTimeout(() => response.headersSent || response.end("too late"), 1),
        (response) => void response.destroy(),
        (response) => void setTimeout(() => response.destroy(), 1),
      ];
      for (const each of meddlers) {
        meddle = each;
        for (const target of ["/auth/login", "/callback?code=x&state=y", "/auth/logout"]) {
          const end = await send(target, "connection: close\r\n");
          assert.notStrictEqual(end, "silent", target);
        }
      }
      meddle = () => undefined;
      assert.strictEqual(await send("/me"), "answered");
    });
});
