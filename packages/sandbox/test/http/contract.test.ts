/** The facts that the sandbox states as plain data are those of the contract. */
import * as Contract from "@game-data/contract";
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { createSandboxHandler } from "@game-data/sandbox";
import { expect, it } from "vitest";
import { LIFETIMES } from "../../src/contract.ts";
import { RateLimitHeaders } from "../../src/rates/RatePolicy.ts";

it("keeps the contract's lifetimes, in milliseconds", () => {
  const { accessToken, authorizationCode, publicStashDelay, refreshToken } = Lifetimes;
  expect(LIFETIMES).toEqual({
    authorizationCode: authorizationCode * 1000,
    accessToken: {
      confidential: accessToken.confidential * 1000,
      public: accessToken.public * 1000,
    },
    refreshToken: {
      confidential: refreshToken.confidential * 1000,
      public: refreshToken.public * 1000,
    },
    publicStashDelay: publicStashDelay * 1000,
  });
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
        body: JSON.stringify({ clientId: "example-web", scopes: Contract.scopes }),
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
  for (const [name, { needs = {}, path: template }] of Object.entries<Contract.Route>(
    Contract.routes,
  ))
    for (const [pair, other] of Object.entries(needs)) {
      const [key, word] = pair.split("=") as [string, string];
      const path = template.replace(":league", "Standard");
      const value = other === "class" ? "witch" : "Standard";
      const alone = await ask(`${path}?${new URLSearchParams({ [key]: word })}`);
      const both = await ask(`${path}?${new URLSearchParams({ [key]: word, [other]: value })}`);
      expect([name, pair, alone, both]).toEqual([name, pair, 400, 200]);
    }
  await sandbox.close();
});
