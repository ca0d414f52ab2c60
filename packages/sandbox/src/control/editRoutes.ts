/**
 * Edits of the world on the control plane: `PUT` says what a thing is, `PATCH` changes some of its
 * members, `DELETE` takes the edit back.
 *
 * What a `PUT` leaves out is completed, so that `{"item":{"typeLine":"Slate Helm"}}` is enough to
 * give somebody an item.
 */
import { type Document, nearestOf } from "../internal/document.ts";
import { CLASSES, CLASSES_GAME_2 } from "../world/Characters.ts";
import { hexId } from "../world/Prng.ts";
import type { GameOneRealm, Realm } from "../world/Realm.ts";
import {
  AccountMembers,
  CharacterMembers,
  ItemMembers,
  ItemPut,
  LeagueMembers,
  StashMembers,
} from "./editDocuments.ts";
import { checkLeague, gameOneOf, type Members, realmOf, uuidOf } from "./names.ts";
import { patchItem, putItem, removeItem } from "./itemEdits.ts";
import { type Plane, rejected, rejectName, routesOf } from "./Route.ts";

type Path = ReadonlyArray<string>;
type Params = Readonly<Record<string, string>>;

interface Kind {
  readonly thing: string;
  readonly address: `/${string}`;
  readonly document: Document<Members>;
  /** The key of the edit, from the words of the address; refuses names that nothing has. */
  readonly path: (plane: Plane, params: Params) => Path;
  readonly find: (plane: Plane, path: Path) => unknown;
  /** Refuses members that no record of the kind has together. */
  readonly check?: (plane: Plane, path: Path, members: Members) => void;
  /** The members of a thing of which only some were given. */
  readonly complete: (path: Path, members: Members) => Members;
}

const CLASS_NAMES: ReadonlyArray<string> = [...CLASSES, ...CLASSES_GAME_2];

const put = (kind: Kind, plane: Plane, params: Params, given: Members) => {
  const path = kind.path(plane, params);
  kind.check?.(plane, path, given);
  const members = kind.complete(path, given);
  plane.data.edits.put({ isWhole: true, members }, path[0]!, ...path.slice(1));
  return kind.find(plane, path);
};

const patch = (kind: Kind, plane: Plane, params: Params, members: Members) => {
  const path = kind.path(plane, params);
  const [name = "", ...rest] = path;
  const { edits } = plane.data;
  if (kind.find(plane, path) == null)
    rejected(`there is no such ${name}; PUT makes one`, lastOf(kind));
  kind.check?.(plane, path, members);
  const before = edits.get(name, ...rest);
  const isWhole = before?.isWhole === true;
  edits.put({ isWhole, members: merged(before?.members, members) }, name, ...rest);
  return kind.find(plane, path);
};

const remove = (kind: Kind, plane: Plane, params: Params): void => {
  const [name = "", ...path] = kind.path(plane, params);
  if (!plane.data.edits.remove(name, ...path)) rejected("nothing was edited there", lastOf(kind));
};

const lastOf = ({ address }: Kind): string => address.split("/").at(-1)!;

/** Members with others over them; `metadata` is merged member by member. */
const merged = (before: Members | undefined, members: Members): Members => ({
  ...before,
  ...members,
  ...(before?.["metadata"] === undefined || members["metadata"] == null
    ? {}
    : { metadata: { ...(before["metadata"] as Members), ...(members["metadata"] as Members) } }),
});

const account: Kind = {
  thing: "an account",
  address: "/accounts/{account}",
  document: AccountMembers,
  path: ({ core }, params) => ["account", uuidOf(core.accounts, params["account"]!, "{account}")],
  find: ({ core, data }, [, uuid = ""]) => ({
    ...core.accounts.byUuid(uuid),
    ...data.edits.account(uuid),
  }),
  complete: (_, members) => ({ locale: null, livestream: null, ...members }),
};

const character: Kind = {
  thing: "a character",
  address: "/accounts/{account}/characters/{realm}/{name}",
  document: CharacterMembers,
  path: ({ core }, params) => [
    "character",
    uuidOf(core.accounts, params["account"]!, "{account}"),
    realmOf(params["realm"]!, "{realm}"),
    params["name"]!,
  ],
  find: ({ data }, [, uuid, realm, name]) => data.world.character(uuid!, realm as Realm, name!),
  check: ({ data: { world } }, [, uuid = "", realm], { class: className, league }) => {
    // A class of another name may be tried; one that is nearly a known one is misspelt.
    const isMisspelt =
      typeof className === "string" &&
      !CLASS_NAMES.includes(className) &&
      nearestOf(className, CLASS_NAMES) !== undefined;
    if (isMisspelt) rejectName("/class", "class", className, CLASS_NAMES);
    if (typeof league !== "string" || world.league(realm as Realm, league) !== undefined) return;
    if (realm === "game2") rejected(`there is no league ${JSON.stringify(league)}`, "/league");
    checkLeague(world, { account: uuid, realm: realm as GameOneRealm, league }, "/league");
  },
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
};

const stash: Kind = {
  thing: "a stash tab",
  address: "/accounts/{account}/stashes/{realm}/{league}/{id}",
  document: StashMembers,
  path: ({ core, data }, params) => {
    const uuid = uuidOf(core.accounts, params["account"]!, "{account}");
    const realm = gameOneOf(params["realm"]!, "{realm}");
    const league = params["league"]!;
    checkLeague(data.world, { account: uuid, realm, league }, "{league}");
    if (!/^[\da-f]{10}$/u.test(params["id"]!)) rejected("has to be ten digits in hex", "{id}");
    return ["stash", uuid, realm, league, params["id"]!];
  },
  find: ({ data }, [, uuid = "", realm, league = "", id = ""]) =>
    data.world.stash({ account: uuid, realm: realm as GameOneRealm, league }, id),
  complete: (path, members) => ({
    id: path[4],
    name: path[4],
    type: "PremiumStash",
    metadata: {},
    ...members,
  }),
};

const league: Kind = {
  thing: "a league",
  address: "/leagues/{realm}/{id}",
  document: LeagueMembers,
  path: (_, params) => ["league", realmOf(params["realm"]!, "{realm}"), params["id"]!],
  find: ({ data }, [, realm, id]) => data.world.league(realm as Realm, id!)?.record,
  check: (_, __, { endAt, startAt }) => {
    if (Date.parse(String(endAt)) <= Date.parse(String(startAt)))
      rejected("has to be later than startAt", "/endAt");
  },
  complete: (path, members) => ({
    id: path[2],
    realm: path[1],
    name: path[2],
    category: { id: path[2] },
    rules: [],
    endAt: null,
    ...members,
  }),
};

const route = routesOf("world");
const PUT_SAYS = "; what is left out is completed";

export const editRoutes = [
  ...[account, character, stash, league].flatMap((kind) => {
    const { address, document: body, thing } = kind;
    return [
      route(`PUT ${address}`, `Say what ${thing} is${PUT_SAYS}`, { body }, (plane, asked) =>
        put(kind, plane, asked.params, asked.body),
      ),
      route(`PATCH ${address}`, `Change members of ${thing}`, { body }, (plane, asked) =>
        patch(kind, plane, asked.params, asked.body),
      ),
      route(
        `DELETE ${address}`,
        `Take the edit of ${thing} back`,
        { status: 204 },
        (plane, { params }) => remove(kind, plane, params),
      ),
    ];
  }),
  route(
    "PUT /items/{id}",
    `Say what an item is${PUT_SAYS}`,
    { body: ItemPut },
    (plane, { body, params }) => putItem(plane, params["id"]!, body),
  ),
  route(
    "PATCH /items/{id}",
    "Change members of an item",
    { body: ItemMembers },
    (plane, { body, params }) => patchItem(plane, params["id"]!, body),
  ),
  route(
    "DELETE /items/{id}",
    "Take the edit of an item back",
    { status: 204 },
    (plane, { params }) => removeItem(plane, params["id"]!),
  ),
  route("GET /edits", "Every edit of the world that is in force", {}, ({ data }) => ({
    edits: data.edits.list(),
  })),
];
