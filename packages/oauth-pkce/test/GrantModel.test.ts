/**
 * Every crash point of a renewal, under both policies, with a server that acted and one that did
 * not; and every cell of the state table. The tables are records over closed unions: a missing cell
 * does not compile.
 */
import { assert, describe, test } from "@effect/vitest";
import { Effect, Fiber, type Result } from "effect";
import { TestClock } from "effect/testing";
import { OAuthHttpClient, Session, TokenStore, type SessionError } from "../src/index.ts";
import type { LostAnswerPolicy } from "../src/Session.ts";
import { decode, encode, type GrantRecord } from "../src/internal/GrantRecord.ts";
import {
  actionFor,
  grantState,
  grantStates,
  type GrantState,
  type TokenState,
} from "../src/internal/grantStates.ts";
import { answering, publicClient, tokenSet } from "./clients.ts";
import { it } from "./it.ts";

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
  | "before the commit"
  | "after the commit";

/** The result of a process that takes over later, once the access token has ended. */
type Outcome = "renewed" | "lostAnswer";

interface Expected {
  readonly outcome: Outcome;
  /** Sends of the first refresh token in all. */
  readonly sends: number;
}

type Acted = "acted" | "did not act";

/** Why a point has no such server. */
const UNSENT = "nothing was sent";
const ANSWERED = "there was a response";

/** The last column of the table of steps: by a server that acted, and by one that did not. */
const crashes: Readonly<
  Record<CrashPoint, Record<LostAnswerPolicy, Record<Acted, Expected | string>>>
> = {
  "before the intent": {
    resend: { acted: UNSENT, "did not act": { outcome: "renewed", sends: 1 } },
    signIn: { acted: UNSENT, "did not act": { outcome: "renewed", sends: 1 } },
  },
  "after the intent": {
    resend: { acted: UNSENT, "did not act": { outcome: "renewed", sends: 1 } },
    signIn: { acted: UNSENT, "did not act": { outcome: "lostAnswer", sends: 0 } },
  },
  "while sending": {
    resend: {
      acted: { outcome: "lostAnswer", sends: 2 },
      "did not act": { outcome: "renewed", sends: 1 },
    },
    signIn: {
      acted: { outcome: "lostAnswer", sends: 1 },
      "did not act": { outcome: "lostAnswer", sends: 0 },
    },
  },
  "before the commit": {
    resend: { acted: { outcome: "lostAnswer", sends: 2 }, "did not act": ANSWERED },
    signIn: { acted: { outcome: "lostAnswer", sends: 1 }, "did not act": ANSWERED },
  },
  "after the commit": {
    resend: { acted: { outcome: "renewed", sends: 1 }, "did not act": ANSWERED },
    signIn: { acted: { outcome: "renewed", sends: 1 }, "did not act": ANSWERED },
  },
};

const cells = Object.entries(crashes).flatMap(([point, policies]) =>
  Object.entries(policies).flatMap(([policy, servers]) =>
    Object.entries(servers).flatMap(([acted, expected]) =>
      typeof expected === "string"
        ? []
        : [[point as CrashPoint, policy as LostAnswerPolicy, acted as Acted, expected] as const],
    ),
  ),
);

/** A process that dies never comes back to its next step. */
const died = Effect.never;

const outcomeOf = (late: Result.Result<unknown, SessionError>): Outcome | SessionError["_tag"] => {
  if (late._tag === "Success") return "renewed";
  const isLost = late.failure._tag === "InvalidGrant" && late.failure.lostAnswer;
  return isLost ? "lostAnswer" : late.failure._tag;
};

const crash = (point: CrashPoint, policy: LostAnswerPolicy, acted: Acted) =>
  Effect.gen(function* () {
    const server = makeServer();
    const memory = TokenStore.memory();
    let hasCrashed = false;
    const http = answering(({ refresh_token: refreshToken = "" }) => {
      if (point !== "while sending" || hasCrashed)
        return Effect.sync(() => server.rotate(refreshToken));
      hasCrashed = true;
      if (acted === "acted") server.rotate(refreshToken);
      return died;
    });
    /** The store as the dying process sees it. */
    const dying: TokenStore.TokenStore = {
      read: memory.read,
      write: (key, expected, next) =>
        Effect.gen(function* () {
          if (hasCrashed) return yield* died;
          const isIntent = next?.text.includes('"intent"') ?? false;
          const isCommit = next?.text.includes("AT-2") ?? false;
          if (point === "before the intent" && isIntent) return yield* died;
          if (point === "before the commit" && isCommit) return yield* died;
          const isWritten = yield* memory.write(key, expected, next);
          if (point === "after the intent" && isIntent) return yield* died;
          if (point === "after the commit" && isCommit) return yield* died;
          return isWritten;
        }),
    };
    const client = yield* publicClient("https://auth.example.com");
    const options = { key: KEY, onLostAnswer: policy };
    const first = Session.forUser(client, { ...options, store: dying });
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
    }).pipe(Effect.provideService(OAuthHttpClient.OAuthHttpClient, http));
  });

describe("a process that dies in a renewal", () => {
  it.effect.each(cells)(
    "C18: %s, policy %s, a server that %s",
    function* ([point, policy, acted, expected]) {
      const result = yield* crash(point, policy, acted);
      assert.deepInclude(result, expected);
      if (policy === "signIn") assert.strictEqual(result.doubles, 0);
      // While the access token lives, a lost answer costs no second send.
      if (point === "while sending" || point === "before the commit")
        assert.isAtMost(result.sendsBeforeTheEnd, 1);
    },
  );
});

/** A record for each state, with the token that its cells are about. */
const examples: Readonly<Record<GrantState, GrantRecord | undefined>> = (() => {
  const tokens = (expiresAt: number) => tokenSet({ expiresAt });
  const intent = { id: "i", at: 1_000_000, patience: 25_000, attempt: 1 };
  return {
    absent: undefined,
    fresh: { v: 2, tokens: tokens(2_000_000) },
    soon: { v: 2, tokens: tokens(1_200_000) },
    due: { v: 2, tokens: tokens(1_030_000) },
    inFlight: { v: 2, tokens: tokens(1_030_000), intent },
    lost: { v: 2, tokens: tokens(1_030_000), intent: { ...intent, isClosed: true } },
    dead: { v: 2, dead: { at: 1, status: 400, lostAnswer: false, hasConsentEnded: false } },
  };
})();

const circumstances = {
  now: 1_000_100,
  storeNow: 1_000_100,
  isRefused: false,
  isRenewable: true,
  times: { renewFrom: 300_000, waitFrom: 60_000 },
};

describe("the state table", () => {
  const names = Object.keys(grantStates) as Array<GrantState>;

  test.each(names)("recognises %s, also after a way through text", (name) => {
    const record = examples[name];
    const copy = record && decode(encode(record));
    assert.strictEqual(grantState(copy, circumstances), name);
  });

  test("has an action, or a reason for none, in each of its 14 cells", () => {
    let impossible = 0;
    for (const name of names)
      for (const token of ["good", "over"] satisfies ReadonlyArray<TokenState>)
        for (const policy of ["resend", "signIn"] satisfies ReadonlyArray<LostAnswerPolicy>) {
          const cell = grantStates[name][token];
          if (typeof cell === "object" && "impossible" in cell) {
            impossible += 1;
            assert.throws(() => actionFor(name, token, policy), cell.impossible);
          } else assert.isString(actionFor(name, token, policy));
        }
    assert.strictEqual(impossible, 8);
  });

  test("never sends in flight, and never twice under signIn", () => {
    const sending = new Set(["renew", "resend", "useAndRenew"]);
    for (const token of ["good", "over"] satisfies ReadonlyArray<TokenState>) {
      assert.isFalse(sending.has(actionFor("inFlight", token, "resend")));
      assert.isFalse(sending.has(actionFor("lost", token, "signIn")));
    }
    assert.isFalse(sending.has(actionFor("lost", "good", "resend")));
  });

  test("counts an intent as lost at M + T, and when the store's clock was set back", () => {
    const at = (storeNow: number) => grantState(examples.inFlight, { ...circumstances, storeNow });
    assert.strictEqual(at(1_024_999), "inFlight");
    assert.strictEqual(at(1_025_000), "lost");
    assert.strictEqual(at(999_999), "lost");
  });

  test("takes a refused token for one that has ended", () => {
    assert.strictEqual(grantState(examples.fresh, { ...circumstances, isRefused: true }), "due");
  });
});
