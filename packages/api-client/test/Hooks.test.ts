import { Effect, Logger } from "effect";
import { describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import type { GameApiOptions } from "../src/index.ts";
import { layerOver, recording } from "./recording.ts";

const quick = { retry: { times: 1, base: 1 } };

const profile = (
  { http }: ReturnType<typeof recording>,
  options: Partial<GameApiOptions>,
  logs: Array<string> = [],
) => {
  const logger = Logger.make(({ message }) => {
    logs.push(String(message));
  });
  return Effect.runPromise(
    Effect.flatMap(GameApi, (api) => api.profile.get()).pipe(
      Effect.provide(layerOver(http, { ...quick, ...options })),
      Effect.provide(Logger.layer([logger])),
    ),
  );
};

describe("hooks", () => {
  it.each(["onResponse", "onRetry"] as const)(
    "%s may throw: the call goes on and a warning is logged",
    async (name) => {
      const fail = () => {
        throw new Error("hook failed");
      };
      const logs: Array<string> = [];
      const service = recording((_, index) => (index === 0 ? { status: 503 } : {}));
      await expect(profile(service, { [name]: fail }, logs)).resolves.toMatchObject({ uuid: "u" });
      expect(logs.join()).toContain("hook failed");
    },
  );

  it("of one call hears that call's responses alone", async () => {
    const { http } = recording((_, index) => (index === 1 ? { status: 503 } : {}));
    const statuses: Array<number> = [];
    await Effect.runPromise(
      Effect.gen(function* () {
        const api = yield* GameApi;
        yield* api.profile.get();
        yield* api.profile.get({ onResponse: ({ status }) => statuses.push(status) });
        yield* api.profile.get();
      }).pipe(Effect.provide(layerOver(http, quick))),
    );
    expect(statuses).toEqual([503, 200]);
  });
});
