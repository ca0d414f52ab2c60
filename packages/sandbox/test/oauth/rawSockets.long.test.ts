/**
 * The pages of the sandbox that browsers see, over raw sockets: consent, applications, console.
 * Odd methods, targets, cookies and bodies end no process; each request is answered or closed.
 */
import { sendOddRequests, sendRaw } from "@game-data/test-support";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { startSandbox, type RunningSandbox } from "../../src/index.ts";

let sandbox: RunningSandbox;
let port = 0;
beforeAll(async () => {
  sandbox = await startSandbox();
  port = Number(new URL(sandbox.authUrl).port);
});
afterAll(() => sandbox.close());

const TARGETS = [
  "/",
  "/oauth/authorize",
  "/oauth/authorize?client_id=example-desktop&response_type=code",
  "/oauth/authorize?client_id=%00&redirect_uri=//evil",
  `/oauth/authorize?state=${"s".repeat(6_000)}`,
  "/oauth/consent",
  "/oauth/consent?request=x",
  "/oauth/consent?request=%E0%A4%A",
  "/oauth/token",
  "/oauth/token/revoke",
  "/my/applications",
  "/my/applications/revoke",
  "//other.example/my/applications",
  "http://other.example/my/applications",
  "https://[/oauth/consent",
  "*",
  "/my/../my/applications",
  "/\\my/applications",
];
const COOKIES = [
  ...[undefined, "", ";;;==", "account=x; account=y", "__proto__=1; constructor=2"],
  ...["a=\u00ff\u00fe", `a=${"x".repeat(7_000)}`, "session=%E0%A4%A", "=; =", "a"],
];
const BODIES = [
  ...["", "", "a=b", "request=%E0%A4%A&decision=allow"],
  ...["{", "\u0000\u00ff", "x=".repeat(9_000)],
];

describe("the sandbox's pages", () => {
  it("the sandbox answers or closes a thousand malformed requests, and still works", async () => {
    const ends = await sendOddRequests({
      port,
      targets: TARGETS,
      cookies: COOKIES,
      bodies: BODIES,
      headers: [
        "content-type: application/x-www-form-urlencoded",
        "sec-fetch-site: same-origin",
        "authorization: Basic !!!",
      ],
      count: 1_000,
      seed: 27,
    });
    assert.strictEqual(ends.silent, 0);
    assert.isAbove(ends.answered, 500);
    const alive = `GET /my/applications HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`;
    assert.strictEqual(await sendRaw(port, alive), "answered");
  });
});
