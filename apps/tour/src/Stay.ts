/**
 * What a person at a terminal may look at after the tour: the sandbox's documentation and the tree
 * inspector.
 */
import * as Report from "./report/Report.ts";
import { Effect } from "effect";
import type { Tour } from "./Tour.ts";

/** Serves the pages until Ctrl-C, which then ends a tour that came true: exit 0. */
export const stay = Effect.fnUntraced(function* ({ sandbox }: Tour) {
  const inspector = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      // Loaded late: it brings the bundler.
      const { serveInspector } = await import("@game-data/tree-inspector/serve");
      return serveInspector();
    }),
    (served) => Effect.promise(() => served.close()),
  );
  // The runner would end with 130, as for a story that was cut short.
  process.once("exit", () => {
    process.exitCode = 0;
    process.stdout.write("\n");
  });
  Report.ending("Still here, until Ctrl-C:");
  Report.facts(
    ["documentation", sandbox && new URL("/docs", sandbox.controlUrl).href],
    ["tree inspector", inspector.url],
  );
  return yield* Effect.never;
}, Effect.scoped);
