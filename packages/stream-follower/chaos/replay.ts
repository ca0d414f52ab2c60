/**
 * A recording through the sandbox, the follower and SQLite, against a direct count of its files.
 *
 * Usage: node chaos/replay.ts FOLDER [--json]   (or GAME_DATA_REPLAY=FOLDER)
 */
import type { WorldOptions } from "@game-data/sandbox";
import { Effect, Layer } from "effect";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxApi } from "../examples/sandbox-api.ts";
import { Follower, Lease } from "../src/index.ts";
import { GameApiSource } from "../src/api-client/index.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import { Store } from "../src/Sink.ts";
import * as StoreUrl from "../src/StoreUrl.ts";

/** Number of stashes, items and markets in a folder of captured pages, or in a store of them. */
export interface Holdings {
  /** Stashes that are listed after the last page. */
  readonly listed: number;
  /** Items in them. */
  readonly items: number;
  /** Markets of all hours. */
  readonly markets: number;
}

interface Captured {
  readonly next_change_id?: unknown;
  readonly stashes?: ReadonlyArray<{ id: string; public: boolean; items?: ReadonlyArray<unknown> }>;
  readonly markets?: ReadonlyArray<unknown>;
}

/** Counts the files themselves, in the order in which the sandbox serves them. */
export const count = (folder: string): Holdings => {
  const items = new Map<string, number>();
  let markets = 0;
  for (const path of pathsIn(folder)) {
    const page = JSON.parse(readFileSync(join(folder, path), "utf8")) as Captured;
    if (page.next_change_id === undefined) continue;
    markets += page.markets?.length ?? 0;
    for (const stash of page.stashes ?? []) {
      if (stash.public) items.set(stash.id, stash.items?.length ?? 0);
      else items.delete(stash.id);
    }
  }
  const sum = [...items.values()].reduce((total, one) => total + one, 0);
  return { listed: items.size, items: sum, markets };
};

const PAGES: ReadonlySet<string> = new Set(["publicStashTabs.page", "currencyExchange.page"]);

/** The files of pages and hours, as the recording's manifest lists them. */
const pathsIn = (folder: string): ReadonlyArray<string> => {
  const { answers } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as {
    readonly answers: ReadonlyArray<{ readonly endpoint: string; readonly file: string }>;
  };
  return answers.filter(({ endpoint }) => PAGES.has(endpoint)).map(({ file }) => file);
};

/**
 * Follows a recording to its end, and says what the store holds then. What was not recorded is of
 * the sandbox's world.
 */
export const replayInto = async (
  folder: string,
  path = join(mkdtempSync(join(tmpdir(), "replay-")), "store.db"),
  world: WorldOptions = {},
): Promise<{ readonly stored: Holdings; readonly quarantined: number; readonly pages: number }> => {
  const { sandbox, api } = await sandboxApi({
    seed: 1,
    replay: folder,
    replayMissing: "world",
    world,
  });
  try {
    const status = await Effect.gen(function* () {
      yield* Follower.run({ source: "stashes", until: "caughtUp" });
      yield* Follower.run({ source: "exchange", until: "caughtUp" });
      for (const source of ["stashes", "exchange"] as const) {
        const key = { source, realm: "pc" } as const;
        yield* StoreUrl.indexState({ kind: "sqlite", path }, { key, until: "caughtUp" });
      }
      return yield* (yield* Store).status;
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          SinkSqlite.layer({ path }),
          Lease.none,
          GameApiSource.layer.pipe(Layer.provide(api)),
        ),
      ),
      Effect.runPromise,
    );
    const of = (source: string) => status.find(({ key }) => key.source === source);
    const [stashes, exchange] = [of("stashes"), of("exchange")];
    return {
      stored: {
        listed: stashes?.rows ?? 0,
        items: stashes?.items ?? 0,
        markets: exchange?.rows ?? 0,
      },
      quarantined: status.reduce((sum, one) => sum + one.quarantined, 0),
      pages: status.reduce((sum, one) => sum + one.pages, 0),
    };
  } finally {
    await sandbox.close();
  }
};

if (import.meta.main) {
  const folder =
    process.argv.slice(2).find((word) => !word.startsWith("--")) ?? process.env["GAME_DATA_REPLAY"];
  if (folder === undefined) throw new Error("name the folder of a recording");
  const { stored, quarantined, pages } = await replayInto(folder);
  const counted = count(folder);
  const equal = JSON.stringify(stored) === JSON.stringify(counted);
  process.stdout.write(`${JSON.stringify({ equal, pages, quarantined, stored, counted })}\n`);
  process.exit(equal ? 0 : 1);
}
