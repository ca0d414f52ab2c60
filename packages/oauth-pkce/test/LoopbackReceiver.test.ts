import { assert, describe } from "@effect/vitest";
import { Effect, Exit, Fiber, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { AccessDenied } from "../src/index.ts";
import { LoopbackReceiver, signIn } from "../src/node/index.ts";
import { callbackOf, whileTimePasses, served } from "./clients.ts";
import { json, tokenBody } from "./FakeServer.ts";
import { it } from "./it.ts";
import { browse, knock, waiting, type Answer } from "./receiver.ts";

describe("the receiver", () => {
  it.effect("LoopbackReceiver listens on loopback only, at any free port [OA-41]", function* () {
    const one = yield* LoopbackReceiver.make();
    const two = yield* LoopbackReceiver.make({ path: "/other" });
    assert.match(one.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    assert.match(two.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/other$/);
    assert.notStrictEqual(new URL(one.redirectUri).port, new URL(two.redirectUri).port);
    // Another address of the loopback network.
    const elsewhere = yield* Effect.exit(knock(one.redirectUri, { host: "127.0.0.2" }));
    assert.isTrue(Exit.isFailure(elsewhere));
  });

  it.effect("LoopbackReceiver listens at ::1 too, and fails if its port is in use", function* () {
    const { fiber, good } = yield* waiting();
    const port = Number(new URL(good).port);
    const error = yield* Effect.flip(LoopbackReceiver.make({ port }));
    const detail = "cannot listen on 127.0.0.1: EADDRINUSE";
    assert.deepInclude(error, { _tag: "LoopbackListenFailed", reason: "listen", detail });
    assert.strictEqual((yield* browse(good.replace("127.0.0.1", "[::1]"))).status, 303);
    assert.isTrue(Exit.isSuccess(yield* Fiber.join(fiber)));
  });

  it.effect("LoopbackReceiver takes one callback, and shows the option `page`", function* () {
    const { fiber, good, state } = yield* waiting({ page: { accepted: "Angemeldet <b>&" } });
    const responses = [
      yield* knock(good),
      yield* knock(new URL("/callback/accepted", good).href),
      // A reload of the page finds the flow answered.
      yield* knock(`${good}&x=<script>`),
    ];
    assert.deepStrictEqual(
      responses.map(({ headers, status }) => headers["location"] ?? status),
      ["/callback/accepted", 200, 400],
    );
    const exit = yield* Fiber.join(fiber);
    assert(Exit.isSuccess(exit));
    assert.strictEqual(Redacted.value(exit.value.code), "the-code");
    assert.include(responses[1]!.body, "Angemeldet &#60;b&#62;&#38;");
    for (const { headers, body } of responses) {
      assert.strictEqual(headers["cache-control"], "no-store");
      assert.strictEqual(headers["referrer-policy"], "no-referrer");
      assert.include(String(headers["content-security-policy"]), "default-src 'none'");
      assert.strictEqual(headers["x-content-type-options"], "nosniff");
      for (const leak of ["the-code", state, "<script", "src=", "href="])
        assert.notInclude(body + JSON.stringify(headers), leak);
    }
  });

  type Stray = readonly [what: string, status: number, (good: string) => Parameters<typeof knock>];
  const strays: ReadonlyArray<Stray> = [
    ["a favicon", 404, (good) => [new URL("/favicon.ico", good).href]],
    ["a longer path", 404, (good) => [good.replace("/callback", "/callback/x")]],
    ["a wrong state", 400, (good) => [`${good}x`]],
    ["no state", 400, (good) => [good.replace(/&state=.*/, "")]],
    ["an error without state", 400, (good) => [good.replace(/\?.*/, "?error=access_denied")]],
    ["another Host", 400, (good) => [good, { headers: { host: "evil.example" } }]],
    ["localhost as Host", 400, (good) => [good, { headers: { host: "localhost" } }]],
    ["a POST", 405, (good) => [good, { method: "POST" }]],
    ["a HEAD", 405, (good) => [good, { method: "HEAD" }]],
    ["a giant header", 431, (good) => [good, { headers: { "x-giant": "x".repeat(20_000) } }]],
  ];
  it.effect.each(strays)(
    "LoopbackReceiver refuses %s, and continues to wait for the callback",
    function* ([, status, stray]) {
      const { fiber, good } = yield* waiting();
      assert.strictEqual((yield* knock(...stray(good))).status, status);
      assert.isUndefined(fiber.pollUnsafe());
      assert.strictEqual((yield* browse(good)).status, 303);
      assert.isTrue(Exit.isSuccess(yield* Fiber.join(fiber)));
    },
  );

  it.effect("LoopbackReceiver ends after a denial, with a page that names no reason", function* () {
    const { fiber, redirectUri, state } = yield* waiting();
    const answer = yield* knock(`${redirectUri}?error=access_denied&state=${state}`);
    assert.strictEqual(answer.status, 303);
    const page = yield* knock(new URL(String(answer.headers["location"]), redirectUri).href);
    assert.include(page.body, "did not work");
    assert.notInclude(page.body, "denied");
    const error = yield* Effect.flip(yield* Fiber.join(fiber));
    assert.instanceOf(error, AccessDenied);
  });

  it.effect("LoopbackReceiver fails with LoopbackListenFailed after its `timeout`", function* () {
    const { fiber } = yield* waiting({ timeout: "2 minutes" });
    yield* TestClock.adjust("2 minutes");
    const error = yield* Effect.flip(yield* Fiber.join(fiber));
    assert.deepInclude(error, { reason: "timeout", detail: "no callback arrived in time" });
  });

  it.effect.each([
    [{ host: "0.0.0.0" }, "host must be 127.0.0.1 or ::1"],
    [{ path: "callback" }, "path must begin with a slash"],
    [{ port: 65_536 }, "port must be from 0 to 65535"],
    [{ timeout: 0 }, "timeout must be a positive time"],
  ] as const)("LoopbackReceiver refuses the options %j: %s", function* ([options, detail]) {
    const error = yield* Effect.flip(LoopbackReceiver.make(options as object));
    assert.deepInclude(error, { _tag: "LoopbackListenFailed", reason: "listen", detail });
  });
});

describe("signIn", () => {
  const SILENT = { scopes: ["account:profile"], show: () => Effect.void } as const;

  it.live("signIn responds to the browser after the exchange, also if it fails", function* () {
    const order: Array<string> = [];
    const { client } = yield* served(
      (...exchange) => {
        order.push("exchange");
        setTimeout(() => json({ error: "invalid_grant" }, 400)(...exchange), 50);
      },
      { redirectUri: "http://127.0.0.1/back" },
    );
    let page: Promise<Answer> | undefined;
    const come = (callback: string) =>
      Effect.flatMap(knock(callback), ({ headers }) => {
        order.push("answer");
        return knock(new URL(String(headers["location"]), callback).href);
      });
    const open = (url: string) =>
      Effect.sync(() => void (page = Effect.runPromise(come(callbackOf(url)))));
    const error = yield* Effect.flip(signIn(client, { ...SILENT, open }));
    assert.strictEqual(error._tag, "InvalidGrant");
    assert.deepStrictEqual(order, ["exchange", "answer"]);
    assert.include((yield* Effect.promise(() => page!)).body, "did not work");
  });

  it.effect.each(["http://127.0.0.1/a/back?app=1", "http://[::1]/a/back?app=1"])(
    "signIn keeps the host, the path and the query of the redirect URI %s, and changes the port",
    function* (redirectUri) {
      const { client, server } = yield* served(json(tokenBody()), { redirectUri });
      const open = (url: string) =>
        Effect.sync(() => void Effect.runPromise(browse(callbackOf(url))));
      yield* signIn(client, { ...SILENT, open });
      const sent = server.received.at(-1)!.form.get("redirect_uri")!;
      assert.strictEqual(sent.replace(/:\d+\//, "/"), redirectUri);
    },
  );

  it.effect("signIn takes a pasted address if the browser cannot reach the machine", function* () {
    const { client } = yield* served(json(tokenBody()), { redirectUri: "http://127.0.0.1/back" });
    let address = "";
    let pastes = 0;
    const flow = signIn(client, {
      scopes: ["account:profile"],
      show: (url) => Effect.sync(() => void (address = url)),
      open: () => Effect.void,
      paste: Effect.sync(() => {
        pastes += 1;
        return pastes === 1 ? "not what was asked for" : ` ${callbackOf(address)}\n`;
      }),
    });
    // It is asked again after a quarter of a second, not at once.
    const tokens = yield* whileTimePasses(flow);
    assert.strictEqual(Redacted.value(tokens.accessToken), "AT-1");
    assert.strictEqual(pastes, 2);
  });
});
