/**
 * Our own clients against a service whose addresses have a path: sign-in, refresh, data and streams
 * through a world of the sandbox.
 */
import { startWorlds } from "@game-data/sandbox";
import { expect, it } from "vitest";
import { usePrompt } from "./support/gamedata.ts";

const prompt = usePrompt();

it("reaches every endpoint under a path, with tokens of the OAuth server under it", async () => {
  await using worlds = await startWorlds();
  const [world, other] = [worlds.at("cli"), worlds.at("other")];
  const client = world.clients.find(({ clientId }) => clientId === "example-web")!;
  prompt.env = {
    GAME_DATA_AUTH_URL: world.authUrl,
    GAME_DATA_BASE_URL: world.baseUrl,
    GAME_DATA_CLIENT_ID: client.clientId,
    GAME_DATA_CLIENT_SECRET: client.clientSecret!,
  };
  const { code, stdout } = await prompt.run("conformance --league Standard --json");
  const { deviations, requests } = JSON.parse(stdout) as Record<string, number>;
  expect([code, deviations]).toEqual([0, 0]);
  expect(requests).toBeGreaterThan(40);
  await world.verify({ match: { endpoint: "oauth.token" }, atLeast: 1, status: 200 });
  await other.verify({ match: { method: "GET" }, exactly: 0 });
});
