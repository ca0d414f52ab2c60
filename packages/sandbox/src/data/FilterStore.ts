/** The item filters of all accounts. Each account starts with two that follow from the seed. */
import type { ItemFilter } from "@game-data/schemas";
import * as Schema from "effect/Schema";
import type { Accounts } from "../clients/Clients.ts";
import type { Store, Table } from "../store/Store.ts";
import { gameVersion } from "../world/Characters.ts";
import { isoSeconds } from "../world/Leagues.ts";
import { hexId } from "../world/Prng.ts";
import type { WorldModel } from "../world/WorldModel.ts";

export interface FilterRow {
  readonly id: string;
  /** UUID of the account. */
  readonly account: string;
  readonly record: ItemFilter & { readonly filter: string };
  /** The instant at which a deferred validation is done, in milliseconds. */
  readonly pendingUntil?: number;
}

const Row = Schema.Struct({
  id: Schema.String,
  account: Schema.String,
  record: Schema.Record(Schema.String, Schema.Json),
  pendingUntil: Schema.optionalKey(Schema.Int),
});

export type FilterTable = Table<FilterRow>;

/** Opens the table of filters, the seeded ones in it. */
export const openFilters = (store: Store, accounts: Accounts, world: WorldModel): FilterTable => {
  const filters = store.table<FilterRow>("filters", "id", Row as Schema.Codec<any>);
  const seed = (): void => {
    for (const { uuid } of accounts.all)
      for (const row of seededFilters(world.seed, uuid, world.worldStart)) filters.put(row);
  };
  store.onReset(seed);
  if (store.meta.get(SEEDED) === undefined)
    store.transact(() => {
      seed();
      store.meta.put({ key: SEEDED, value: "1" });
    });
  return filters;
};

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

const seededFilters = (
  seed: number,
  account: string,
  worldStart: number,
): ReadonlyArray<FilterRow> => {
  const row = (name: string, record: Omit<FilterRow["record"], "id">): FilterRow => {
    const id = hexId(`${seed}/filter/${account}/${name}`, 12);
    return { id, account, record: { id, ...record } };
  };
  const version = gameVersion("pc");
  return [
    row("first", {
      filter_name: "Everyday",
      realm: "pc",
      description: "Shows what glitters.",
      version,
      type: "Normal",
      public: true,
      filter: SAMPLE,
      validation: { valid: true, version, validated: isoSeconds(worldStart) },
    }),
    row("second", {
      filter_name: "Strict",
      realm: "pc",
      description: "",
      version,
      type: "Ruthless",
      filter: "Show\n    Rarity Unique\n\nHide\n",
    }),
  ];
};
