import { Effect, Logger, References } from "effect";
import { describe, expect, it } from "vitest";
import { driftInspector } from "../src/drift.ts";
import { GameApi } from "../src/index.ts";
import type { GameApiOptions } from "../src/index.ts";
import { layerOver, recording } from "./recording.ts";

const quick = { retry: { times: 1, base: 1 } };

const profile = (
  { transport }: ReturnType<typeof recording>,
  options: Partial<GameApiOptions>,
  logs: Array<string> = [],
) => {
  const logger = Logger.make(({ message }) => {
    logs.push(String(message));
  });
  return Effect.runPromise(
    Effect.flatMap(GameApi, (api) => api.profile.get()).pipe(
      Effect.provide(layerOver(transport, { ...quick, ...options })),
      Effect.provide(Logger.layer([logger])),
    ),
  );
};

describe("hooks", () => {
  it.each(["onRequest", "onResponse", "onRetry", "inspect"] as const)(
    "%s may throw: the call goes on and a warning is logged",
    async (name) => {
      const fail = () => {
        throw new Error("hook failed");
      };
      const logs: Array<string> = [];
      const inspect = driftInspector({ onDrift: fail });
      const body = '{"uuid":"u","name":"n","surprise":1}';
      const service = recording((_, index) => (index === 0 ? { status: 503 } : { body }));
      const hook = name === "inspect" ? { inspect } : { [name]: fail };
      await expect(profile(service, hook, logs)).resolves.toMatchObject({ uuid: "u" });
      expect(logs.join()).toContain("hook failed");
    },
  );

  it("of one call hears that call's responses alone", async () => {
    const { transport } = recording((_, index) => (index === 1 ? { status: 503 } : {}));
    const statuses: Array<number> = [];
    await Effect.runPromise(
      Effect.gen(function* () {
        const api = yield* GameApi;
        yield* api.profile.get();
        yield* api.profile.get({ onResponse: ({ status }) => statuses.push(status) });
        yield* api.profile.get();
      }).pipe(Effect.provide(layerOver(transport, quick))),
    );
    expect(statuses).toEqual([503, 200]);
  });
});

describe("the debug log", () => {
  const run = async (level: "Debug" | "Info") => {
    const logs: Array<string> = [];
    const logger = Logger.make(({ message }) => {
      logs.push(String(message));
    });
    await Effect.runPromise(
      Effect.flatMap(GameApi, (api) =>
        api.request({ method: "POST", path: "/x", body: { it: "it's" } }),
      ).pipe(
        Effect.provide(layerOver(recording().transport, { credentials: "s3cret" })),
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(References.MinimumLogLevel, level),
      ),
    );
    return logs.join("\n");
  };

  it("shows each request as a curl command without the token", async () => {
    const text = await run("Debug");
    expect(text).toContain("curl -X POST");
    expect(text).toContain("'authorization: Bearer <redacted>'");
    expect(text).toContain(String.raw`--data '{"it":"it'\''s"}' 'https://api.example/x'`);
    expect(text).not.toContain("s3cret");
  });

  it("is silent at the usual level", async () => {
    expect(await run("Info")).toBe("");
  });
});
