/**
 * The item filters of all accounts, in the sandbox's database.
 *
 * A filter is written in one transaction before it is answered. Each account starts with two
 * filters of its own that follow from the seed.
 */
import type { ItemFilter } from "@game-data/schemas";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Accounts } from "../clients/Accounts.ts";
import type { SandboxConfig } from "../Config.ts";
import { Store } from "../store/Store.ts";
import { gameVersion } from "../world/Characters.ts";
import { isoSeconds } from "../world/Leagues.ts";
import { hexId } from "../world/Prng.ts";
import { World } from "../world/World.ts";

/** A filter as it is kept: the record, and whether its text still waits for its validation. */
export interface StoredFilter {
  readonly record: ItemFilter & { readonly filter: string };
  /** The instant at which a deferred validation is done, in milliseconds. */
  readonly pendingUntil?: number;
}

/** Filters by account. */
export class FilterStore extends Context.Service<
  FilterStore,
  {
    /** The filters of an account, oldest first. */
    list(account: string): ReadonlyArray<StoredFilter>;
    /** A filter of an account. */
    get(account: string, id: string): StoredFilter | undefined;
    /** Writes a filter, new or changed. */
    put(account: string, filter: StoredFilter): void;
    /** An id that no filter has. */
    newId(account: string): string;
  }
>()("@game-data/sandbox/FilterStore") {
  /** The filters in the store, the seeded ones in it. */
  static readonly layer: Layer.Layer<FilterStore, never, Store | Accounts | SandboxConfig | World> =
    Layer.effect(
      FilterStore,
      Effect.gen(function* () {
        const store = yield* Store;
        const accounts = yield* Accounts;
        const world = yield* World;
        store.define([
          `CREATE TABLE IF NOT EXISTS data_filters (
             position INTEGER PRIMARY KEY AUTOINCREMENT,
             id TEXT NOT NULL UNIQUE,
             account TEXT NOT NULL,
             doc TEXT NOT NULL
           ) STRICT`,
          "CREATE INDEX IF NOT EXISTS data_filters_account ON data_filters (account)",
        ]);
        const put = (account: string, filter: StoredFilter) => {
          store
            .prepare(
              `INSERT INTO data_filters (id, account, doc) VALUES (?, ?, ?)
               ON CONFLICT (id) DO UPDATE SET doc = excluded.doc`,
            )
            .run(filter.record.id, account, JSON.stringify(filter));
        };
        const seed = () => {
          for (const account of accounts.all) {
            for (const filter of seededFilters(world.seed, account.uuid, world.worldStart))
              put(account.uuid, filter);
          }
        };
        store.onReset("data-filters", seed);
        if (store.getMeta(SEEDED) === undefined) {
          store.transact(() => {
            seed();
            store.setMeta(SEEDED, "1");
          });
        }
        return FilterStore.of({
          list: (account) =>
            store
              .prepare("SELECT doc FROM data_filters WHERE account = ? ORDER BY position")
              .all(account)
              .map(parse),
          get: (account, id) => {
            const row = store
              .prepare("SELECT doc FROM data_filters WHERE account = ? AND id = ?")
              .get(account, id);
            return row === undefined ? undefined : parse(row);
          },
          put,
          newId: (account) => {
            const count = store
              .prepare("SELECT coalesce(max(position), 0) AS n FROM data_filters")
              .get();
            return hexId(`${world.seed}/filter/${account}/${String(count?.["n"])}`, 12);
          },
        });
      }),
    );
}

const parse = (row: Record<string, unknown>) => JSON.parse(String(row["doc"])) as StoredFilter;

const SEEDED = "data.filters-seeded";

const SAMPLE = `# Show what glitters, hide the rest.
Show
    Rarity Unique
    SetFontSize 45
    PlayAlertSound 6 300

Show
    Class "Currency"
    StackSize >= 5
    SetTextColor 240 220 120 255

Minimal
    ItemLevel < 60
    Rarity Normal Magic
`;

const seededFilters = (seed: number, account: string, worldStart: number): Array<StoredFilter> => [
  {
    record: {
      id: hexId(`${seed}/filter/${account}/first`, 12),
      filter_name: "Everyday",
      realm: "pc",
      description: "Shows what glitters.",
      version: gameVersion("pc"),
      type: "Normal",
      public: true,
      filter: SAMPLE,
      validation: { valid: true, version: gameVersion("pc"), validated: isoSeconds(worldStart) },
    },
  },
  {
    record: {
      id: hexId(`${seed}/filter/${account}/second`, 12),
      filter_name: "Strict",
      realm: "pc",
      description: "",
      version: gameVersion("pc"),
      type: "Ruthless",
      filter: "Show\n    Rarity Unique\n\nHide\n",
    },
  },
];
