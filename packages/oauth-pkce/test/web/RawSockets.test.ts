/**
 * What arrives over raw sockets ends no process: odd methods, targets and cookies, browsers that go
 * away, and a middleware that answers first. Each request is answered or closed.
 */
import type { ServerResponse } from "node:http";
import { sendOddRequests, sendRaw } from "@game-data/test-support";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { useApp } from "./app.ts";
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
const REQUESTS = 80;

/** Those whose responses `toNode` writes; the others' adapters are not ours. */
const OF_NODE = new Set(["node:http", "Express", "Fastify", "Koa"]);

describe.each(Object.entries(frameworks))("%s", (name, makeListener) => {
  let port = 0;
  let close: () => void;
  let tag = "";
  /** Answers first, as a time-out middleware does, or ends the connection. */
  let meddle: (response: ServerResponse) => void = () => undefined;
  /** Sends a request without a body. */
  const send = (target: string, header = "") =>
    sendRaw(port, `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${header}\r\n`);

  beforeAll(async () => {
    const served = await serve(oauth, makeListener, (response) => meddle(response));
    ({ close, port } = served);
    const login = await served.signIn.handle(new Request(`${served.url}/auth/login`));
    tag = /gd_([\w-]{6})_/.exec(login?.headers.get("set-cookie") ?? "")?.[1] ?? "";
  });
  afterAll(() => close());

  it("answers or closes odd requests by the hundred, and lives", async () => {
    const cookies = COOKIES.map((cookie) => cookie?.replace("TAGTAG", tag));
    const headers = ["sec-fetch-site: same-origin"];
    const options = { port, targets: TARGETS, cookies, headers, count: REQUESTS, seed: 26 };
    const ends = await sendOddRequests(options);
    assert.strictEqual(ends.silent, 0);
    assert.isAbove(ends.answered, REQUESTS / 2);
    assert.strictEqual(await send("/me"), "answered");
  });

  if (OF_NODE.has(name))
    it("writes to no response that somebody else has answered or ended", async () => {
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
