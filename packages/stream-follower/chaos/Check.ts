/** Comparison of a store after the kill test with the pages that the server served. */
import { PgClient } from "@effect/sql-pg";
import { Effect, Redacted } from "effect";
import * as Reactivity from "effect/reactivity/Reactivity";
import { DatabaseSync } from "node:sqlite";
import { Changes, PageLog } from "../src/index.ts";
import { SinkNats } from "../src/nats/index.ts";
import { SinkPostgres } from "../src/postgres/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { checksum } from "../src/core/checksum.ts";
import { stashesOf } from "../test/support/Stores.ts";
import { bodyOf, fold, type MadePage } from "../test/support/History.ts";

/** One applied page as the store's journal tells it. */
interface Applied {
  readonly seq: number;
  readonly requestedId: string | null;
  readonly nextId: string;
  readonly checksum: string;
}

/** A store's content. */
interface Content {
  readonly journal: ReadonlyArray<Applied>;
  readonly stashes: ReadonlyMap<string, string | null>;
  readonly nextId: string | null;
}

/** Everything that is wrong; empty if nothing is. */
export const check = async (
  store: string,
  history: ReadonlyArray<MadePage>,
): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = [];
  const { journal, stashes, nextId } = await read(store);
  if (journal.length !== history.length) {
    problems.push(`${journal.length} pages applied, ${history.length} served`);
  }
  for (const [index, page] of history.entries()) {
    const applied = journal[index];
    if (applied === undefined) break;
    const wanted = checksum(Buffer.from(bodyOf(page)));
    const requested = index === 0 ? null : page.id;
    if (applied.seq !== index + 1) problems.push(`page ${index + 1} has number ${applied.seq}`);
    if (applied.requestedId !== requested) problems.push(`page ${index + 1} out of order`);
    if (applied.nextId !== page.nextId) problems.push(`page ${index + 1} leads elsewhere`);
    if (applied.checksum !== wanted) problems.push(`page ${index + 1} has other bytes`);
  }
  if (nextId !== history.at(-1)?.nextId) problems.push(`the checkpoint stands at ${nextId}`);
  const oracle = fold(history);
  for (const id of new Set([...oracle.keys(), ...stashes.keys()])) {
    if (oracle.get(id) !== stashes.get(id)) problems.push(`stash ${id} differs from the oracle`);
  }
  return problems.slice(0, 20);
};

const readSqlite = async (path: string): Promise<Content> => {
  const db = new DatabaseSync(path);
  const { integrity_check: verdict } = db.prepare("PRAGMA integrity_check").get() as {
    integrity_check: string;
  };
  if (verdict !== "ok") throw new Error(`integrity_check: ${verdict}`);
  const journal = db
    .prepare(
      `SELECT seq, requested_id AS "requestedId", next_id AS "nextId", checksum FROM page ORDER BY seq`,
    )
    .all() as unknown as Array<Applied>;
  const standing = db.prepare(`SELECT next_id AS "nextId" FROM checkpoint`).get() as {
    nextId: string | null;
  };
  db.close();
  return {
    journal,
    stashes: await stashesOf(path),
    nextId: standing.nextId,
  };
};

const readPostgres = (url: string): Promise<Content> =>
  Effect.gen(function* () {
    const key = { source: "stashes", realm: "pc" } as const;
    const address = { kind: "postgres", url: Redacted.make(url) } as const;
    yield* StoreUrl.indexState(address, { key, until: "caughtUp" });
    const sql = yield* PgClient.make({ url: Redacted.make(url) });
    const journal = yield* sql<Applied>`
      SELECT seq::int AS seq, requested_id AS "requestedId", next_id AS "nextId", checksum FROM page ORDER BY page.seq`;
    const rows = yield* sql<{ id: string; doc: Uint8Array | null }>`SELECT id, doc FROM stash`;
    const [standing] = yield* sql<{ nextId: string }>`SELECT next_id AS "nextId" FROM checkpoint`;
    const stashes = new Map(
      rows.map(({ id, doc }) => [id, doc === null ? null : SinkPostgres.decodeDocument(doc)]),
    );
    return { journal, stashes, nextId: standing?.nextId ?? null };
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise);

const readNats = (url: string): Promise<Content> =>
  Effect.gen(function* () {
    const log = yield* SinkNats.make({ url });
    const key = { source: "stashes", realm: "pc" } as const;
    const journal: Array<Applied> = [];
    const stashes = new Map<string, string | null>();
    let after = 0n;
    while (true) {
      const pages = yield* log.read(key, after);
      if (pages.length === 0) break;
      for (const { nextId, requestedId, checksum: sum } of pages) {
        const seq = journal.length + 1;
        journal.push({ seq, requestedId: requestedId ?? null, nextId, checksum: sum });
      }
      after = pages.at(-1)!.seq;
    }
    yield* Changes.run({
      key,
      until: "caughtUp",
      apply: ({ changes }) =>
        Effect.sync(() => {
          for (const { id, isPublic, json } of changes) stashes.set(id, isPublic ? json : null);
        }),
    }).pipe(Effect.provideService(PageLog.PageLog, log));
    const [standing] = yield* log.status;
    return { journal, stashes, nextId: standing?.nextId ?? null };
  }).pipe(Effect.scoped, Effect.runPromise);

const read = (store: string): Promise<Content> => {
  if (store.startsWith("sqlite:")) return readSqlite(store.slice("sqlite:".length));
  return store.startsWith("nats:") ? readNats(store) : readPostgres(store);
};
