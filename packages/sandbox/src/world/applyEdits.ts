/** What the edits of a test make of a seeded character and of a seeded tab. */
import type { Character, StashTab } from "@game-data/schemas";
import { EQUIPMENT_PLACES } from "./Characters.ts";
import type { Edits } from "./Edits.ts";
import type { Realm } from "./Realm.ts";
import type { StashPlace } from "./Tabs.ts";

/** Members that only the answer to a single character has. */
const WHOLE_MEMBERS: ReadonlySet<string> = new Set([
  "equipment",
  "inventory",
  "jewels",
  "metadata",
  "passives",
  "rucksack",
  "skills",
]);

/** A character as the list shows it. */
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
