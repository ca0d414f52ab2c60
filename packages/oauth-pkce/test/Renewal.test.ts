/** What a renewal writes, whom it tells, and when a session looks into its store again. */
import { assert, describe } from "@effect/vitest";
import { Duration, Effect, Fiber, Redacted } from "effect";
import { TestClock } from "effect/testing";
import { OAuthHttpClient, Session, TokenStore } from "../src/index.ts";
import { decode, encode } from "../src/internal/GrantRecord.ts";
import { answering, confidentialClient, failing, publicClient, tokenSet } from "./clients.ts";
import { tokenBody } from "./FakeServer.ts";
import { it } from "./it.ts";

const END = 3_600_000;
const first = tokenSet();

/** An answer of the server: an error's code, a response's status, body and headers, or tokens. */
type Script = string | readonly [number, object?, Record<string, string>?];
const TOKENS: Script = [
  200,
  tokenBody({ access_token: "AT-2", refresh_token: "RT-2", expires_in: 3600 }),
];

const KEY = { desktop: "desktop", backend: "backend" } as const;

/** A session whose server answers by a script, and the store that it shares. */
const setUp = Effect.fnUntraced(function* (
  script: ReadonlyArray<Script>,
  options: Session.SessionOptions = {},
  kind: keyof typeof KEY = "desktop",
) {
  const memory = TokenStore.memory();
  const seen = { reads: 0, sends: 0 };
  const http = answering(() => {
    const next = script[seen.sends++] ?? TOKENS;
    if (typeof next === "string") return failing(next);
    const [status, body = {}, headers = {}] = next;
    return Effect.succeed(Response.json(body, { status, headers }));
  });
  const store: TokenStore.TokenStore = {
    ...memory,
    read: (key) => Effect.suspend(() => ((seen.reads += 1), memory.read(key))),
  };
  const all = { store, ...options };
  const session =
    kind === "desktop"
      ? Session.forUser(yield* publicClient("https://auth.example.com"), all)
      : Session.forApplication(yield* confidentialClient("https://auth.example.com"), {
          ...all,
          scopes: ["service:psapi"],
        });
  const over = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.provideService(effect, OAuthHttpClient.OAuthHttpClient, http);
  const token = Effect.map(over(session.accessToken), Redacted.value<string>);
  const record = Effect.map(memory.read(KEY[kind]), (entry) => decode(entry?.text ?? "")!);
  if (kind === "desktop") yield* session.signIn(first);
  seen.reads = 0;
  return { memory, over, record, seen, session, token };
});

const refused = (error: string, more: object = {}): Script => [400, { error, ...more }];
const busy = (seconds?: string): Script => [429, {}, seconds ? { "retry-after": seconds } : {}];

describe("a renewal that fails", () => {
  it.effect.each<readonly [Script, object]>([
    [busy("10"), { notBefore: END + 10_000 }],
    [busy("7200"), { notBefore: END + 3_600_000 }],
    [busy(), {}],
    ["ECONNREFUSED", {}],
    [refused("invalid_client"), {}],
    [[503], { attempt: 1, isClosed: true }],
    [[503, {}, { "retry-after": "1" }], { notBefore: END + 1_000 }],
    [[500, {}, { "retry-after": "1" }], { attempt: 1, isClosed: true }],
    [[200], { attempt: 1, isClosed: true }],
    ["ECONNRESET", { attempt: 1, isClosed: true }],
    [[302], { attempt: 1, isClosed: true }],
    [[401, { error: "invalid_grant" }], { status: 401, lostAnswer: false, hasConsentEnded: false }],
  ])("with %j leaves %j", function* ([script, expected]) {
    const { record, token } = yield* setUp([script]);
    yield* TestClock.adjust(END);
    assert.notProperty(yield* Effect.flip(token), "lostAnswer");
    const { dead, intent, notBefore, tokens } = yield* record;
    assert.strictEqual(tokens === undefined, "lostAnswer" in expected);
    assert.strictEqual(intent !== undefined, "attempt" in expected);
    assert.deepInclude({ ...dead, ...intent, ...(notBefore && { notBefore }) }, expected);
    if (!("notBefore" in expected)) assert.isUndefined(notBefore);
  });

  it.effect("with a pause sends nothing before it is over", function* () {
    const { record, seen, token } = yield* setUp([busy("10"), busy()]);
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
    assert.isUndefined((yield* record).notBefore);
  });

  it.effect("with a pause is not tried again in the background either", function* () {
    const { seen, session, token } = yield* setUp([busy("60")], {
      refreshBeforeExpiry: "5 minutes",
    });
    for (const [left, sends] of [
      [200_000, 1],
      [169_000, 1],
      [140_001, 1],
      [140_000, 2],
    ] as const) {
      yield* TestClock.setTime(END - left);
      assert.strictEqual(yield* token, "AT-1");
      while (session.isRenewing()) yield* Effect.yieldNow;
      assert.strictEqual(seen.sends, sends);
    }
  });

  it.effect("is told, and counted until it is refused", function* () {
    const told: Array<string> = [];
    const lost: Array<Session.LostAnswer> = [];
    const { record, token } = yield* setUp(
      ["ECONNRESET", [503], refused("invalid_grant", { error_description: "gone" })],
      { log: (line) => told.push(line), onAnswerLost: (answer) => lost.push(answer) },
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
    assert.deepInclude((yield* record).dead, { status: 400, lostAnswer: true });
    const answer = { key: "desktop", usableUntil: END };
    assert.deepStrictEqual(lost, [
      { ...answer, attempt: 1 },
      { ...answer, attempt: 2 },
    ]);
    assert.deepStrictEqual([...new Set(told)], ["The response to a token refresh was lost"]);
  });

  it.effect("is not repeated under signIn; the tombstone names its intent", function* () {
    const { record, seen, token } = yield* setUp(["ECONNRESET"], { onLostAnswer: "signIn" });
    yield* TestClock.adjust(END);
    yield* Effect.flip(token);
    const { intent } = yield* record;
    assert.deepInclude(yield* Effect.flip(token), { _tag: "InvalidGrant", lostAnswer: true });
    assert.deepInclude((yield* record).dead, { intent: intent!.id, lostAnswer: true, status: 400 });
    assert.strictEqual(seen.sends, 1);
  });
});

it.effect("a grant that has ended sends nothing, whatever else its record holds", function* () {
  const { memory, seen, token } = yield* setUp([]);
  const dead = { at: 0, status: 401, lostAnswer: false, hasConsentEnded: false };
  const text = encode({ v: 2, tokens: first, dead });
  const before = yield* memory.read("desktop");
  yield* memory.write("desktop", before?.version, { version: "dead", text });
  yield* TestClock.setTime(END);
  const error = yield* Effect.flip(token);
  assert.deepInclude(error, { error: "invalid_grant", status: 401, grant: "refresh_token" });
  assert.strictEqual(seen.sends, 0);
});

describe("an application's token", () => {
  it.effect("is renewed in its last minute, and kept where that fails", function* () {
    const { record, seen, session, token } = yield* setUp(
      [[200, tokenBody({ expires_in: 3600 })], refused("invalid_grant"), refused("invalid_grant")],
      {},
      "backend",
    );
    assert.strictEqual(yield* token, "AT-1");
    yield* TestClock.adjust("3539 seconds");
    assert.strictEqual(yield* token, "AT-1");
    assert.strictEqual(seen.sends, 1);
    yield* TestClock.adjust("1 second");
    assert.strictEqual((yield* Effect.flip(token))._tag, "InvalidGrant");
    assert.strictEqual(seen.sends, 2);
    const { dead, intent, tokens } = yield* record;
    assert.strictEqual(Redacted.value(tokens!.accessToken), "AT-1");
    assert.deepStrictEqual([dead, intent], [undefined, undefined]);
    assert.strictEqual((yield* session.status)._tag, "Due");
  });
});

describe("a look into the store", () => {
  const LATE = { refreshBeforeExpiry: "5 minutes" } as const;

  it.effect("is spared for a second after a try, while the token is good", function* () {
    const told: Array<string> = [];
    const { seen, session, token } = yield* setUp(["ECONNREFUSED", "ECONNREFUSED"], {
      ...LATE,
      log: (line) => told.push(line),
    });
    const readsOf = function* (at: number) {
      yield* TestClock.setTime(at);
      const before = seen.reads;
      assert.strictEqual(yield* token, "AT-1");
      while (session.isRenewing()) yield* Effect.yieldNow;
      return seen.reads - before;
    };
    const START = END - 200_000;
    const counts: Array<number> = [];
    for (const at of [
      START,
      START + 999,
      START + 1_000,
      START + 1_999,
      START + 500,
      START + 29_999,
    ])
      counts.push(yield* readsOf(at));
    assert.deepStrictEqual(counts, [1, 0, 1, 0, 1, 1]);
    assert.strictEqual(seen.sends, 1);
    assert.strictEqual(yield* readsOf(START + 30_000), 1);
    assert.strictEqual(seen.sends, 2);
    const [line] = told;
    assert.match(line!, /^Renewing a token in the background failed: No response arrived/);
  });

  it.effect("is taken for every call in the last minute", function* () {
    const { seen, token } = yield* setUp(["ECONNREFUSED", "ECONNREFUSED"]);
    yield* TestClock.setTime(END - 60_000);
    for (const reads of [1, 2]) {
      assert.strictEqual(yield* token, "AT-1");
      assert.deepStrictEqual(seen, { reads, sends: reads });
    }
  });

  it.effect("is not spared after a try where the last minute has begun since", function* () {
    const { seen, session, token } = yield* setUp(["ECONNREFUSED", "ECONNREFUSED"], LATE);
    for (const [left, sends] of [
      [60_500, 1],
      [60_000, 2],
    ] as const) {
      yield* TestClock.setTime(END - left);
      assert.strictEqual(yield* token, "AT-1");
      while (session.isRenewing()) yield* Effect.yieldNow;
      assert.strictEqual(seen.sends, sends);
    }
  });

  it.effect("is spared for a second while another server renews, then polls", function* () {
    const { memory, seen, token } = yield* setUp([]);
    yield* TestClock.setTime(END - 10_000);
    const intent = { id: "theirs", at: END - 10_000, patience: 25_000, attempt: 1 };
    const before = yield* memory.read("desktop");
    const text = encode({ v: 2, tokens: first, intent });
    yield* memory.write("desktop", before?.version, { version: "theirs", text });
    for (const [at, reads] of [
      [0, 1],
      [999, 1],
      [1_000, 2],
    ] as const) {
      yield* TestClock.setTime(END - 10_000 + at);
      assert.strictEqual(yield* token, "AT-1");
      assert.strictEqual(seen.reads, reads);
    }
    yield* TestClock.setTime(END);
    seen.reads = 0;
    const waiting = yield* Effect.forkChild(token);
    const reads: Array<number> = [];
    for (const step of [0, 39, 1, 59, 1, 90, 5_000]) {
      yield* TestClock.adjust(step);
      reads.push(seen.reads);
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

  it.effect("gives the tokens of a server that was faster, and sends nothing", function* () {
    const { memory, over, seen } = yield* setUp([]);
    yield* TestClock.setTime(END);
    const store: TokenStore.TokenStore = {
      read: memory.read,
      write: (key, expected, next) => {
        const text = encode({ v: 2, tokens: other });
        const faster = memory.write(key, expected, { version: "other", text });
        return Effect.andThen(faster, memory.write(key, expected, next));
      },
    };
    const client = yield* publicClient("https://auth.example.com");
    const late = yield* over(Session.forUser(client, { store }).accessToken);
    assert.strictEqual(Redacted.value(late), "AT-other");
    assert.strictEqual(seen.sends, 0);
  });

  it.effect("gives the tokens of whoever signed in while a refresh failed", function* () {
    const { memory, over, seen, session } = yield* setUp([refused("invalid_grant")]);
    yield* TestClock.setTime(END);
    const signsIn: TokenStore.TokenStore = {
      read: memory.read,
      write: (key, expected, next) =>
        Effect.gen(function* () {
          const isWritten = yield* memory.write(key, expected, next);
          if (!next?.text.includes('"intent"') || seen.sends > 0) return isWritten;
          const text = encode({ v: 2, tokens: other });
          yield* memory.write(key, next.version, { version: "other", text });
          return isWritten;
        }),
    };
    yield* session.close;
    const client = yield* publicClient("https://auth.example.com");
    const late = yield* over(Session.forUser(client, { store: signsIn }).accessToken);
    assert.strictEqual(Redacted.value(late), "AT-other");
  });
});
