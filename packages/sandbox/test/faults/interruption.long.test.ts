/** Clients that give up at any point: nothing is left behind, and others are answered. */
import { createSandboxHandler } from "@game-data/sandbox";
import { afterAll, expect, it } from "vitest";
import { prng } from "../../src/world/Prng.ts";
import { toolsFor } from "../control/harness.ts";

const sandbox = toolsFor(await createSandboxHandler());
afterAll(() => sandbox.close());

const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

it("500 requests that clients gave up leave no timer and no open journal entry", async () => {
  const token = await sandbox.serviceToken();
  await sandbox.addFault({ when: { every: 2 }, fault: { kind: "delay", milliseconds: 600_000 } });
  await sandbox.addFault({
    when: { every: 3 },
    fault: { kind: "dribble", bytes: 1, everyMilliseconds: 600_000 },
  });
  const draw = prng("interruption");
  const before = timers();
  const ends = await Promise.all(
    Array.from({ length: 500 }, async () => {
      const stop = new AbortController();
      const path = draw.pick(["/league", "/public-stash-tabs", "/currency-exchange"]);
      const answer = sandbox
        .get(path, token, { signal: stop.signal })
        .then((response) => response.text())
        .then(
          () => "answered",
          ({ name }: Error) => name,
        );
      const steps = draw.int(0, 6);
      for (let step = 0; step < steps; step++) await new Promise((next) => setImmediate(next));
      stop.abort();
      return answer;
    }),
  );
  expect(new Set(ends)).toEqual(new Set(["answered", "AbortError"]));
  await expect.poll(timers).toBeLessThanOrEqual(before);
  const entries = await sandbox.journal();
  expect(entries).toHaveLength(500);
  await sandbox.ask("DELETE", "/faults");
  expect((await sandbox.get("/league", token)).status).toBe(200);
});
