/**
 * A world's start: equal options give equal worlds, whatever the hour at which the processes start.
 */
import { createSandboxHandler } from "@game-data/sandbox";
import { expect, it } from "vitest";

it("restores in one process what another, started with the same seed and the same start, has kept", async () => {
  const options = { seed: 3, now: "2026-01-02T03:04:05.000Z" };
  const [one, other] = [await createSandboxHandler(options), await createSandboxHandler(options)];
  try {
    const control = (sandbox: typeof one, path: string, body?: unknown) =>
      sandbox.fetch(
        new Request(`${sandbox.controlUrl}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body ?? {}),
        }),
      );
    const snapshot = await (await control(one, "/snapshot")).json();
    const restored = await control(other, "/restore", snapshot);
    expect(await restored.text()).not.toContain("worldStart");
    expect(restored.status).toBeLessThan(300);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});
