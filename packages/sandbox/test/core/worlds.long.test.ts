/** What a world weighs: 140 in one process, each with a token and three requests. */
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const WORLDS = 140;
const index = new URL("../../src/index.ts", import.meta.url).href;

const program = `
import { startWorlds } from ${JSON.stringify(index)};
const worlds = await startWorlds();
const use = async (key) => {
  const world = worlds.at(key);
  const token = await world.token({ scopes: ["account:profile", "account:characters"] });
  for (const path of ["/profile", "/character", "/profile"]) {
    const response = await fetch(world.baseUrl + path, { headers: { authorization: "Bearer " + token } });
    if (!response.ok) throw new Error(path + " " + response.status);
    await response.arrayBuffer();
  }
};
const weigh = () => { for (let time = 0; time < 4; time++) gc(); const { external, heapUsed } = process.memoryUsage(); return heapUsed + external; };
// The first ones load the modules and compile what is hot.
for (let key = 0; key < 20; key++) await use("warm-" + key);
const before = weigh();
for (let key = 0; key < ${WORLDS}; key++) await use("world-" + key);
console.log((weigh() - before) / ${WORLDS});
await worlds.close();
`;

it("is at most 0.5 MB", () => {
  const run = spawnSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: 120_000,
  });
  expect(run.stderr).toBe("");
  const bytes = Number(run.stdout);
  console.log(`${Math.round(bytes / 1000)} kB a world`);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(500_000);
});
