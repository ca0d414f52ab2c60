/** Runs after the last step on a terminal, so that the user can look at the pages. */
import type { RunningSandbox } from "@game-data/sandbox";
import { Console, Effect } from "effect";
import { print } from "./Step.ts";

/** Serves the sandbox's OpenAPI document and the tree inspector until Ctrl-C. */
export const keepServing = Effect.fn("tour.keepServing")(function* (sandbox: RunningSandbox) {
  const inspector = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      // Imported late, because it loads the bundler.
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
  // The tour has succeeded, so Ctrl-C ends it with exit code 0 instead of 130.
  process.once("exit", () => (process.exitCode = 0));
  return yield* Effect.never;
});
