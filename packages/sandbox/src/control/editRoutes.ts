/**
 * Edits of the world on the control plane: `PUT` says what a thing is, `PATCH` changes some of its
 * members, `DELETE` takes the edit back.
 *
 * What a `PUT` leaves out is completed, so that `{"item":{"typeLine":"Slate Helm"}}` is enough to
 * give somebody an item.
 */
import type { Core } from "../Core.ts";
import type { DataPart } from "../data/DataPart.ts";
import { empty, json, type RequestInput, type ResponseOutput } from "../http/messages.ts";
import type { Document } from "../internal/document.ts";
import type { Edit, ItemPlace } from "../world/Edits.ts";
import { hexId } from "../world/Prng.ts";
import { REALMS, type Realm } from "../world/Realm.ts";
import type { GameOneRealm } from "../world/WorldModel.ts";
import type * as EditDocuments from "./editDocuments.ts";
import {
  checked,
  type ControlRoute,
  failureResponse,
  readJson,
  rejected,
  rejectName,
  route,
} from "./requests.ts";

type Documents = typeof EditDocuments;
type Members = Readonly<Record<string, unknown>>;
type Params = Readonly<Record<string, string>>;

/** A kind of thing that can be edited. */
interface Kind {
  readonly template: string;
  /** The key of the edit, from the words of the address; refuses names that nothing has. */
  readonly path: (params: Params) => ReadonlyArray<string>;
  /** The thing as it is, or undefined. */
  readonly find: (path: ReadonlyArray<string>) => unknown;
  readonly document: (documents: Documents) => Document<Members>;
  /** The members of a thing of which only some were given. */
  readonly complete: (path: ReadonlyArray<string>, members: Members) => Members;
}

/** Routes of edits. */
export const editRoutes = (
  { accounts, parts }: Core,
  { edits, world }: DataPart,
): ReadonlyArray<ControlRoute> => {
  const uuidOf = (name: string, pointer: string): string =>
    accounts.all.find((one) => one.name === name || one.uuid === name)?.uuid ??
    rejectName(
      pointer,
      "account",
      name,
      accounts.all.map((one) => one.name),
    );
  const checkLeague = (uuid: string, realm: GameOneRealm, league: string, pointer: string) => {
    if (!world.hasLeague(uuid, realm, league))
      rejectName(
        pointer,
        "league",
        league,
        world.accountLeagues(uuid, realm).map(({ record }) => record.id),
      );
  };

  const kinds: ReadonlyArray<Kind> = [
    {
      template: "/control/accounts/:account",
      path: (params) => ["account", uuidOf(params["account"]!, "{account}")],
      find: ([, uuid]) => ({ ...accounts.byUuid(uuid!), ...edits.account(uuid!) }),
      document: (documents) => documents.AccountMembers,
      complete: (_, members) => ({ locale: null, livestream: null, ...members }),
    },
    {
      template: "/control/accounts/:account/characters/:realm/:name",
      path: (params) => [
        "character",
        uuidOf(params["account"]!, "{account}"),
        realmOf(params["realm"]!, "{realm}"),
        params["name"]!,
      ],
      find: ([, uuid, realm, name]) => world.character(uuid!, realm as Realm, name!),
      document: (documents) => documents.CharacterMembers,
      complete: (path, members) => ({
        id: hexId(path.join("/"), 64),
        name: path[3],
        realm: path[2],
        class: "Scion",
        league: "Standard",
        level: 1,
        experience: 0,
        equipment: [],
        inventory: [],
        rucksack: [],
        jewels: [],
        ...members,
      }),
    },
    {
      template: "/control/accounts/:account/stashes/:realm/:league/:id",
      path: (params) => {
        const uuid = uuidOf(params["account"]!, "{account}");
        const realm = gameOneOf(params["realm"]!, "{realm}");
        checkLeague(uuid, realm, params["league"]!, "{league}");
        return ["stash", uuid, realm, params["league"]!, params["id"]!];
      },
      find: ([, uuid, realm, league, id]) =>
        world.stash(uuid!, realm as GameOneRealm, league!, id!),
      document: (documents) => documents.StashMembers,
      complete: (path, members) => ({
        id: path[4],
        name: path[4],
        type: "PremiumStash",
        metadata: {},
        ...members,
      }),
    },
    {
      template: "/control/leagues/:realm/:id",
      path: (params) => ["league", realmOf(params["realm"]!, "{realm}"), params["id"]!],
      find: ([, realm, id]) => world.league(realm as Realm, id!)?.record,
      document: (documents) => documents.LeagueMembers,
      complete: (path, members) => ({
        id: path[2],
        realm: path[1],
        name: path[2],
        category: { id: path[2] },
        rules: [],
        endAt: null,
        ...members,
      }),
    },
  ];

  const put = (kind: Kind, documents: Documents, request: RequestInput, params: Params) => {
    const path = kind.path(params);
    const members = kind.complete(path, checked(kind.document(documents), readJson(request)));
    edits.put({ isWhole: true, members }, path[0]!, ...path.slice(1));
    return json(kind.find(path));
  };

  const patch = (kind: Kind, documents: Documents, request: RequestInput, params: Params) => {
    const path = kind.path(params);
    const members = checked(kind.document(documents), readJson(request));
    if (kind.find(path) == null)
      rejected(`there is no such ${path[0]!}; PUT makes one`, lastOf(kind));
    const before = edits.get(path[0]!, ...path.slice(1));
    edits.put(
      { isWhole: before?.isWhole === true, members: merged(before?.members, members) },
      path[0]!,
      ...path.slice(1),
    );
    return json(kind.find(path));
  };

  const placeOf = (given: ItemPlace): ItemPlace => {
    const account = uuidOf(given.account, "/account");
    const realm = realmOf(given.realm ?? "pc", "/realm");
    const { character, league, stash } = given;
    if (character !== undefined && league === undefined && stash === undefined) {
      const names = world.characters(account, realm).map(({ name }) => name);
      if (!names.includes(character)) rejectName("/character", "character", character, names);
      return { account, realm, character };
    }
    if (character !== undefined || league === undefined || stash === undefined)
      return rejected("name a character, or a league and a stash");
    const gameOne = gameOneOf(realm, "/realm");
    checkLeague(account, gameOne, league, "/league");
    if (world.stash(account, gameOne, league, stash) === undefined)
      rejectName(
        "/stash",
        "tab",
        stash,
        world.stashes(account, gameOne, league).map(({ id }) => id),
      );
    return { account, realm, league, stash };
  };

  const putItem = ({ ItemPut }: Documents, request: RequestInput, params: Params) => {
    if (!/^[0-9a-f]{64}$/u.test(params["id"]!))
      rejected("the id of an item is 64 hexadecimal digits", "{id}");
    const { item = {}, ...given } = checked(ItemPut, readJson(request));
    const place = placeOf(given);
    const members = completeItem(params["id"]!, place, item);
    edits.put({ isWhole: true, members, place }, "item", params["id"]!);
    return json({ ...place, item: members });
  };

  const patchItem = ({ ItemMembers }: Documents, request: RequestInput, params: Params) => {
    const members = checked(ItemMembers, readJson(request));
    const before: Edit | undefined = edits.get("item", params["id"]!);
    const edit: Edit = {
      isWhole: false,
      ...before,
      members: { ...before?.members, ...members },
    };
    edits.put(edit, "item", params["id"]!);
    return json({ ...edit.place, item: edit.members });
  };

  /** Edits need the records; they are loaded with the first one. */
  const edit =
    (body: (documents: Documents, request: RequestInput, params: Params) => ResponseOutput) =>
    (request: RequestInput, params: Params): ResponseOutput => ({
      ...empty(200),
      deferred: import("./editDocuments.ts").then((documents) => {
        try {
          return body(documents, request, params);
        } catch (cause) {
          return failureResponse(cause, parts.log);
        }
      }),
    });

  return [
    ...kinds.flatMap((kind) => [
      route(
        "PUT",
        kind.template,
        edit((...rest) => put(kind, ...rest)),
      ),
      route(
        "PATCH",
        kind.template,
        edit((...rest) => patch(kind, ...rest)),
      ),
      route("DELETE", kind.template, (_, params) => {
        const [name = "", ...path] = kind.path(params);
        return edits.remove(name, ...path)
          ? empty(204)
          : rejected("nothing was edited there", lastOf(kind));
      }),
    ]),
    route("PUT", "/control/items/:id", edit(putItem)),
    route("PATCH", "/control/items/:id", edit(patchItem)),
    // An item that nobody edited is taken away; an edited one is as the seed has it again.
    route("DELETE", "/control/items/:id", (_, params) => {
      const id = params["id"]!;
      if (!edits.remove("item", id)) edits.put({ isWhole: true, members: {} }, "item", id);
      return empty(204);
    }),
    route("GET", "/control/edits", () => json({ edits: edits.list() })),
  ];
};

/** The last word of the address. */
const lastOf = ({ template }: Kind): string => `{${template.split(":").at(-1)}}`;

const realmOf = (name: string, pointer: string): Realm =>
  REALMS.find((one) => one === name) ?? rejectName(pointer, "realm", name, REALMS);
const gameOneOf = (name: string, pointer: string): GameOneRealm => {
  const realm = realmOf(name, pointer);
  return realm === "game2" ? rejected("game2 has no stashes", pointer) : realm;
};

/** Members with others over them; `metadata` is merged member by member. */
const merged = (before: Members | undefined, members: Members): Members => ({
  ...before,
  ...members,
  ...(before?.["metadata"] === undefined || members["metadata"] == null
    ? {}
    : { metadata: { ...(before["metadata"] as Members), ...(members["metadata"] as Members) } }),
});

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
