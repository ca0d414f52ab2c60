/** The facts that the sandbox states as plain data are those of the contract. */
import * as Contract from "@game-data/contract";
import { LadderQuery, LeaguesQuery, MatchesQuery } from "@game-data/contract/effect";
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { createSandboxHandler } from "@game-data/sandbox";
import { Duration, Schema } from "effect";
import { expect, it } from "vitest";
import { ErrorCode, errorCodeOfStatus, LIFETIMES } from "../../src/contract.ts";
import { isServiceScope, SCOPES } from "../../src/scopes.ts";
import { RateLimitHeaders } from "../../src/rates/RatePolicy.ts";

it("knows the contract's scopes", () => {
  expect(SCOPES).toEqual(Contract.scopes);
  for (const scope of SCOPES) expect(isServiceScope(scope)).toBe(Contract.isServiceScope(scope));
});

it("knows the contract's lifetimes", () => {
  const { accessToken, authorizationCode, publicStashDelay, refreshToken } = Lifetimes;
  expect(LIFETIMES).toEqual({
    authorizationCode: Duration.toMillis(authorizationCode),
    accessToken: {
      confidential: Duration.toMillis(accessToken.confidential),
      public: Duration.toMillis(accessToken.public),
    },
    refreshToken: {
      confidential: Duration.toMillis(refreshToken.confidential),
      public: Duration.toMillis(refreshToken.public),
    },
    publicStashDelay: Duration.toMillis(publicStashDelay),
  });
});

it("knows the contract's error codes and their statuses", () => {
  expect(ErrorCode).toEqual(Contract.ErrorCode);
  for (let status = 100; status < 600; status++)
    expect(errorCodeOfStatus(status)).toBe(Contract.errorCodeOfStatus(status));
});

it("knows the contract's names of rate headers", () => {
  const names = ({ policy, retryAfter, rule, rules, state }: typeof Contract.RateLimitHeaders) => [
    ...[policy, rules, retryAfter],
    ...["Account", "Client", "Ip"].flatMap((name) => [rule(name), state(name)]),
  ];
  expect(names(RateLimitHeaders)).toEqual(names(Contract.RateLimitHeaders));
});

it("knows which parameters go together", async () => {
  const sandbox = await createSandboxHandler();
  const { access_token } = (await (
    await sandbox.fetch(
      new Request(`${sandbox.controlUrl}/tokens`, {
        method: "POST",
        body: JSON.stringify({ clientId: "example-web", scopes: SCOPES }),
      }),
    )
  ).json()) as { access_token: string };
  const ask = async (path: string): Promise<number> =>
    (
      await sandbox.fetch(
        new Request(`${sandbox.baseUrl}${path}`, {
          headers: { authorization: `Bearer ${access_token}` },
        }),
      )
    ).status;
  const cases = [
    ["/league", LeaguesQuery, { type: "season" }, { season: "Season 1" }],
    ["/pvp-match", MatchesQuery, { type: "season" }, { season: "Season 1" }],
    ["/pvp-match", MatchesQuery, { type: "league" }, { league: "Standard" }],
    ["/league/Standard/ladder", LadderQuery, { sort: "class" }, { class: "witch" }],
  ] as const;
  for (const [path, schema, alone, more] of cases)
    for (const query of [alone, { ...alone, ...more }]) {
      const isValid = Schema.is(schema as Schema.Constraint)(query);
      const status = await ask(`${path}?${new URLSearchParams(query as Record<string, string>)}`);
      expect([path, query, status]).toEqual([path, query, isValid ? 200 : 400]);
    }
  await sandbox.close();
});
