/**
 * Changes of a test to the world: members of accounts, characters, items, tabs and leagues, which
 * override the values from the seed.
 *
 * Edits are rows of the store, so that a snapshot keeps them and a reset forgets them. A thing that
 * nobody edited costs nothing.
 */
import type { Character, Item, League, StashTab } from "@game-data/schemas";
import type { Store, Table } from "../store/Store.ts";
import { wordsOf } from "../internal/wordsOf.ts";
import { EQUIPMENT_PLACES } from "./Characters.ts";
import type { Realm } from "./Realm.ts";
import type { StashPlace } from "./Tabs.ts";

interface EditRow {
  readonly key: string;
  /** An `Edit` as JSON. */
  readonly document: string;
}

export interface Edit {
  /** Whether the members are all that the thing has, or change some of what it had. */
  readonly isWhole: boolean;
  readonly members: Readonly<Record<string, unknown>>;
  readonly place?: ItemPlace;
}

export interface ItemPlace {
  readonly account: string;
  readonly realm: string;
  readonly character?: string;
  readonly league?: string;
  readonly stash?: string;
}

interface AccountMembers {
  readonly locale?: string | null;
  readonly livestream?: string | null;
}

export class Edits {
  readonly #store: Store;
  readonly #rows: Table<EditRow>;
  #known: ReadonlyMap<string, Edit> = new Map();
  #generation = -1;

  constructor(store: Store) {
    this.#store = store;
    this.#rows = store.table<EditRow>({
      name: "edits",
      key: "key",
      columns: { key: "text", document: "text" },
    });
  }

  get(kind: string, ...path: ReadonlyArray<string>): Edit | undefined {
    return this.#all().get(keyOf(kind, path));
  }

  /** Every edit with the path of its thing, such as `["league", "pc", "Standard"]`. */
  list(): ReadonlyArray<{ readonly path: ReadonlyArray<string>; readonly edit: Edit }> {
    return [...this.#all()].map(([key, edit]) => ({
      path: JSON.parse(key) as ReadonlyArray<string>,
      edit,
    }));
  }

  /** Puts an edit in place of an earlier one of the same thing. */
  put(edit: Edit, kind: string, ...path: ReadonlyArray<string>): void {
    this.#rows.put({ key: keyOf(kind, path), document: JSON.stringify(edit) });
    this.#generation = -1;
  }

  /** Takes the edit of a thing back; true if there was one. */
  remove(kind: string, ...path: ReadonlyArray<string>): boolean {
    const key = keyOf(kind, path);
    const isThere = this.#rows.get(key) !== undefined;
    this.#rows.delete(key);
    this.#generation = -1;
    return isThere;
  }

  account(uuid: string): AccountMembers {
    return this.get("account", uuid)?.members ?? {};
  }

  leagues<L extends { readonly record: League }>(
    realm: string,
    leagues: ReadonlyArray<L>,
    make: (record: League) => L,
  ): ReadonlyArray<L> {
    return this.#over(["league", realm], leagues, ({ record }) => record.id, {
      change: (one, members) => ({ ...one, record: { ...one.record, ...members } }),
      make: (members) => make(members as unknown as League),
    });
  }

  /** Characters of an account, or one with all of its members. */
  characters(
    account: string,
    realm: string,
    characters: ReadonlyArray<Character>,
  ): ReadonlyArray<Character> {
    return this.#over(["character", account, realm], characters, ({ name }) => name);
  }

  stashes(
    { account, league, realm }: StashPlace,
    tabs: ReadonlyArray<StashTab>,
  ): ReadonlyArray<StashTab> {
    return this.#over(["stash", account, realm, league], tabs, ({ id }) => id, {
      change: (one, members) => ({
        ...one,
        ...members,
        metadata: { ...one.metadata, ...(members["metadata"] as object | undefined) },
      }),
    });
  }

  /** The items of a place as they are after the edits: changed, taken away, added. */
  items(place: ItemPlace, items: ReadonlyArray<Item>): ReadonlyArray<Item> {
    if (this.#all().size === 0) return items;
    const kept = items.flatMap((item) => {
      const edit = item.id == null ? undefined : this.get("item", item.id);
      if (edit === undefined) return [item];
      return edit.isWhole ? [] : [{ ...item, ...edit.members }];
    });
    const added = this.list().flatMap(({ edit, path: [kind] }) =>
      kind === "item" && edit.isWhole && isSamePlace(edit.place, place)
        ? [edit.members as unknown as Item]
        : [],
    );
    return [...kept, ...added];
  }

  /** The list with its edited things changed, and the new ones behind them. */
  #over<A>(
    place: ReadonlyArray<string>,
    list: ReadonlyArray<A>,
    nameOf: (one: A) => string,
    by: {
      readonly change?: (one: A, members: Edit["members"]) => A;
      readonly make?: (members: Edit["members"]) => A;
    } = {},
  ): ReadonlyArray<A> {
    const { change = (one, members) => ({ ...one, ...members }) } = by;
    const { make = (members) => members as A } = by;
    if (this.#all().size === 0) return list;
    const [kind = "", ...path] = place;
    const names = new Set(list.map(nameOf));
    const added = this.list().flatMap(({ edit, path: at }) =>
      edit.isWhole &&
      at.length === place.length + 1 &&
      place.every((part, index) => at[index] === part) &&
      !names.has(at.at(-1)!)
        ? [make(edit.members)]
        : [],
    );
    const changed = list.map((one) => {
      const edit = this.get(kind, ...path, nameOf(one));
      if (edit === undefined) return one;
      return edit.isWhole ? make(edit.members) : change(one, edit.members);
    });
    return [...changed, ...added];
  }

  #all(): ReadonlyMap<string, Edit> {
    const generation = this.#store.generation();
    if (this.#generation === generation) return this.#known;
    this.#generation = generation;
    this.#known = new Map(
      this.#rows.all().map(({ document, key }) => [key, JSON.parse(document) as Edit]),
    );
    return this.#known;
  }
}

const keyOf = (kind: string, path: ReadonlyArray<string>): string =>
  JSON.stringify([kind, ...path]);

const isSamePlace = (one: ItemPlace | undefined, other: ItemPlace): boolean =>
  one !== undefined &&
  (["account", "realm", "character", "league", "stash"] as const).every(
    (member) => one[member] === other[member],
  );

/** Members that only the answer to a single character has. */
const WHOLE_MEMBERS: ReadonlySet<string> = new Set(
  wordsOf("equipment inventory jewels metadata passives rucksack skills"),
);

export const plainCharacter = (character: Character): Character =>
  Object.fromEntries(
    Object.entries(character).filter(([name]) => !WHOLE_MEMBERS.has(name)),
  ) as unknown as Character;

/** Lists of a character, each with the places that lie in it; all others are in the inventory. */
const INVENTORIES = {
  inventory: undefined,
  equipment: EQUIPMENT_PLACES,
  rucksack: ["ExpandedMainInventory"],
  jewels: ["PassiveJewels"],
  skills: ["SkillSlots"],
} as const;

/** No place: what is there is changed, and nothing is added. */
const NOWHERE = { account: "", realm: "" };

/** A character as it was edited, its items included; undefined if neither seed nor edits have it. */
export const editedCharacter = (
  edits: Edits,
  place: { readonly account: string; readonly realm: Realm },
  name: string,
  seeded: Character | undefined,
): Character | undefined => {
  const character = edits
    .characters(place.account, place.realm, seeded === undefined ? [] : [seeded])
    .find((one) => one.name === name);
  if (character === undefined) return undefined;
  const added = edits.items({ ...place, character: name }, []);
  const elsewhere = new Set<string | null | undefined>(
    Object.values(INVENTORIES).flatMap((places) => places ?? []),
  );
  const lists = Object.entries(INVENTORIES).flatMap(([list, places]) => {
    const items = character[list as keyof typeof INVENTORIES];
    const own = added.filter(({ inventoryId }) =>
      places === undefined
        ? !elsewhere.has(inventoryId)
        : (places as ReadonlyArray<string | null | undefined>).includes(inventoryId),
    );
    if (items == null && own.length === 0) return [];
    return [[list, [...edits.items(NOWHERE, items ?? []), ...own]] as const];
  });
  return { ...character, ...Object.fromEntries(lists) };
};

/** A tab, or the parent of a sub-tab, as it was edited, its items included. */
export const editedTab = (
  edits: Edits,
  place: StashPlace,
  { id, isParent }: { readonly id: string; readonly isParent: boolean },
  seeded: StashTab | undefined,
): StashTab | undefined => {
  const list = seeded === undefined ? [] : [seeded];
  const tab = edits.stashes(place, list).find((one) => one.id === id);
  if (tab === undefined) return undefined;
  if (!isParent)
    return { ...tab, items: [...edits.items({ ...place, stash: id }, seeded?.items ?? [])] };
  if (tab.children == null) return undefined;
  const children = tab.children.map((child) => ({
    ...child,
    items: [...edits.items({ ...place, stash: child.id }, child.items ?? [])],
  }));
  return { ...tab, children };
};
