/** Edits of items: an item is put with a character or into a tab, changed, or taken away. */
import type { Core } from "../Core.ts";
import type { DataPart } from "../data/DataPart.ts";
import { json } from "../http/messages.ts";
import type { Edit, ItemPlace } from "../world/Edits.ts";
import {
  checkLeague,
  type EditHandler,
  gameOneOf,
  type Members,
  realmOf,
  uuidOf,
} from "./editing.ts";
import { checked, type ControlHandler, readJson, rejected, rejectName } from "./requests.ts";

/** Puts an item in place, completed where the body says little. */
export const putItem =
  (core: Core, { edits, world }: DataPart): EditHandler =>
  ({ ItemPut }, request, params) => {
    const id = params["id"]!;
    if (!/^[0-9a-f]{64}$/u.test(id)) rejected("the id of an item is 64 hexadecimal digits", "{id}");
    const { item = {}, ...given } = checked(ItemPut, readJson(request));
    const place = placeOf(core, world, given);
    const members = completeItem(id, place, item);
    edits.put({ isWhole: true, members, place }, "item", id);
    return json({ ...place, item: members });
  };

/** Changes members of an item, wherever it lies. */
export const patchItem =
  ({ edits }: DataPart): EditHandler =>
  ({ ItemMembers }, request, params) => {
    const id = params["id"]!;
    const members = checked(ItemMembers, readJson(request));
    const before = edits.get("item", id);
    const edit: Edit = { isWhole: false, ...before, members: { ...before?.members, ...members } };
    edits.put(edit, "item", id);
    return json({ ...edit.place, item: edit.members });
  };

/** An item that nobody edited is taken away; an edited one is as the seed has it again. */
export const removeItem =
  ({ edits }: DataPart): ControlHandler =>
  (_, params) => {
    const id = params["id"]!;
    if (!edits.remove("item", id)) edits.put({ isWhole: true, members: {} }, "item", id);
    return undefined;
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

/** An item with everything that it has to have. */
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
