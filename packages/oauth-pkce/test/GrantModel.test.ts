/**
 * Every crash point of a renewal, under both policies, with a server that acted and one that did
 * not.
 */
import { assert } from "@effect/vitest";
import { Effect, Fiber, type Result } from "effect";
import { TestClock } from "effect/testing";
import { Session, type SessionError } from "../src/index.ts";
import { answering, publicClient, steppedStore, tokenSet } from "./clients.ts";
import { it } from "./it.ts";

type Policy = NonNullable<Session.SessionOptions["onLostAnswer"]>;

const LIFE_SECONDS = 3600;
const KEY = "desktop";

/**
 * An authorization server with strict rotation: a second use of a refresh token ends the family.
 */
const makeServer = () => {
  const state = { current: 1, isRevoked: false, sends: [] as Array<string>, doubles: 0 };
  /** Rotates, or refuses. */
  const rotate = (refreshToken: string): Response => {
    if (state.sends.includes(refreshToken)) state.doubles += 1;
    state.sends.push(refreshToken);
    if (state.isRevoked || refreshToken !== `RT-${state.current}`) {
      state.isRevoked = true;
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    state.current += 1;
    return Response.json({
      access_token: `AT-${state.current}`,
      token_type: "bearer",
      expires_in: LIFE_SECONDS,
      refresh_token: `RT-${state.current}`,
      scope: "account:profile",
    });
  };
  return { state, rotate };
};

/** Points of the renewal at which the process, or its request, ends. */
type CrashPoint =
  | "before the intent"
  | "after the intent"
  | "while sending"
  | "before the tokens"
  | "after the tokens";

/** The result of a process that takes over later, once the access token has ended. */
type Outcome = "renewed" | "lostAnswer";
type Acted = "acted" | "did not act";

/**
 * By point, policy and server: the outcome, and how often the first refresh token was sent in all. A
 * server acts on what was sent only, and has acted where there was a response.
 */
const crashes: ReadonlyArray<readonly [CrashPoint, Policy, Acted, Outcome, number]> = [
  ["before the intent", "resend", "did not act", "renewed", 1],
  ["before the intent", "signIn", "did not act", "renewed", 1],
  ["after the intent", "resend", "did not act", "renewed", 1],
  ["after the intent", "signIn", "did not act", "lostAnswer", 0],
  ["while sending", "resend", "acted", "lostAnswer", 2],
  ["while sending", "resend", "did not act", "renewed", 1],
  ["while sending", "signIn", "acted", "lostAnswer", 1],
  ["while sending", "signIn", "did not act", "lostAnswer", 0],
  ["before the tokens", "resend", "acted", "lostAnswer", 2],
  ["before the tokens", "signIn", "acted", "lostAnswer", 1],
  ["after the tokens", "resend", "acted", "renewed", 1],
  ["after the tokens", "signIn", "acted", "renewed", 1],
];

/** A process that dies never comes back to its next step. */
const died = Effect.never;

const outcomeOf = (late: Result.Result<unknown, SessionError>): Outcome | SessionError["_tag"] => {
  if (late._tag === "Success") return "renewed";
  const isLost = late.failure._tag === "InvalidGrant" && late.failure.lostAnswer;
  return isLost ? "lostAnswer" : late.failure._tag;
};

const crash = (point: CrashPoint, policy: Policy, acted: Acted) =>
  Effect.gen(function* () {
    const server = makeServer();
    const { hooks, memory, store } = steppedStore();
    let hasCrashed = false;
    const fetch = answering(({ refresh_token: refreshToken = "" }) => {
      if (point !== "while sending" || hasCrashed)
        return Effect.sync(() => server.rotate(refreshToken));
      hasCrashed = true;
      if (acted === "acted") server.rotate(refreshToken);
      return died;
    });
    hooks.at = (step) => (hasCrashed || step === point ? died : Effect.void);
    const client = yield* publicClient("https://auth.example.com", { fetch });
    const options = { key: KEY, onLostAnswer: policy };
    const first = Session.forUser(client, { ...options, store });
    const other = Session.forUser(client, { ...options, store: memory });
    yield* other.signIn(tokenSet());
    return yield* Effect.gen(function* () {
      // In its last minute, where the caller waits for the renewal.
      yield* TestClock.adjust(`${LIFE_SECONDS - 45} seconds`);
      const victim = yield* Effect.forkChild(Effect.exit(first.accessToken));
      for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow;
      // The process is gone: nothing of it runs any more.
      yield* Fiber.interrupt(victim);
      // Beyond M + T: whoever looks now takes the holder for dead.
      yield* TestClock.adjust("30 seconds");
      const early = yield* Effect.result(other.accessToken);
      if (early._tag === "Failure") assert.fail(`signed out early: ${early.failure._tag}`);
      const sendsBeforeTheEnd = server.state.sends.length;
      yield* TestClock.adjust("16 seconds");
      const late = yield* Effect.result(other.accessToken);
      const outcome = outcomeOf(late);
      const sends = server.state.sends.filter((sent) => sent === "RT-1").length;
      return { outcome, sends, sendsBeforeTheEnd, doubles: server.state.doubles };
    });
  });

it.effect.each(crashes)(
  "another process takes over a grant after a process dies %s (`onLostAnswer` %s, server %s)",
  function* ([point, policy, acted, outcome, sends]) {
    const result = yield* crash(point, policy, acted);
    assert.deepInclude(result, { outcome, sends });
    if (policy === "signIn") assert.strictEqual(result.doubles, 0);
    // While the access token lives, a lost answer costs no second send.
    if (point === "while sending" || point === "before the tokens")
      assert.isAtMost(result.sendsBeforeTheEnd, 1);
  },
);
