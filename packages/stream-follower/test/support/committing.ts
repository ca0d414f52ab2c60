/** Commits pages to a store forever, in a process that a test stops: `ADDRESS`. */
import * as Effect from "effect/Effect";
import { Sink } from "../../src/Sink.ts";
import * as StoreUrl from "../../src/StoreUrl.ts";
import { makePage } from "../../src/testing/index.ts";

const [address = ""] = process.argv.slice(2);
const rows = Array.from({ length: 400 }, (_, index) => ({
  id: String(index),
  public: true,
  stash: "s",
  items: [{ note: crypto.randomUUID().repeat(40) }],
}));

await Effect.runPromise(
  Effect.gen(function* () {
    const sink = yield* Sink;
    // After a commit that failed, because the server has ended its connection, the claim says where.
    let seq = (yield* sink.claim({ source: "stashes", realm: "pc" }, 1))?.seq ?? 0n;
    while (true) {
      seq += 1n;
      yield* sink.commit(makePage({ seq, rows }), 1);
      if (seq === 3n) process.stdout.write("committing\n");
    }
  }).pipe(
    Effect.retry({ while: ({ isRetryable }) => isRetryable }),
    Effect.provide(StoreUrl.layer(Effect.runSync(StoreUrl.parse(address)))),
  ),
);
