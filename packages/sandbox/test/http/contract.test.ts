/** The facts that the sandbox states as plain data are those of the contract. */
import * as Contract from "@game-data/contract";
import { createSandboxHandler } from "@game-data/sandbox";
import { expect, it } from "vitest";
import { RateLimitHeaders } from "../../src/rates/RatePolicy.ts";

it("knows the contract's names of rate headers", () => {
  const names = ({ policy, retryAfter, rule, rules, state }: typeof Contract.RateLimitHeaders) => [
    ...[policy, rules, retryAfter],
    ...["Account", "Client", "Ip"].flatMap((name) => [rule(name), state(name)]),
  ];
  expect(names(RateLimitHeaders)).toEqual(names(Contract.RateLimitHeaders));
});

it("knows which parameters go together", async () => {
  await using sandbox = await createSandboxHandler();
  const account = sandbox.accounts[0]!.name;
  const ask = async (path: string): Promise<number> => {
    const query = new URLSearchParams({ path, account });
    const request = new Request(`${sandbox.controlUrl}/world?${query}`);
    return (await sandbox.fetch(request)).status;
  };
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
});
