/**
 * What a person at a terminal may look at after the tour: the sandbox's documentation and the tree inspector.
 */
import { Effect } from "effect";
import * as Report from "./Report.ts";
import type { Tour } from "./Tour.ts";

/** Serves the pages until it is interrupted. */
export const stay = Effect.fnUntraced(function* ({ sandbox }: Tour) {
  const inspector = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      // Loaded late: it brings the bundler.
      const { serveInspector } = await import("@game-data/tree-inspector/serve");
      return serveInspector();
    }),
    (served) => Effect.promise(() => served.close()),
  );
  Report.ending("Still here, until Ctrl-C:");
  Report.facts(
    ["documentation", sandbox && new URL("/docs", sandbox.controlUrl).href],
    ["tree inspector", inspector.url],
  );
  return yield* Effect.never;
}, Effect.scoped);
