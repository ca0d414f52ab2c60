/** Wrong clocks: the login is kept, and costs one request more at most. */
import { assert, describe } from "@effect/vitest";
import { Clock, Effect, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { PkceFlow, Session, TokenSet, TokenStore } from "../src/index.ts";
import { validCallback, served } from "./clients.ts";
import { json, tokenBody } from "./FakeServer.ts";
import { it } from "./it.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LIFE_SECONDS = 36_000;
const START = 1_700_000_000_000;

const untilRenewed = async (session: Session.Session) => {
  while (session.isRenewing()) await new Promise((resolve) => setImmediate(resolve));
};

/**
 * A server and a machine whose clocks go on at the same pace, the machine's ahead by `ahead`. `ask`
 * stands for the data API: it refuses a token that has ended by the server's clock.
 */
const setUp = Effect.fnUntraced(function* (ahead: number) {
  const clocks = { server: START, machine: START + ahead };
  yield* TestClock.setTime(clocks.machine);
  const ends = new Map<string, number>();
  let generation = 0;
  const { client, server } = yield* served((request, response, count) => {
    generation += 1;
    const token = `AT-${generation}`;
    ends.set(token, clocks.server + LIFE_SECONDS * 1000);
    const body = tokenBody({
      access_token: token,
      refresh_token: `RT-${generation}`,
      expires_in: LIFE_SECONDS,
    });
    const date = new Date(clocks.server).toUTCString();
    json(body, 200, { date })(request, response, count);
  });
  const store = TokenStore.memory();
  const session = Session.forUser(client, { store });
  yield* session.signIn(yield* PkceFlow.exchange(client, yield* validCallback(client)));
  server.received.length = 0;
  const pass = (millis: number, jump = 0) => {
    clocks.server += millis;
    clocks.machine += millis + jump;
    return TestClock.setTime(clocks.machine);
  };
  const ask = (from: Session.Session) =>
    from
      .withFreshToken((token) =>
        clocks.server < (ends.get(Redacted.value(token)) ?? 0)
          ? Effect.void
          : Effect.fail({ _tag: "Unauthorized" } as const),
      )
      // A renewal in the background is over before virtual time goes on.
      .pipe(Effect.andThen(Effect.promise(() => untilRenewed(from))));
  /** Uses the token over its life, and through that of the next one. */
  const useFor = Effect.fnUntraced(function* (from: Session.Session, hours: number) {
    for (let hour = 0; hour < hours; hour++) {
      yield* ask(from);
      yield* pass(HOUR);
    }
  });
  return { ask, client, clocks, pass, server, session, store, useFor };
});

describe("a clock that is wrong by a day", () => {
  it.effect.each([DAY, -DAY, 90_000, -90_000])(
    "at sign-in and after, by %s ms: costs no request",
    function* (ahead) {
      const { server, session, useFor } = yield* setUp(ahead);
      yield* useFor(session, 8);
      assert.strictEqual(server.received.length, 0);
      // Nine tenths of ten hours are over.
      yield* useFor(session, 10);
      assert.isAtMost(server.received.length, 2);
    },
  );

  it.effect.each([DAY, -DAY])(
    "at sign-in, by %s ms, and right after it: one request",
    function* (ahead) {
      const { pass, server, session, useFor } = yield* setUp(ahead);
      yield* pass(1000, -ahead);
      yield* useFor(session, 9);
      assert.isAtMost(server.received.length, 2);
      const before = server.received.length;
      yield* useFor(session, 4);
      assert.isAtMost(server.received.length - before, 1);
    },
  );

  it.effect.each([DAY, -DAY])("jumps by %s ms during use: one request", function* (jump) {
    const { ask, pass, server, session } = yield* setUp(0);
    yield* ask(session);
    yield* pass(1000, jump);
    for (let minute = 0; minute < 60; minute++) {
      yield* ask(session);
      yield* pass(60_000);
    }
    assert.isAtMost(server.received.length, 1);
  });

  it.effect.each([DAY, -DAY])(
    "on one of two servers, by %s ms: they do not renew each other's tokens",
    function* (ahead) {
      const { ask, client, clocks, server, session, store } = yield* setUp(0);
      // The other server is another process: its client has seen no response yet.
      const other = Session.forUser({ ...client }, { store });
      const on = Effect.fnUntraced(function* (which: Session.Session, offset: number) {
        yield* TestClock.setTime(clocks.server + offset);
        yield* ask(which);
      });
      for (let minute = 0; minute < 120; minute++) {
        clocks.server += 60_000;
        yield* on(session, 0);
        yield* on(other, ahead);
      }
      assert.isAtMost(server.received.length, 1);
    },
  );

  it.effect("is told by the tokens to a process that starts later", function* () {
    const { client, server, store, useFor } = yield* setUp(DAY);
    const later = Session.forUser({ ...client }, { store });
    yield* useFor(later, 8);
    assert.strictEqual(server.received.length, 0);
    const tokens = yield* later.tokens;
    assert.strictEqual(tokens.clockSkew, -DAY);
    assert.strictEqual(tokens.issuedAt, START);
    assert.strictEqual(TokenSet.remainingMillis(tokens, yield* Clock.currentTimeMillis), 2 * HOUR);
    assert.isTrue(TokenSet.isFresh(tokens, START + DAY + 9 * HOUR));
    assert.isFalse(TokenSet.isFresh(tokens, START + DAY + 10 * HOUR));
  });
});

describe("a Date header", () => {
  const skewOf = Effect.fnUntraced(function* (date: string | undefined) {
    yield* TestClock.setTime(START);
    const { client } = yield* served((...reply) =>
      json(tokenBody(), 200, date === undefined ? {} : { date })(...reply),
    );
    const tokens = yield* PkceFlow.exchange(client, yield* validCallback(client));
    return [tokens.clockSkew, tokens.issuedAt] as const;
  });

  it.effect("that is missing, broken, or within five seconds changes nothing", function* () {
    for (const date of [
      undefined,
      "",
      "yesterday",
      new Date(START + 4_000).toUTCString(),
      new Date(START - 4_000).toUTCString(),
    ])
      assert.deepStrictEqual(yield* skewOf(date), [undefined, START]);
  });

  it.effect("that differs by more moves the token's times to the server's clock", function* () {
    const date = new Date(START + 60_000).toUTCString();
    assert.deepStrictEqual(yield* skewOf(date), [60_000, START + 60_000]);
  });
});
