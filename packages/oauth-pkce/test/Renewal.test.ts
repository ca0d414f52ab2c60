/** What a renewal writes, whom it tells, and when a session looks into its store again. */
import { assert, describe } from "@effect/vitest";
import { Duration, Effect, Fiber, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { NotSignedIn, Session, TokenStore } from "../src/index.ts";
import { decode, encode } from "../src/internal/Grant.ts";
import {
  answering,
  confidentialClient,
  failing,
  publicClient,
  steppedStore,
  tokenSet,
} from "./clients.ts";
import { tokenBody } from "./FakeServer.ts";
import { it } from "./it.ts";

const AUTH = "https://auth.example.com";
const END = 3_600_000;
const first = tokenSet({ sub: "the user" });

/** An answer of the server: an error's code, a response's status, body and headers, or tokens. */
type Script = string | readonly [number, object?, Record<string, string>?];
const TOKENS: Script = [
  200,
  tokenBody({ access_token: "AT-2", refresh_token: "RT-2", expires_in: 3600, sub: "the user" }),
];

const TOKENS_OF_ANOTHER_USER: Script = [200, tokenBody({ sub: "another user" })];

/** A session whose server answers by a script, and the store that it shares. */
const setUp = Effect.fnUntraced(function* (
  script: ReadonlyArray<Script>,
  options: Session.SessionOptions = {},
) {
  const { hooks, memory, store } = steppedStore();
  const seen = { sends: 0 };
  const fetch = answering(() => {
    const next = script[seen.sends++] ?? TOKENS;
    if (typeof next === "string") return failing(next);
    const [status, body = {}, headers = {}] = next;
    return Effect.succeed(Response.json(body, { status, headers }));
  });
  const session = Session.forUser(yield* publicClient(AUTH, { fetch }), { store, ...options });
  const token = Effect.map(session.accessToken, Redacted.value<string>);
  const record = Effect.map(memory.read("desktop"), (entry) => decode(entry?.text ?? "")!);
  yield* session.signIn(first);
  hooks.reads = 0;
  return { fetch, hooks, memory, record, seen, session, token };
});

const refused = (error: string, more: object = {}): Script => [400, { error, ...more }];
const busy = (seconds?: string): Script => [429, {}, seconds ? { "retry-after": seconds } : {}];

describe("a renewal that fails", () => {
  it.effect.each<readonly [Script, object]>([
    [busy("10"), {}],
    [busy(), {}],
    ["ECONNREFUSED", {}],
    [refused("invalid_client"), {}],
    [[503, {}, { "retry-after": "1" }], {}],
    [[503], { attempt: 1, isLost: true }],
    [[500, {}, { "retry-after": "1" }], { attempt: 1, isLost: true }],
    [[200], { attempt: 1, isLost: true }],
    [TOKENS_OF_ANOTHER_USER, { attempt: 1, isLost: true }],
    ["ECONNRESET", { attempt: 1, isLost: true }],
    [[302], { attempt: 1, isLost: true }],
    [[401, { error: "invalid_grant" }], { reason: "refused", status: 401 }],
  ])("a renewal with the response %j leaves the record %j", function* ([script, expected]) {
    const { record, token } = yield* setUp([script]);
    yield* TestClock.adjust(END);
    assert.notProperty(yield* Effect.flip(token), "lostAnswer");
    const { ended, intent, tokens } = yield* record;
    assert.strictEqual(tokens === undefined, "reason" in expected);
    assert.strictEqual(intent !== undefined, "attempt" in expected);
    assert.deepInclude({ ...ended, ...intent }, expected);
  });

  it.effect(
    "after a refused renewal, a session fails with the same error without a request",
    function* () {
      const { seen, token } = yield* setUp([refused("invalid_grant")]);
      yield* TestClock.adjust(END);
      const [one, two] = [yield* Effect.flip(token), yield* Effect.flip(token)];
      for (const error of [one, two])
        assert.deepInclude(error, { error: "invalid_grant", grant: "refresh_token", status: 400 });
      assert.notProperty(two, "lostAnswer");
      assert.strictEqual(seen.sends, 1);
    },
  );

  it.effect(
    "the store keeps an ended grant for 30 days and a sign-out for 40 minutes",
    function* () {
      const memory = TokenStore.memory();
      const ttls: Array<number | undefined> = [];
      const write: TokenStore.TokenStore["write"] = (key, expected, next) => {
        ttls.push(next.ttlMillis);
        return memory.write(key, expected, next);
      };
      const store = { ...memory, write };
      const { session, token } = yield* setUp([refused("invalid_grant")], { store });
      yield* session.signIn(tokenSet({ consentExpiresAt: END }));
      yield* session.signOut();
      yield* session.signIn(first);
      yield* TestClock.adjust(END);
      yield* Effect.flip(token);
      const days = 30 * 86_400_000;
      assert.deepStrictEqual(ttls, [undefined, END + days, 2_400_000, undefined, undefined, days]);
    },
  );

  it.effect(
    "after a 429 with Retry-After, a session sends no renewal before that time",
    function* () {
      const { seen, token } = yield* setUp([busy("10"), busy()]);
      yield* TestClock.adjust(END - 1_000);
      // The token is good for another second.
      assert.strictEqual(yield* token, "AT-1");
      assert.strictEqual(yield* token, "AT-1");
      yield* TestClock.adjust("5 seconds");
      const error = yield* Effect.flip(token);
      assert.deepInclude(error, { _tag: "ServerUnavailable", status: 503 });
      assert(error._tag === "ServerUnavailable");
      assert.strictEqual(Duration.toSeconds(error.retryAfter!), 5);
      assert.strictEqual(seen.sends, 1);
      yield* TestClock.adjust("5 seconds");
      yield* Effect.flip(token);
      assert.strictEqual(seen.sends, 2);
    },
  );

  it.effect("onUnknownOutcome gets each renewal without a response, and its attempt", function* () {
    const lost: Array<Session.UnknownOutcome> = [];
    const { record, token } = yield* setUp(
      ["ECONNRESET", [503], refused("invalid_grant", { error_description: "gone" })],
      {
        onUnknownOutcome: (answer) => {
          lost.push(answer);
          throw new Error("of the program");
        },
      },
    );
    yield* TestClock.adjust(END);
    yield* Effect.flip(token);
    yield* Effect.flip(token);
    assert.deepInclude((yield* record).intent, { attempt: 2 });
    assert.deepInclude(yield* Effect.flip(token), {
      _tag: "InvalidGrant",
      lostAnswer: true,
      description: "gone",
      grant: "refresh_token",
    });
    assert.deepInclude((yield* record).ended, { status: 400, reason: "lostAnswer" });
    const answer = { key: "desktop", usableUntil: END };
    assert.deepStrictEqual(lost, [
      { ...answer, attempt: 1 },
      { ...answer, attempt: 2 },
    ]);
  });

  it.effect("an application session returns its usable token if the renewal fails", function* () {
    const { fetch, seen } = yield* setUp([TOKENS, [302], TOKENS]);
    const client = yield* confidentialClient(AUTH, { fetch });
    const session = Session.forApplication(client, { scopes: ["service:psapi"] });
    const token = Effect.map(session.accessToken, Redacted.value<string>);
    assert.strictEqual(yield* token, "AT-2");
    yield* TestClock.adjust(END - 59_000);
    assert.deepStrictEqual([yield* token, yield* token, seen.sends], ["AT-2", "AT-2", 2]);
    yield* TestClock.adjust("59 seconds");
    assert.strictEqual(yield* token, "AT-2");
    assert.strictEqual(seen.sends, 3);
  });

  it.effect("`begin` of a session may be called again if its code was not sent", function* () {
    const session = Session.forUser(yield* publicClient(AUTH));
    assert.instanceOf(yield* Effect.flip(session.begin(new NotSignedIn())), NotSignedIn);
    assert.strictEqual(yield* session.begin(Effect.succeed(first)), first);
  });

  it.effect("another process's renewal counts as lost if the clock was set back", function* () {
    const { memory, session } = yield* setUp([]);
    const intent = { at: 1_000, patience: 25_000, attempt: 1 };
    const before = yield* memory.read("desktop");
    const text = encode({ v: 3, tokens: first, intent });
    yield* memory.write("desktop", before?.version, { version: "theirs", text });
    assert.strictEqual((yield* session.status)._tag, "OutcomeUnknown");
    yield* TestClock.adjust(1_000);
    assert.strictEqual((yield* session.status)._tag, "InFlight");
  });

  it.effect("the policy `signIn` ends a grant without repeating a lost renewal", function* () {
    const { memory, record, seen, token } = yield* setUp(["ECONNRESET"], {
      onLostAnswer: "signIn",
    });
    yield* TestClock.adjust(END);
    yield* Effect.flip(token);
    const intent = (yield* memory.read("desktop"))?.version;
    assert.deepInclude(yield* Effect.flip(token), { _tag: "InvalidGrant", lostAnswer: true });
    assert.deepStrictEqual((yield* record).ended, {
      reason: "lostAnswer",
      status: 400,
      intent: intent!,
    });
    assert.strictEqual(seen.sends, 1);
  });
});

describe("a look into the store", () => {
  it.effect("a session reads the store each second while another process renews", function* () {
    const { hooks, memory, seen, token } = yield* setUp([]);
    yield* TestClock.setTime(END - 10_000);
    const intent = { at: END - 10_000, patience: 25_000, attempt: 1 };
    const before = yield* memory.read("desktop");
    const text = encode({ v: 3, tokens: first, intent });
    yield* memory.write("desktop", before?.version, { version: "theirs", text });
    for (const [at, reads] of [
      [0, 1],
      [999, 1],
      [1_000, 2],
    ] as const) {
      yield* TestClock.setTime(END - 10_000 + at);
      assert.strictEqual(yield* token, "AT-1");
      assert.strictEqual(hooks.reads, reads);
    }
    yield* TestClock.setTime(END);
    hooks.reads = 0;
    const waiting = yield* Effect.forkChild(token);
    const reads: Array<number> = [];
    for (const step of [0, 39, 1, 59, 1, 90, 5_000]) {
      yield* TestClock.adjust(step);
      reads.push(hooks.reads);
    }
    // After 40, 60 and 90 ms, and so on up to a second.
    assert.deepStrictEqual(reads.slice(0, 6), [1, 1, 2, 2, 3, 4]);
    assert.isAtMost(reads[6]!, 16);
    assert.strictEqual(seen.sends, 0);
    // Beyond its patience the holder is taken for dead.
    yield* TestClock.adjust("11 seconds");
    assert.strictEqual(yield* Fiber.join(waiting), "AT-2");
    assert.strictEqual(seen.sends, 1);
  });

  const other = { ...first, accessToken: Redacted.make("AT-other"), expiresAt: 2 * END };

  it.effect.each([
    ["was faster, and sends nothing", "before the intent", 0],
    ["signed in while the refresh failed", "after the intent", 1],
  ] as const)("renewals return the tokens of a server that %s", function* ([, moment, sends]) {
    const { fetch, memory, seen } = yield* setUp([refused("invalid_grant")]);
    const { hooks, store } = steppedStore(memory);
    yield* TestClock.setTime(END);
    hooks.at = (step) =>
      Effect.gen(function* () {
        if (step !== moment) return;
        const current = yield* memory.read("desktop");
        const text = encode({ v: 3, tokens: other });
        yield* memory.write("desktop", current?.version, { version: "other", text });
      });
    const client = yield* publicClient(AUTH, { fetch });
    const late = yield* Session.forUser(client, { store }).accessToken;
    assert.strictEqual(Redacted.value(late), "AT-other");
    assert.strictEqual(seen.sends, sends);
  });
});
