import { Effect, Redacted, Layer } from "effect";
import * as StoreUrl from "/work/wt/fa/packages/stream-follower/src/next/StoreUrl.ts";
import { Sink, Store } from "/work/wt/fa/packages/stream-follower/src/next/Sink.ts";
import { PageLog } from "/work/wt/fa/packages/stream-follower/src/next/PageLog.ts";
import { jump } from "/work/wt/fa/packages/stream-follower/src/next/Jump.ts";
import { verify } from "/work/wt/fa/packages/stream-follower/src/next/Verify.ts";
import { makeBatch, makeCommit } from "/work/wt/fa/packages/stream-follower/src/next/Model.ts";
import * as Quarantine from "/work/wt/fa/packages/stream-follower/src/next/Quarantine.ts";
import { checksum } from "/work/wt/fa/packages/stream-follower/src/next/fetchPage.ts";
import { backup, restore } from "/work/wt/fa/packages/stream-follower/src/next/sql/Backup.ts";
import { gzipSync } from "node:zlib";
import { rmSync } from "node:fs";
const KEY = { source: "stashes", realm: "pc" } as const;
const address = process.argv[2]!;
for (const s of ["", ".index", "-wal", "-shm"]) rmSync("/tmp/smoke.db"+s, {force:true});
rmSync("/tmp/smoke.copy", {force:true});rmSync("/tmp/smoke.copy.index", {force:true});
const page = (seq: bigint, rows: any[]) => {
  const raw = Buffer.from(JSON.stringify({ next_change_id: String(seq), stashes: rows }));
  return makeBatch(makeCommit({ key: KEY, requestedId: seq === 1n ? undefined : String(seq-1n), nextId: String(seq), seq, previousSeq: seq-1n, receivedAt: Date.now(), wire: gzipSync(raw), encoding: "gzip", raw, checksum: checksum(raw), rowCount: rows.length, tries: 1, quarantine: [], gaps: [] }, []));
};
const program = Effect.gen(function* () {
  const url = yield* StoreUrl.parse(address);
  console.log(yield* Effect.exit(StoreUrl.statusOf(KEY, url)).pipe(Effect.map(e => e._tag)));
  yield* Effect.gen(function* () {
    const sink = yield* Sink;
    console.log(yield* sink.claim(KEY, 1));
    for (let seq = 1n; seq <= 5n; seq++) yield* sink.commit(page(seq, [{ id: "a", public: true, items: [{x: 1}], stash: "s" + seq }, { id: "b\0" + seq, public: false }, null]), 1);
    console.log(yield* Effect.flip(sink.commit(page(5n, []), 1)));
    console.log((yield* (yield* PageLog).read(KEY, 2n)).map(p => [p.seq, p.nextId, p.rowCount]));
    yield* StoreUrl.indexState(url, { key: KEY, until: "caughtUp" });
    console.log(yield* StoreUrl.statusOf(KEY, url));
    console.log((yield* Quarantine.list).length, yield* Quarantine.replay());
    console.log(yield* jump(KEY, "99"));
    console.log(yield* verify(KEY, { deep: true }));
    yield* StoreUrl.rebuild(url, KEY);
    console.log((yield* StoreUrl.statusOf(KEY, url)).rows);
    if (url.kind === "sqlite") { console.log(yield* backup(url.path, "/tmp/smoke.copy")); }
  }).pipe(Effect.provide(StoreUrl.layer(url)));
});
await Effect.runPromise(program);
