/**
 * A world's start: equal options give equal worlds, whatever the hour at which the processes start.
 */
import { createSandboxHandler } from "@game-data/sandbox";
import { expect, it } from "vitest";

it("restores in one process what another, started with the same seed and the same start, has kept", async () => {
  const options = { seed: 3, now: "2026-01-02T03:04:05.000Z" };
  const [one, other] = [await createSandboxHandler(options), await createSandboxHandler(options)];
  try {
    const snapshot = (await one.control("POST", "/snapshot")) as object;
    expect(await other.control("POST", "/restore", snapshot)).toBeDefined();
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});
