/** The record of a grant over a store in which others write, and which does not always tell. */
import { assert, describe } from "@effect/vitest";
import { Effect, Redacted } from "effect";
import { TokenStore, TokenStoreFailed } from "../src/index.ts";
import { encode, type GrantRecord } from "../src/internal/GrantRecord.ts";
import * as GrantStore from "../src/internal/GrantStore.ts";
import { tokenSet } from "./clients.ts";
import { it } from "./it.ts";

const KEY = "k";
const tokens = tokenSet();
const WITH_TOKENS: GrantRecord = { v: 2, tokens };
const PATIENT = { attempt: 1, patience: 5 };

/** A grant whose store can answer otherwise, and a way to write as another server does. */
const setUp = (record?: GrantRecord) =>
  Effect.gen(function* () {
    const store = TokenStore.memory();
    const other = (version: string, next: GrantRecord | string) =>
      Effect.gen(function* () {
        const text = typeof next === "string" ? next : encode(next);
        const before = yield* store.read(KEY);
        assert.isTrue(yield* store.write(KEY, before?.version, { version, text }));
      });
    if (record) yield* other("first", record);
    const failure = new TokenStoreFailed({ operation: "write", reason: "ECONNRESET" });
    const trouble = { writes: 0, isDone: true };
    const grant = GrantStore.make(
      {
        read: store.read,
        write: (...all) => {
          if (trouble.writes-- <= 0) return store.write(...all);
          return Effect.andThen(trouble.isDone ? store.write(...all) : Effect.void, failure);
        },
      },
      KEY,
    );
    const text = Effect.map(store.read(KEY), (entry) => entry?.text ?? "");
    return { grant, other, store, text, trouble };
  });

describe("the record of a grant", () => {
  it.effect("has no intent that a failing write left, and that was not sent", function* () {
    const { grant, other, text, trouble } = yield* setUp(WITH_TOKENS);
    const { found } = yield* GrantStore.read(grant);
    assert.isUndefined(found!.record.intent);
    trouble.writes = 1;
    yield* Effect.flip(GrantStore.writeIntent(grant, found!, PATIENT));
    assert.include(yield* text, '"intent"');
    assert.notProperty((yield* GrantStore.read(grant)).found!.record, "intent");
    const again = (yield* GrantStore.read(grant)).found!;
    const id = yield* GrantStore.writeIntent(grant, again, { ...PATIENT, attempt: 2 });
    assert.deepInclude((yield* GrantStore.read(grant)).found!.record.intent, {
      id: id!,
      attempt: 2,
    });
    assert.strictEqual(grant.unsent.size, 1);
    yield* other("theirs", { ...WITH_TOKENS, intent: { id: "x", at: 0, ...PATIENT } });
    assert.deepInclude((yield* GrantStore.read(grant)).found!.record.intent, { id: "x" });
  });

  it.effect("loses an intent that is undone, also where that cannot be written", function* () {
    const { grant, trouble } = yield* setUp(WITH_TOKENS);
    const first = (yield* GrantStore.read(grant)).found!;
    const id = yield* GrantStore.writeIntent(grant, first, PATIENT);
    Object.assign(trouble, { writes: 1, isDone: false });
    yield* Effect.flip(GrantStore.undoIntent(grant, id!, WITH_TOKENS));
    assert.deepStrictEqual([...grant.unsent], [id]);
    assert.notProperty((yield* GrantStore.read(grant)).found!.record, "intent");
    assert.isTrue(yield* GrantStore.undoIntent(grant, id!, WITH_TOKENS));
    assert.strictEqual(grant.unsent.size, 0);
    assert.isFalse(yield* GrantStore.undoIntent(grant, id!, WITH_TOKENS));
  });

  const dead = { at: 0, status: 400, lostAnswer: true, hasConsentEnded: false, intent: "first" };
  it.effect.each<readonly [string, GrantRecord | undefined, boolean]>([
    ["nobody came between", undefined, true],
    ["another took our silence for a loss", { v: 2, dead }, true],
    ["another ended the grant", { v: 2, dead: { ...dead, lostAnswer: false } }, false],
    ["another intent was lost", { v: 2, dead: { ...dead, intent: "second" } }, false],
    ["somebody signed in", { v: 2, tokens: { ...tokens, issuedAt: 1 } }, false],
  ])("takes new tokens where %s", function* ([, between, isSaved]) {
    const { grant, other, store, text } = yield* setUp(WITH_TOKENS);
    if (between) yield* other("between", between);
    const fresh = { ...tokens, accessToken: Redacted.make("AT-new") };
    assert.strictEqual(yield* GrantStore.commit(grant, "first", fresh), isSaved);
    assert.isUndefined(grant.unsaved);
    assert.strictEqual((yield* text).includes("AT-new"), isSaved);
    assert.strictEqual(grant.known !== undefined, isSaved);
    if (isSaved) assert.strictEqual(grant.known!.version, (yield* store.read(KEY))!.version);
  });

  it.effect.each([true, false])(
    "takes tokens at a second try (first one written: %s)",
    function* (isDone) {
      const { grant, text, trouble } = yield* setUp(WITH_TOKENS);
      Object.assign(trouble, { writes: 1, isDone });
      const fresh = { ...tokens, accessToken: Redacted.make("AT-new") };
      assert.isTrue(yield* GrantStore.commit(grant, "first", fresh));
      assert.include(yield* text, "AT-new");
    },
  );

  it.effect("is remembered only where it was written", function* () {
    const { grant } = yield* setUp(WITH_TOKENS);
    assert.isFalse(yield* GrantStore.write(grant, "another", WITH_TOKENS));
    assert.isUndefined(grant.known);
    assert.isTrue(yield* GrantStore.write(grant, "first", WITH_TOKENS));
    assert.deepInclude(grant.known!, { record: WITH_TOKENS });
  });

  it.effect("is replaced and removed within ten tries", function* () {
    const memory = TokenStore.memory();
    let losses = 0;
    const grant = GrantStore.make(
      {
        read: memory.read,
        write: (...all) => (losses-- > 0 ? Effect.succeed(false) : memory.write(...all)),
      },
      KEY,
    );
    const unsaved = { expected: "x", version: "y", tokens };
    grant.unsaved = unsaved;
    losses = 10;
    const error = yield* Effect.flip(GrantStore.replace(grant, tokens));
    assert.deepInclude(error, { operation: "write", reason: "the entry keeps changing" });
    assert.strictEqual(grant.unsaved, unsaved);
    losses = 9;
    yield* GrantStore.replace(grant, tokens);
    assert.isUndefined(grant.unsaved);
    assert.isDefined(grant.known);
    losses = 10;
    yield* Effect.flip(GrantStore.remove(grant));
    losses = 9;
    yield* GrantStore.remove(grant);
    assert.isUndefined(grant.known);
    assert.isUndefined(yield* memory.read(KEY));
    yield* GrantStore.remove(grant);
  });
});
