/**
 * Responses of the token endpoint that a proxy cuts after each of their bytes. Whatever arrived, a
 * user stays signed in until the access token ends.
 */
import type { ServerResponse } from "node:http";
import { assert, describe } from "@effect/vitest";
import { Effect, Logger, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { PkceFlow, Session, type TokenSet } from "../src/index.ts";
import type { LostAnswerPolicy } from "../src/Session.ts";
import { publicClient, validCallback } from "./clients.ts";
import { startCuttingProxy, type Cut } from "./CuttingProxy.ts";
import { fakeServer, type FakeServer } from "./FakeServer.ts";
import { it } from "./it.ts";

const LIFE_SECONDS = 3600;
/** CI's service part cuts after every byte; elsewhere every 29th has to do. */
const STEP = process.env["REQUIRE_SERVICES"] === "1" ? 1 : 29;

/** Ways of a response to tell its length. */
type Framing = "content-length" | "chunked" | "end of connection";

const send = (response: ServerResponse, framing: Framing, body: string): void => {
  response.statusCode = 200;
  response.setHeader("content-type", "application/json");
  if (framing === "content-length") response.setHeader("content-length", body.length);
  if (framing === "end of connection") {
    response.useChunkedEncodingByDefault = false;
    response.setHeader("connection", "close");
    response.removeHeader("content-length");
  }
  // One write each for the head and the body, so the framing is the header's and not Node's choice.
  response.flushHeaders();
  response.end(body);
};

/** Rotates strictly: a second use of a refresh token ends the grant. */
const strictly = (server: FakeServer, framing: Framing) => {
  const state = { current: 1, isRevoked: false, sends: 0, doubles: 0 };
  const used = new Set<string>();
  server.reply = ({ form }, response) => {
    const sent = form.get("refresh_token") ?? "";
    state.sends += 1;
    if (used.has(sent)) state.doubles += 1;
    used.add(sent);
    if (state.isRevoked || sent !== `RT-${state.current}`) {
      state.isRevoked = true;
      response.writeHead(400, { "content-type": "application/json" });
      response.end('{"error":"invalid_grant"}');
      return;
    }
    state.current += 1;
    send(
      response,
      framing,
      JSON.stringify({
        access_token: `AT-${state.current}`,
        token_type: "bearer",
        expires_in: LIFE_SECONDS,
        refresh_token: `RT-${state.current}`,
      }),
    );
  };
  /** A grant of a new user. */
  const begin = () => {
    Object.assign(state, { current: 1000 + state.current, isRevoked: false, sends: 0, doubles: 0 });
    return state.current;
  };
  return { state, begin };
};

const proxyTo = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(() => startCuttingProxy(url)),
    (proxy) => Effect.sync(() => proxy.close()),
  );

const silently = Effect.provide(Logger.layer([]));

const tokensOf = (generation: number, now: number): TokenSet.TokenSet => ({
  accessToken: Redacted.make(`AT-${generation}`),
  refreshToken: Redacted.make(`RT-${generation}`),
  expiresAt: now + LIFE_SECONDS * 1000,
  issuedAt: now,
  scopes: ["account:profile"],
});

/** Real time for a renewal in the background. */
const untilRenewed = (session: Session.Session) =>
  Effect.promise(async () => {
    while (session.isRenewing()) await new Promise((resolve) => setImmediate(resolve));
  });

/** Cuts the response to a refresh after every byte, each time with a user of its own. */
const cutEveryByte = (
  framing: Framing,
  cut: Cut,
  onLostAnswer: LostAnswerPolicy,
  when: "in the background" | "while the caller waits",
) =>
  Effect.gen(function* () {
    const server = yield* fakeServer();
    const { begin, state } = strictly(server, framing);
    const proxy = yield* proxyTo(server.url);
    const client = yield* publicClient(proxy.url);
    const before = when === "in the background" ? 180 : 30;
    let now = 0;
    const wait = (seconds: number) => {
      now += seconds * 1000;
      return TestClock.adjust(`${seconds} seconds`);
    };
    const open = Effect.fnUntraced(function* () {
      const generation = begin();
      const session = Session.forUser(client, { onLostAnswer });
      yield* session.signIn(tokensOf(generation, now));
      yield* wait(LIFE_SECONDS - before);
      return { session, old: `AT-${generation}` };
    });
    const tokenOf = (session: Session.Session) =>
      Effect.map(session.accessToken, Redacted.value<string>);

    // A whole response, for its length.
    const whole = yield* open();
    yield* tokenOf(whole.session);
    yield* untilRenewed(whole.session);
    assert.notStrictEqual(yield* tokenOf(whole.session), whole.old);
    proxy.length = proxy.received;
    assert.isAbove(proxy.length, 150);

    proxy.cut = cut;
    for (let limit = 0; limit < proxy.length; limit += STEP) {
      proxy.limit = limit;
      const { old, session } = yield* open();
      const at = `cut after byte ${limit} of ${proxy.length}`;
      assert.strictEqual(yield* tokenOf(session), old, at);
      yield* untilRenewed(session);
      assert.strictEqual((yield* session.status)._tag, "AnswerLost", at);
      assert.strictEqual(yield* tokenOf(session), old, at);
      yield* wait(before - 1);
      assert.strictEqual(yield* tokenOf(session), old, at);
      assert.strictEqual(state.sends, 1, at);
      yield* wait(1);
      proxy.limit = Infinity;
      const late = yield* Effect.flip(session.accessToken);
      assert.deepInclude(late, { _tag: "InvalidGrant", lostAnswer: true }, at);
      assert.strictEqual(state.doubles, onLostAnswer === "resend" ? 1 : 0, at);
    }
  }).pipe(silently);

const runs: ReadonlyArray<
  readonly [Framing, Cut, LostAnswerPolicy, Parameters<typeof cutEveryByte>[3]]
> = [
  ["content-length", "reset", "resend", "in the background"],
  ["content-length", "end", "signIn", "in the background"],
  ["chunked", "end", "resend", "while the caller waits"],
  ["chunked", "reset", "signIn", "while the caller waits"],
];

describe("a refresh whose response is cut after every byte", () => {
  it.effect.each(runs)(
    "keeps the user signed in to the token's end: framed by %s, cut by %s, policy %s, %s",
    (run) => cutEveryByte(...run),
    120_000,
  );

  it.effect.each(["resend", "signIn"] satisfies ReadonlyArray<LostAnswerPolicy>)(
    "keeps the user signed in where the connection's end is the body's, policy %s",
    (onLostAnswer) =>
      Effect.gen(function* () {
        const server = yield* fakeServer();
        const { begin, state } = strictly(server, "end of connection");
        const proxy = yield* proxyTo(server.url);
        const client = yield* publicClient(proxy.url);
        let now = 0;
        for (let isWhole = false, limit = 0; !isWhole; limit += STEP) {
          const generation = begin();
          const session = Session.forUser(client, { onLostAnswer });
          yield* session.signIn(tokensOf(generation, now));
          const before = 30;
          now += (LIFE_SECONDS - before) * 1000;
          yield* TestClock.adjust(`${LIFE_SECONDS - before} seconds`);
          // The end of the connection is the end of the response: it is whole, or it is not.
          Object.assign(proxy, { limit, cut: "end", length: 1 });
          const token = Redacted.value(yield* session.accessToken);
          isWhole = token !== `AT-${generation}`;
          const status = (yield* session.status)._tag;
          assert.strictEqual(status, isWhole ? "Active" : "AnswerLost", `byte ${limit}`);
          assert.strictEqual(state.sends, 1);
          now += 60_000;
          yield* TestClock.adjust("60 seconds");
          if (isWhole) assert.isAtLeast(limit, 150);
        }
      }).pipe(silently),
    120_000,
  );
});

describe("a code exchange whose response is cut after every byte", () => {
  it.effect(
    "fails typed, sends the code once, and gives no tokens",
    function* () {
      const server = yield* fakeServer();
      const codes: Array<string> = [];
      server.reply = ({ form }, response) => {
        codes.push(form.get("code") ?? "");
        send(
          response,
          "content-length",
          '{"access_token":"AT","token_type":"bearer","expires_in":36000,"refresh_token":"RT"}',
        );
      };
      const proxy = yield* proxyTo(server.url);
      const client = yield* publicClient(proxy.url);
      yield* PkceFlow.exchange(client, yield* validCallback(client));
      proxy.length = proxy.received;
      for (let limit = 0; limit < proxy.length; limit += STEP) {
        Object.assign(proxy, { limit, cut: limit % 2 === 0 ? "reset" : "end" });
        const callback = yield* validCallback(client);
        codes.length = 0;
        const error = yield* Effect.flip(PkceFlow.exchange(client, callback));
        assert.strictEqual(error._tag, "OAuthTransportError", `byte ${limit}`);
        // It may have been used: it is not sent again.
        proxy.limit = Infinity;
        const again = yield* Effect.flip(PkceFlow.exchange(client, callback));
        assert.strictEqual(again._tag, "CodeExpired");
        assert.strictEqual(codes.length, 1, `byte ${limit}`);
      }
    },
    120_000,
  );
});
