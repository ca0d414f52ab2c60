/** Commits pages to a PostgreSQL store for ever, in a process that a test stops: `URL`. */
import * as Effect from "effect/Effect";
import { SinkPostgres } from "../../src/postgres/index.ts";
import { batchOf, commitOf, makePage } from "../../src/testing/index.ts";

const [url = ""] = process.argv.slice(2);
const KEY = { source: "stashes", realm: "pc" } as const;
const rows = Array.from({ length: 400 }, (_, index) => ({
  ...{ id: String(index), public: true, stash: "s" },
  items: [{ note: crypto.randomUUID().repeat(40) }],
}));

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const sink = yield* SinkPostgres.make({ url, keepPages: 3 });
      let seq = (yield* sink.claim(KEY, 1))?.seq ?? 0n;
      while (true) {
        const commit = commitOf(makePage({ seq: seq + 1n, rows: [...rows, null] }));
        yield* sink.commit(batchOf(commit), 1);
        seq += 1n;
        if (seq === 3n) process.stdout.write("committing\n");
      }
    }),
  ),
);
