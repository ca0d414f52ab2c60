/** Orders of events that a session must survive, each made to happen. */
import { assert, describe } from "@effect/vitest";
import { Effect, Fiber, Redacted, References } from "effect";
import { TestClock } from "effect/testing";
import { NotSignedIn, Session, TokenStore } from "../src/index.ts";
import { publicClient, signedIn, storedTokens } from "./clients.ts";
import { tokenBody, json } from "./FakeServer.ts";
import { it } from "./it.ts";

const reveal = Redacted.value;

describe("races of a session", () => {
  it.effect("C18: a first caller that is interrupted at any step strands nobody", function* () {
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
  });

  it.effect("C19: a sign-out that waited for a renewal has the last word", function* () {
    const { server, session } = yield* signedIn();
    yield* TestClock.adjust("1 hour");
    const renewal = yield* Effect.forkChild(session.accessToken);
    while (server.received.length === 0) yield* Effect.yieldNow;
    yield* session.signOut();
    yield* Fiber.await(renewal);
    assert.instanceOf(yield* Effect.flip(session.accessToken), NotSignedIn);
  });

  it.effect(
    "C20: what could not be saved is saved, renewed when stale, removed when refused",
    function* () {
      const memory = TokenStore.memory();
      let isFull = false;
      const store: TokenStore.TokenStore = {
        ...memory,
        write: (...args) =>
          isFull && args[2]?.text.includes("AT-2")
            ? Effect.die("disk full")
            : memory.write(...args),
      };
      const { server, session } = yield* signedIn({ store });
      yield* TestClock.adjust("1 hour");
      isFull = true;
      yield* Effect.exit(session.accessToken);
      isFull = false;
      yield* TestClock.adjust("1 hour");
      server.reply = json({ error: "invalid_grant" }, 400);
      assert.strictEqual((yield* Effect.flip(session.accessToken))._tag, "InvalidGrant");
      assert.strictEqual(server.received.at(-1)!.form.get("refresh_token"), "RT-2");
      assert.isUndefined(yield* storedTokens(memory));
    },
  );

  it.effect("C17: without a refresh token an access token is used to its very end", function* () {
    const { refresh_token: _, ...body } = tokenBody();
    const { server, session } = yield* signedIn({}, json({ ...body, expires_in: 3600 }));
    yield* TestClock.adjust("3599 seconds");
    assert.strictEqual(reveal(yield* session.accessToken), "AT-1");
    yield* TestClock.adjust("1 second");
    assert.strictEqual((yield* Effect.flip(session.accessToken))._tag, "ConsentExpired");
    assert.strictEqual(server.received.length, 0);
  });
});
