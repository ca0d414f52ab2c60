import { startSandbox } from "@game-data/sandbox";
import { Effect } from "effect";
import { expect, it } from "vitest";
import { countAnswers } from "../src/CountAnswers.ts";
import { GameApi } from "../src/index.ts";
import { clientLayer, tokenFor } from "./sandbox.ts";

it("counts the answers of calls, and of those within them", async () => {
  const sandbox = await startSandbox({ seed: 1 });
  try {
    const credentials = await tokenFor(sandbox, ["account:profile"]);
    const seen: Array<number> = [];
    const { answers, value } = await Effect.runPromise(
      Effect.gen(function* () {
        const { profile } = yield* GameApi;
        const twice = Effect.andThen(profile.get(), profile.get());
        return yield* countAnswers(
          Effect.gen(function* () {
            const inner = yield* countAnswers(twice, (sofar) => seen.push(sofar));
            yield* profile.get();
            return inner.answers;
          }),
        );
      }).pipe(Effect.provide(clientLayer(sandbox, { credentials }))),
    );
    expect(value).toBe(2);
    expect(answers).toBe(3);
    expect(seen).toEqual([1, 2]);
  } finally {
    await sandbox.close();
  }
}, 60_000);
