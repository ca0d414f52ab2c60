/** Edits of items: an item is put with a character or into a tab, changed, or taken away. */
import type { Core } from "../Core.ts";
import type { DataPart } from "../data/DataPart.ts";
import type { DocumentType } from "../internal/document.ts";
import type { Edit, ItemPlace } from "../world/Edits.ts";
import type { ItemPut } from "./editDocuments.ts";
import { checkLeague, gameOneOf, type Members, realmOf, uuidOf } from "./names.ts";
import { type Plane, rejected, rejectName } from "./Route.ts";

/** Puts an item in place, completed where the body says little. */
export const putItem = ({ core, data }: Plane, id: string, body: DocumentType<typeof ItemPut>) => {
  if (!/^[0-9a-f]{64}$/u.test(id)) rejected("the id of an item is 64 hexadecimal digits", "{id}");
  const { item = {}, ...given } = body;
  const place = placeOf(core, data.world, given);
  const members = completeItem(id, place, item);
  data.edits.put({ isWhole: true, members, place }, "item", id);
  return { ...place, item: members };
};

export const patchItem = ({ data: { edits } }: Plane, id: string, members: Members) => {
  const before = edits.get("item", id);
  const edit: Edit = { isWhole: false, ...before, members: { ...before?.members, ...members } };
  edits.put(edit, "item", id);
  return { ...edit.place, item: edit.members };
};

/** An item that nobody edited is taken away; an edited one is as the seed has it again. */
export const removeItem = ({ data: { edits } }: Plane, id: string): void => {
  if (!edits.remove("item", id)) edits.put({ isWhole: true, members: {} }, "item", id);
};

/** The place that a body names; there has to be such a character or tab. */
const placeOf = (
  { accounts }: Core,
  world: DataPart["world"],
  { account: name, character, league, realm: realmName = "pc", stash }: ItemPlace,
): ItemPlace => {
  const account = uuidOf(accounts, name, "/account");
  const realm = realmOf(realmName, "/realm");
  if (character !== undefined && league === undefined && stash === undefined) {
    const names = world.characters(account, realm).map((one) => one.name);
    if (!names.includes(character)) rejectName("/character", "character", character, names);
    return { account, realm, character };
  }
  if (character !== undefined || league === undefined || stash === undefined)
    return rejected("name a character, or a league and a stash");
  const place = { account, realm: gameOneOf(realm, "/realm"), league };
  checkLeague(world, place, "/league");
  if (world.stash(place, stash) === undefined)
    rejectName(
      "/stash",
      "tab",
      stash,
      world.stashes(place).map(({ id }) => id),
    );
  return { ...place, stash };
};

const completeItem = (id: string, place: ItemPlace, members: Members): Members => {
  const typeLine = members["typeLine"] ?? "Alder Helm";
  return {
    verified: false,
    w: 1,
    h: 1,
    icon: "https://assets.example.com/items/edited.png",
    ...(place.league === undefined ? {} : { league: place.league }),
    id,
    name: "",
    typeLine,
    baseType: typeLine,
    identified: true,
    ilvl: 1,
    x: 0,
    y: 0,
    inventoryId: place.character === undefined ? "Stash1" : "MainInventory",
    frameType: 0,
    ...members,
  };
};
