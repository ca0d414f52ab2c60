/** The facts that the sandbox states as plain data are those of the contract. */
import * as Contract from "@game-data/contract";
import { createSandboxHandler } from "@game-data/sandbox";
import { expect, it } from "vitest";
import { RateLimits } from "../../src/rates/RateLimits.ts";

it("sends the contract's names of rate headers, and no others", () => {
  const { policy, retryAfter, rule, rules, state } = Contract.RateLimitHeaders;
  const limits = new RateLimits({
    enabled: true,
    hiddenBuckets: null,
    policies: { p: { Ip: "1:1:1", Account: "1:1:1", Client: "1:1:1" } },
    endpoints: { "*": "p" },
  });
  const who = { Ip: "i", Account: "a", Client: "c" };
  limits.decide({ endpoint: "profile.get", isProbe: false }, who, 0);
  const { headers } = limits.decide({ endpoint: "profile.get", isProbe: false }, who, 0)!;
  const ofRules = ["Account", "Client", "Ip"].flatMap((name) => [rule(name), state(name)]);
  expect(Object.keys(headers).toSorted()).toEqual(
    [policy, rules, retryAfter, ...ofRules].toSorted(),
  );
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
