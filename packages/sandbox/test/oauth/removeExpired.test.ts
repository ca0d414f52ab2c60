/**
 * Removal of rows that can no longer matter, and of no others: the database does not grow for ever.
 */
import { Sandbox } from "@game-data/sandbox";
import { Effect } from "effect";
import { describe, expect, it } from "@effect/vitest";
import { oauthTables } from "../../src/oauth/tables.ts";
import { openSandbox, WEB } from "./harness.ts";

/** So many issues make a sandbox tidy up once. */
const ROUND = 1_000;

const open = Effect.gen(function* () {
  const { application, clock } = yield* Sandbox;
  const { store } = application;
  const { oauth } = application.service;
  const { access, grants, refresh } = oauthTables(store);
  const issue = (clientId: string, scopes = ["account:profile"]) => {
    const answer = oauth.issue({ clientId, scopes });
    if ("refused" in answer) throw new Error(answer.refused);
    return answer;
  };
  return {
    ...{ grants, oauth, issue, clock },
    churn: () => {
      for (let count = 0; count < ROUND; count += 1) issue("example-tablet");
    },
    count: () => [grants, access, refresh].map((table) => table.count()),
  };
});

describe("the database", () => {
  it.effect("keeps to what is in force, however long tokens are issued", () =>
    Effect.gen(function* () {
      const { churn, clock, count } = yield* open;
      for (let week = 0; week < 5; week += 1) {
        churn();
        yield* clock.advance("8 days");
      }
      churn();
      // Those of the last round, issued after the tidying up, or just before it.
      for (const left of count()) expect(left).toBeLessThanOrEqual(2 * ROUND);
      yield* clock.advance("8 days");
      churn();
      churn();
      for (const left of count()) expect(left).toBeLessThanOrEqual(2 * ROUND);
    }).pipe(Effect.provide(Sandbox.layerInProcess())),
  );

  it.effect("keeps client-credentials tokens until they are revoked", () =>
    Effect.gen(function* () {
      const { churn, clock, grants, issue, oauth } = yield* open;
      const kept = issue("example-service", ["service:leagues"]);
      const revoked = issue("example-service", ["service:leagues"]);
      oauth.grants.revokeGrant(oauth.grants.token(revoked.access_token)!.grant.id);
      yield* clock.advance("400 days");
      churn();
      expect(oauth.grants.token(kept.access_token)?.expiresAt).toBeNull();
      expect(oauth.grants.token(revoked.access_token)).toBeUndefined();
      expect(grants.count()).toBe(ROUND + 1);
    }).pipe(Effect.provide(Sandbox.layerInProcess())),
  );

  it.effect(
    "forgets an access token that was revoked by itself, and keeps the rest of its grant",
    () =>
      Effect.gen(function* () {
        const { churn, issue, oauth } = yield* open;
        const { access_token, refresh_token } = issue("example-tablet");
        oauth.grants.revokeAccess(oauth.grants.token(access_token)!.hash);
        churn();
        expect(oauth.grants.token(access_token)).toBeUndefined();
        expect(oauth.grants.token(refresh_token!)).toMatchObject({
          usedAt: null,
          revokedAt: null,
        });
      }).pipe(Effect.provide(Sandbox.layerInProcess())),
  );

  it.effect("lets a small sandbox's clock go back to when a token was in force", () =>
    Effect.gen(function* () {
      const { clock, issue, oauth } = yield* open;
      const { access_token } = issue("example-tablet");
      const start = clock.nowUnsafe();
      yield* clock.advance("400 days");
      issue("example-tablet");
      yield* clock.set(start);
      expect(oauth.grants.token(access_token)).toBeDefined();
    }).pipe(Effect.provide(Sandbox.layerInProcess())),
  );
});

describe("what an attack is recognised by outlives the tidying up", () => {
  const withRound = async () => {
    const sandbox = await openSandbox();
    const churn = async () => {
      const { access_token } = (await (
        await sandbox.control("/tokens", { clientId: "example-tablet" })
      ).json()) as { access_token: string };
      for (let count = 0; count < ROUND; count += 1)
        await sandbox.control("/tokens", { clientId: "example-tablet" });
      return access_token;
    };
    return { ...sandbox, churn };
  };

  it("a code that waits to be exchanged is not disturbed", async () => {
    const sandbox = await withRound();
    const waiting = await sandbox.codeFor();
    await sandbox.churn();
    expect((await sandbox.exchange(waiting)).status).toBe(200);
    await sandbox.close();
  });

  it("a redeemed code that comes again and a used refresh token still end their families", async () => {
    const sandbox = await withRound();
    const replayed = await sandbox.codeFor();
    const first = (await (await sandbox.exchange(replayed)).json()) as { access_token: string };
    const second = await sandbox.tokensFor();
    const rotated = (await (await sandbox.refresh(second.refresh_token)).json()) as {
      access_token: string;
    };
    const unused = await sandbox.codeFor();
    await sandbox.advance("27 days");
    const expired = await sandbox.churn();
    await sandbox.advance("11 hours");
    await sandbox.churn();

    const counted = (await (await sandbox.control("/snapshot", undefined)).json()) as {
      store: { tables: Record<string, ReadonlyArray<unknown>> };
    };
    expect(counted.store.tables["oauth_codes"]).toHaveLength(2);
    expect(await sandbox.useToken(expired)).toBe(401);
    expect((await sandbox.exchange(unused)).status).toBe(400);
    expect([
      await sandbox.useToken(first.access_token),
      await sandbox.useToken(rotated.access_token),
    ]).toEqual([200, 200]);
    expect((await sandbox.exchange(replayed)).status).toBe(400);
    expect((await sandbox.refresh(second.refresh_token, WEB.id)).status).toBe(400);
    expect([
      await sandbox.useToken(first.access_token),
      await sandbox.useToken(rotated.access_token),
    ]).toEqual([401, 401]);
    await sandbox.close();
  });
});
