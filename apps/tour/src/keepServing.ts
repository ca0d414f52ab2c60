/** After the last step, on a terminal: something to look at, until Ctrl-C. */
import type { RunningSandbox } from "@game-data/sandbox";
import { Console, Effect } from "effect";
import { print } from "./Step.ts";

/** Serves the sandbox's OpenAPI document and the tree inspector until Ctrl-C. */
export const keepServing = Effect.fn("tour.keepServing")(function* (sandbox: RunningSandbox) {
  const inspector = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      // Loaded late, because it brings the bundler.
      const { serveInspector } = await import("@game-data/tree-inspector/serve");
      return serveInspector();
    }),
    (served) => Effect.promise(() => served.close()),
  );
  yield* Console.log("\nStill here, until Ctrl-C:");
  yield* print(
    ["documentation", new URL("/openapi.json", sandbox.controlUrl).href],
    ["tree inspector", inspector.url],
  );
  // The tour has passed, so Ctrl-C is its regular end. Without this the exit code is 130.
  process.once("exit", () => (process.exitCode = 0));
  return yield* Effect.never;
});
