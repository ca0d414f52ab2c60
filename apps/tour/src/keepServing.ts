/**
 * Serves the sandbox's OpenAPI document and the tree inspector after the tour, for a user at a
 * terminal.
 */
import { styled, facts } from "@game-data/terminal/View";
import { Effect } from "effect";
import { Report } from "./report.ts";
import type { Tour } from "./Tour.ts";

/** Serves the pages until Ctrl-C. */
export const keepServing = Effect.fnUntraced(function* ({ sandbox }: Tour) {
  const report = yield* Report;
  const inspector = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      // Loaded late: it brings the bundler.
      const { serveInspector } = await import("@game-data/tree-inspector/serve");
      return serveInspector();
    }),
    (served) => Effect.promise(() => served.close()),
  );
  report.paragraph(`\n${styled("bold", "Still here, until Ctrl-C:")}`);
  const documentation = sandbox && new URL("/openapi.json", sandbox.controlUrl).href;
  report.paragraph(
    facts([
      ["   documentation", documentation],
      ["   tree inspector", inspector.url],
    ]),
  );
  return yield* Effect.never;
}, Effect.scoped);
