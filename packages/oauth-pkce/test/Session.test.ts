import { assert, describe } from "@effect/vitest";
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { Deferred, Effect, Fiber, Redacted, References } from "effect";
import { TestClock } from "effect/testing";
import {
  NotSignedIn,
  Session,
  TokenCall,
  type TokenSet,
  TokenStore,
  TokenStoreFailed,
} from "../src/index.ts";
import { publicClient, signedIn, steppedStore, storedTokens } from "./clients.ts";
import { inTurn, json, raw, rotating, tokenBody, type Reply } from "./FakeServer.ts";
import { it } from "./it.ts";

const reveal = Redacted.value;

/** Holds a reply back until the test lets go. */
const heldBack = (reply: Reply) => {
  const waiting: Array<() => void> = [];
  const held: Reply = (...args) => waiting.push(() => reply(...args));
  return { held, release: () => waiting.splice(0).forEach((go) => go()) };
};

/** A user whose access token, AT-1, has ended. */
const expired = Effect.fnUntraced(function* (options?: Parameters<typeof signedIn>[0]) {
  const user = yield* signedIn(options);
  yield* TestClock.adjust("1 hour");
  return user;
});

const untilReceived = (server: { readonly received: ReadonlyArray<unknown> }, count: number) =>
  Effect.callback<void>((resume) => {
    const timer = setInterval(() => {
      if (server.received.length < count) return;
      clearInterval(timer);
      resume(Effect.void);
    }, 2);
  });

describe("a fresh token", () => {
  it.effect("a session renews ahead in the background, and waits in the last minute", function* () {
    const renewals: Array<Promise<unknown>> = [];
    const waitUntil = (renewal: Promise<unknown>) => renewals.push(renewal);
    const { server, session } = yield* signedIn({ waitUntil });
    // A tenth of an hour before the end.
    yield* TestClock.adjust("3239 seconds");
    assert.strictEqual(reveal(yield* session.accessToken), "AT-1");
    yield* TestClock.adjust("2 seconds");
    assert.strictEqual((yield* session.status)._tag, "Active");
    for (let call = 0; call < 3; call++)
      assert.strictEqual(reveal(yield* session.accessToken), "AT-1");
    assert.strictEqual(renewals.length, 1);
    yield* Effect.promise(() => renewals[0]!);
    assert.strictEqual(server.received.length, 1);
    assert.strictEqual(reveal(yield* session.accessToken), "AT-2");
    yield* TestClock.adjust("3541 seconds");
    assert.strictEqual(reveal(yield* session.accessToken), "AT-3");
    assert.strictEqual(server.received.length, 2);
  });
});

describe("single flight", () => {
  it.effect("a failed renewal fails all waiting callers, and the next call retries", function* () {
    const { server, session } = yield* expired();
    server.reply = inTurn(raw("", 503), rotating({ access_token: "AT-2" }));
    const calls = Array.from({ length: 100 }, () => Effect.flip(session.accessToken));
    const errors = yield* Effect.all(calls, { concurrency: "unbounded" });
    assert.deepStrictEqual([...new Set(errors.map(({ _tag }) => _tag))], ["ServerUnavailable"]);
    assert.strictEqual(server.received.length, 1);
    assert.strictEqual(reveal(yield* session.accessToken), "AT-2");
    assert.strictEqual(server.received.length, 2);
  });

  it.effect.each([true, false])(
    "an interrupted caller does not stop the renewal, whose tokens are stored (another caller: %s)",
    function* (isFollowed) {
      const store = TokenStore.memory();
      const { server, session } = yield* expired({ store });
      const { held, release } = heldBack(rotating({ access_token: "AT-9" }));
      server.reply = held;
      const leader = yield* Effect.forkChild(session.accessToken);
      yield* untilReceived(server, 1);
      const follower = isFollowed ? yield* Effect.forkChild(session.accessToken) : undefined;
      yield* Effect.yieldNow;
      yield* Fiber.interrupt(leader);
      release();
      const token = follower ? Fiber.join(follower) : session.accessToken;
      assert.strictEqual(reveal(yield* token), "AT-9");
      assert.strictEqual(reveal((yield* storedTokens(store))!.accessToken), "AT-9");
      assert.strictEqual(server.received.length, 1);
    },
  );

  it.effect("a session returns a new token only after the store has been written", function* () {
    const { hooks, store } = steppedStore();
    const gate = yield* Deferred.make<void>();
    const { server, session } = yield* expired({ store });
    hooks.at = (step) => (step === "before the tokens" ? Deferred.await(gate) : Effect.void);
    const fiber = yield* Effect.forkChild(session.accessToken);
    yield* untilReceived(server, 1);
    yield* TestClock.adjust("1 second");
    assert.isUndefined(fiber.pollUnsafe());
    yield* Deferred.succeed(gate, undefined);
    assert.strictEqual(reveal(yield* Fiber.join(fiber)), "AT-2");
  });
});

describe("refusals", () => {
  it.effect("after the consent's end a session refreshes, and the server decides", function* () {
    const { server, session } = yield* signedIn();
    assert.strictEqual(yield* session.consentExpiresAt, 1000 * Lifetimes.refreshToken.public);
    yield* TestClock.adjust(1000 * Lifetimes.refreshToken.public + 86_400_000);
    // Our clock may be the wrong one.
    assert.strictEqual(reveal(yield* session.accessToken), "AT-2");
    yield* TestClock.adjust("1 day");
    server.reply = json({ error: "invalid_grant" }, 400);
    assert.strictEqual((yield* Effect.flip(session.accessToken))._tag, "ConsentExpired");
    assert.strictEqual((yield* Effect.flip(session.accessToken))._tag, "ConsentExpired");
    assert.strictEqual(server.received.length, 2);
  });
});

class Refusal extends Error {
  readonly _tag: "Unauthorized" | "Forbidden";
  constructor(tag: "Unauthorized" | "Forbidden") {
    super();
    this._tag = tag;
  }
}

it.effect.each([
  ["after a 401, one refresh and one more try", ["Unauthorized"], ["AT-1", "AT-2"]],
  ["a second 401 is the caller's", ["Unauthorized", "Unauthorized"], ["AT-1", "AT-2"]],
  ["a 403 is not repeated and refreshes nothing", ["Forbidden"], ["AT-1"]],
] as const)("withFreshToken: %s [CL-11, CL-12]", function* ([, refusals, expected]) {
  const { server, session } = yield* signedIn();
  const used: Array<string> = [];
  const exit = yield* Effect.result(
    session.withFreshToken((token) => {
      const refusal = refusals[used.push(reveal(token)) - 1];
      return refusal ? Effect.fail(new Refusal(refusal)) : Effect.succeed("data");
    }),
  );
  assert.deepStrictEqual(used, [...expected]);
  assert.strictEqual(server.received.length, expected.length - 1);
  if (refusals.length < expected.length) return assert.deepInclude(exit, { success: "data" });
  assert(exit._tag === "Failure");
  assert.strictEqual(exit.failure._tag, refusals.at(-1));
});

describe("signing out", () => {
  it.effect("signOut revokes both tokens, then removes them from the store", function* () {
    const store = TokenStore.memory();
    const { server, session, tokens } = yield* signedIn({ store });
    server.reply = raw("", 200);
    yield* session.signOut({ revoke: TokenCall.revokeUsing(tokens.accessToken) });
    assert.deepStrictEqual(
      server.received.map(({ form, headers }) => [
        ...[form.get("token"), form.get("token_type_hint"), headers.authorization],
      ]),
      [
        ["RT-1", "refresh_token", "Bearer AT-1"],
        ["AT-1", "access_token", "Bearer AT-1"],
      ],
    );
    assert.isUndefined(yield* storedTokens(store));
    assert.instanceOf(yield* Effect.flip(session.accessToken), NotSignedIn);
  });

  it.effect.each([
    // The refresh token took the access token with it.
    ["AT-1", "invalid_token", undefined],
    ["AT-1", "unsupported_token_type", "unsupported_token_type"],
    // A void bearer of another set has revoked nothing.
    ["AT-of-another-set", "invalid_token", "invalid_token"],
  ] as const)(
    "signOut whose revocation with %s is refused with %s fails with %s",
    function* ([bearer, error, expected]) {
      const { server, session } = yield* signedIn();
      server.reply = inTurn(raw("", 200), json({ error }, 400));
      const exit = yield* Effect.result(
        session.signOut({ revoke: TokenCall.revokeUsing(Redacted.make(bearer)) }),
      );
      assert.instanceOf(yield* Effect.flip(session.accessToken), NotSignedIn);
      if (expected === undefined) return assert.strictEqual(exit._tag, "Success");
      assert(exit._tag === "Failure");
      assert.deepInclude(exit.failure, { _tag: "RequestRejected", error: expected });
    },
  );
});

describe("races of a session", () => {
  it.effect(
    "an interruption of accessToken at any step leaves no other caller waiting",
    function* () {
      const client = yield* publicClient("https://auth.example.com");
      for (let step = 0; step < 200; step++) {
        // No user has signed in: a renewal of few steps and no request.
        const session = Session.forUser(client);
        // Few operations per turn of the scheduler, so that there are many turns at which it can be
        // interrupted.
        const first = yield* session.accessToken.pipe(
          Effect.provideService(References.MaxOpsBeforeYield, 3 + (step % 10)),
          Effect.forkChild,
        );
        for (let turn = 0; turn < step / 10; turn++) yield* Effect.yieldNow;
        yield* Fiber.interrupt(first);
        const second = yield* Effect.forkChild(Effect.flip(session.accessToken));
        for (let turn = 0; turn < 2000 && second.pollUnsafe() === undefined; turn++)
          yield* Effect.yieldNow;
        assert.isDefined(second.pollUnsafe(), `stranded by an interruption at step ${step}`);
      }
    },
  );

  it.effect("signOut during a renewal removes the renewed tokens too", function* () {
    const { server, session } = yield* expired();
    const renewal = yield* Effect.forkChild(session.accessToken);
    while (server.received.length === 0) yield* Effect.yieldNow;
    yield* session.signOut();
    yield* Fiber.await(renewal);
    assert.instanceOf(yield* Effect.flip(session.accessToken), NotSignedIn);
  });

  it.effect(
    "tokens of a refresh that ends after a new sign-in are revoked, and do not replace its tokens",
    function* () {
      const { hooks, memory, store } = steppedStore();
      const reply = rotating({ expires_in: 3600, scope: "account:profile oauth:revoke" });
      const { client, server, session, tokens } = yield* signedIn({ store }, reply);
      const gate = yield* Deferred.make<void>();
      hooks.at = (step) => (step === "before the tokens" ? Deferred.await(gate) : Effect.void);
      const renewal = yield* Effect.forkChild(session.renew(tokens.accessToken));
      yield* untilReceived(server, 1);
      yield* Session.forUser(client, { store: memory }).signIn(another(tokens, "AT-new"));
      yield* Deferred.succeed(gate, undefined);
      assert.strictEqual(reveal(yield* Fiber.join(renewal)), "AT-new");
      const revoked = server.received.slice(1).map(({ form }) => form.get("token"));
      assert.deepStrictEqual(revoked, ["RT-2", "AT-2"]);
    },
  );

  it.effect("signOut fails if the store fails to remove the tokens", function* () {
    const { hooks, store } = steppedStore();
    const { session } = yield* signedIn({ store });
    const failure = new TokenStoreFailed({ operation: "write", reason: "EROFS" });
    hooks.at = (step) => (step === "before the end" ? Effect.fail(failure) : Effect.void);
    assert.strictEqual(yield* Effect.flip(session.signOut()), failure);
  });

  it.effect("without a refresh token a session returns its token until it expires", function* () {
    const { refresh_token: _, ...body } = tokenBody();
    const { server, session } = yield* signedIn({}, json({ ...body, expires_in: 3600 }));
    yield* TestClock.adjust("3599 seconds");
    assert.strictEqual(reveal(yield* session.accessToken), "AT-1");
    yield* TestClock.adjust("1 second");
    assert.strictEqual((yield* Effect.flip(session.accessToken))._tag, "ConsentExpired");
    assert.strictEqual(server.received.length, 0);
  });
});

/** Runs it while the store takes an intent, and not what comes of it. */
const unsaved = Effect.fnUntraced(function* (
  hooks: ReturnType<typeof steppedStore>["hooks"],
  renewal: Effect.Effect<unknown, unknown>,
) {
  hooks.at = (step) => (step === "before the tokens" ? Effect.die("disk full") : Effect.void);
  yield* Effect.exit(renewal);
  hooks.at = () => Effect.void;
});

const another = (tokens: TokenSet.TokenSet, text: string): TokenSet.TokenSet => ({
  ...tokens,
  accessToken: Redacted.make(text),
});

describe("what a session remembers", () => {
  it.effect(
    "a renewal that adopts the refused token from the store is followed by another renewal",
    function* () {
      const { hooks, store } = steppedStore();
      const { server, client, tokens } = yield* signedIn({ store });
      // Knows nothing yet: its first renewal adopts what the store holds.
      const session = Session.forUser(client, { store });
      const gate = yield* Deferred.make<void>();
      hooks.at = (step) => (step === "before the read" ? Deferred.await(gate) : Effect.void);
      const trusting = yield* Effect.forkChild(session.accessToken);
      yield* Effect.yieldNow;
      const refusing = yield* Effect.forkChild(session.renew(tokens.accessToken));
      yield* Effect.yieldNow;
      yield* Deferred.succeed(gate, undefined);
      assert.strictEqual(reveal(yield* Fiber.join(trusting)), "AT-1");
      assert.strictEqual(reveal(yield* Fiber.join(refusing)), "AT-2");
      assert.strictEqual(server.received.length, 1);
    },
  );

  it.effect("after a 401, a session returns the new token whose write had failed", function* () {
    const { hooks, memory, store } = steppedStore();
    const { server, session, tokens } = yield* signedIn({ store });
    yield* unsaved(hooks, session.renew(tokens.accessToken));
    assert.strictEqual(reveal(yield* session.accessToken), "AT-2");
    assert.strictEqual(reveal((yield* storedTokens(memory))!.accessToken), "AT-2");
    assert.strictEqual(server.received.length, 1);
  });

  it.effect("a new token whose write failed does not overwrite a newer sign-in", function* () {
    const { hooks, memory, store } = steppedStore();
    const { client, session, tokens } = yield* signedIn({ store });
    yield* unsaved(hooks, session.renew(tokens.accessToken));
    yield* Session.forUser(client, { store: memory }).signIn(another(tokens, "AT-sibling"));
    assert.strictEqual(reveal(yield* session.accessToken), "AT-sibling");
    assert.strictEqual(reveal((yield* storedTokens(memory))!.accessToken), "AT-sibling");
  });
});

it.effect("a new session costs one read, and a renewal one read and two writes", function* () {
  const { hooks, memory, store } = steppedStore();
  const { client, server } = yield* signedIn({ store: memory });
  const sessions = Array.from({ length: 200 }, () => Session.forUser(client, { store }));
  const calls = sessions.flatMap(({ accessToken }) => [accessToken, accessToken]);
  yield* Effect.all(calls, { concurrency: "unbounded" });
  assert.deepInclude(hooks, { reads: 200, writes: 0 });
  yield* TestClock.adjust("50 minutes");
  yield* sessions[0]!.accessToken;
  assert.deepInclude(hooks, { reads: 200, writes: 0 });
  assert.strictEqual(server.received.length, 0);
  yield* TestClock.adjust("10 minutes");
  yield* sessions[0]!.accessToken;
  assert.deepInclude(hooks, { reads: 201, writes: 2 });
  assert.strictEqual(server.received.length, 1);
});
