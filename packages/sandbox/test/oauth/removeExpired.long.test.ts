/**
 * Removal of rows that can no longer matter, and of no others: the database does not grow for ever.
 */
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { assemble } from "../../src/assemble.ts";
import { NOWHERE, resolveConfig } from "../../src/Options.ts";
import { nodePlatform } from "../../src/platform/node.ts";
import { openSandbox, tokenOf } from "./harness.ts";

/** So many issues make a sandbox tidy up once. */
const ROUND = 1_000;
const DAY = 86_400_000;
/** When no token of a public client is in force any more. */
const OVER = 1000 * Lifetimes.refreshToken.public + DAY;

const open = async () => {
  const { state, server } = await Effect.runPromise(
    assemble({
      config: resolveConfig({}, NOWHERE, undefined),
      platform: nodePlatform,
      hasDocuments: false,
    }),
  );
  const { accounts, clients, clock, grants, store } = state;
  const issue = (clientId: string, scope = "account:profile", sub?: string) =>
    server.tokenGrants.issue(clients.byId(clientId)!, [scope], sub);
  const issueTo = () => issue("example-tablet", undefined, accounts.all[0]!.uuid);
  const churn = (rounds = 1) => {
    for (let count = 0; count < ROUND * rounds; count += 1) issueTo();
  };
  const rows = (table: string) => store.snapshot().tables[table]!.length;
  const liveToken = (text: string) => {
    const token = grants.token(grants.hash(text));
    return token !== undefined && grants.isLive(token) ? token : undefined;
  };
  return { churn, clock, grants, issue, issueTo, liveToken, rows };
};

describe("the database", () => {
  it("the tables of grants hold only valid rows, however many tokens are issued", async () => {
    const { churn, clock, rows } = await open();
    for (let time = 0; time < 5; time += 1) {
      churn();
      clock.advance(OVER);
    }
    churn();
    // Those of the last round, issued after the tidying up, or just before it.
    expect(rows("grants")).toBeLessThanOrEqual(2 * ROUND);
    expect(rows("tokens")).toBeLessThanOrEqual(5 * ROUND);
    clock.advance(OVER);
    churn(2);
    expect(rows("grants")).toBeLessThanOrEqual(2 * ROUND);
    expect(rows("tokens")).toBeLessThanOrEqual(5 * ROUND);
  });

  it("a sweep of grants keeps client-credentials tokens until they are revoked", async () => {
    const { churn, clock, grants, issue, liveToken, rows } = await open();
    const [kept, revoked] = [0, 1].map(() => issue("example-service", "service:leagues"));
    grants.revokeGrant(liveToken(revoked!.access_token)!.grantId);
    clock.advance(400 * DAY);
    churn();
    expect(liveToken(kept!.access_token)?.expiresAt).toBeNull();
    expect(grants.token(grants.hash(revoked!.access_token))).toBeUndefined();
    expect(rows("grants")).toBe(ROUND + 1);
  });

  it("a sweep of grants removes an access token revoked alone, and keeps the rest of its grant", async () => {
    const { churn, grants, issueTo, liveToken } = await open();
    const { access_token, refresh_token } = issueTo();
    grants.revoke(liveToken(access_token)!);
    churn();
    expect(grants.token(grants.hash(access_token))).toBeUndefined();
    expect(liveToken(refresh_token!)).toBeDefined();
  });

  it("a sandbox with few tokens keeps expired ones, valid again if its clock is set back", async () => {
    const { clock, issueTo, liveToken } = await open();
    const { access_token } = issueTo();
    const start = clock.now();
    clock.advance(400 * DAY);
    issueTo();
    clock.set(start);
    expect(liveToken(access_token)).toBeDefined();
  });
});

describe("what an attack is recognised by outlives the tidying up", () => {
  const withRound = async () => {
    const sandbox = await openSandbox();
    const issue = () => sandbox.token({ clientId: "example-tablet", scopes: ["account:profile"] });
    const churn = async () => {
      const token = await issue();
      for (let count = 0; count < ROUND; count += 1) await issue();
      return token;
    };
    return { ...sandbox, churn };
  };

  it("a repeated code and a used refresh token revoke their grant even after a sweep", async () => {
    const sandbox = await withRound();
    const replayed = await sandbox.codeFor();
    const first = await tokenOf(await sandbox.exchange(replayed));
    const second = await sandbox.tokensFor();
    const rotated = await tokenOf(await sandbox.refresh(second.refresh_token));
    const uses = async () => [
      await sandbox.useToken(first.access_token),
      await sandbox.useToken(rotated.access_token),
    ];
    const [unused, waiting] = [await sandbox.codeFor(), await sandbox.codeFor()];
    await sandbox.churn();
    // A code that waits to be exchanged is not disturbed.
    expect((await sandbox.exchange(waiting)).status).toBe(200);
    await sandbox.advance("27 days");
    const expired = await sandbox.churn();
    await sandbox.advance("11 hours");
    await sandbox.churn();

    const counted = (await sandbox.control("POST", "/snapshot")) as {
      store: { tables: Record<string, ReadonlyArray<unknown>> };
    };
    expect(counted.store.tables["codes"]).toHaveLength(3);
    expect(await sandbox.useToken(expired)).toBe(401);
    expect((await sandbox.exchange(unused)).status).toBe(400);
    expect(await uses()).toEqual([200, 200]);
    expect((await sandbox.exchange(replayed)).status).toBe(400);
    expect((await sandbox.refresh(second.refresh_token)).status).toBe(400);
    expect(await uses()).toEqual([401, 401]);
  });
});
