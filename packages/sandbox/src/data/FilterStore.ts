/**
 * The item filters of all accounts, in the sandbox's database.
 *
 * A filter is written in one transaction before it is answered. Each account starts with two
 * filters of its own that follow from the seed.
 */
import type { ItemFilter } from "@game-data/schemas";
import * as Schema from "effect/Schema";
import type { Accounts } from "../clients/Accounts.ts";
import type { Store, Table } from "../store/Store.ts";
import { gameVersion } from "../world/Characters.ts";
import { isoSeconds } from "../world/Leagues.ts";
import { hexId } from "../world/Prng.ts";
import type { WorldModel } from "../world/WorldModel.ts";

/** A filter as it is kept: the record, and whether its text still waits for its validation. */
export interface StoredFilter {
  readonly record: ItemFilter & { readonly filter: string };
  /** The instant at which a deferred validation is done, in milliseconds. */
  readonly pendingUntil?: number;
}

const FilterRow = Schema.Struct({
  id: Schema.String,
  account: Schema.String,
  document: Schema.String,
});

export class FilterStore {
  readonly #rows: Table<typeof FilterRow.Type>;
  readonly #seed: number;

  /** The filters in the store, the seeded ones in it. */
  constructor(store: Store, accounts: Accounts, world: WorldModel) {
    this.#seed = world.seed;
    this.#rows = store.table("filters", "id", FilterRow);
    const seed = () => {
      for (const { uuid } of accounts.all)
        for (const filter of seededFilters(world.seed, uuid, world.worldStart))
          this.put(uuid, filter);
    };
    store.onReset(seed);
    if (store.meta.get(SEEDED) !== undefined) return;
    store.transact(() => {
      seed();
      store.meta.put({ key: SEEDED, value: "1" });
    });
  }

  /** The filters of an account, oldest first. */
  list(account: string): ReadonlyArray<StoredFilter> {
    return this.#rows.where((row) => row.account === account).map(parse);
  }

  get(account: string, id: string): StoredFilter | undefined {
    const row = this.#rows.get(id);
    return row?.account === account ? parse(row) : undefined;
  }

  put(account: string, filter: StoredFilter): void {
    this.#rows.put({ id: filter.record.id, account, document: JSON.stringify(filter) });
  }

  newId(account: string): string {
    return hexId(`${this.#seed}/filter/${account}/${this.#rows.size}`, 12);
  }
}

const parse = ({ document }: typeof FilterRow.Type) => JSON.parse(document) as StoredFilter;

const SEEDED = "filters.seeded";

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
