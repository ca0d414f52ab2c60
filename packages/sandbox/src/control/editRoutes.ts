/**
 * Edits of the world on the control plane: `PUT` says what a thing is, `PATCH` changes some of its
 * members, `DELETE` takes the edit back.
 *
 * What a `PUT` leaves out is completed, so that `{"item":{"typeLine":"Slate Helm"}}` is enough to
 * give somebody an item.
 */
import type { Core } from "../Core.ts";
import type { DataPart } from "../data/DataPart.ts";
import { empty, json } from "../http/messages.ts";
import { type Document, nearestOf } from "../internal/document.ts";
import { CLASSES, CLASSES_GAME_2 } from "../world/Characters.ts";
import { hexId } from "../world/Prng.ts";
import type { GameOneRealm, Realm } from "../world/Realm.ts";
import type * as EditDocuments from "./editDocuments.ts";
import {
  checkLeague,
  type EditHandler,
  gameOneOf,
  type Members,
  realmOf,
  uuidOf,
} from "./editing.ts";
import { patchItem, putItem, removeItem } from "./itemEdits.ts";
import {
  checked,
  type ControlHandler,
  type ControlRoute,
  failureResponse,
  readJson,
  rejected,
  rejectName,
  route,
} from "./requests.ts";

/** A kind of thing that can be edited. */
interface Kind {
  readonly template: string;
  /** The key of the edit, from the words of the address; refuses names that nothing has. */
  readonly path: (params: Readonly<Record<string, string>>) => ReadonlyArray<string>;
  /** The thing as it is, or undefined. */
  readonly find: (path: ReadonlyArray<string>) => unknown;
  readonly document: (documents: typeof EditDocuments) => Document<Members>;
  /** Refuses members that no record of the kind has together. */
  readonly check?: (path: ReadonlyArray<string>, members: Members) => void;
  /** The members of a thing of which only some were given. */
  readonly complete: (path: ReadonlyArray<string>, members: Members) => Members;
}

const CLASS_NAMES: ReadonlyArray<string> = [...CLASSES, ...CLASSES_GAME_2];

/** Routes of edits. */
export const editRoutes = (core: Core, data: DataPart): ReadonlyArray<ControlRoute> => {
  /** Edits need the records; they are loaded with the first one. */
  const edit =
    (handle: EditHandler): ControlHandler =>
    (request, params) => ({
      ...empty(200),
      deferred: import("./editDocuments.ts").then((documents) => {
        try {
          return handle(documents, request, params);
        } catch (cause) {
          return failureResponse(cause, core.parts.log);
        }
      }),
    });
  const kinds = [
    accountKind(core, data),
    characterKind(core, data),
    stashKind(core, data),
    leagueKind(data),
  ];
  return [
    ...kinds.flatMap((kind) => [
      route("PUT", kind.template, edit(putThing(kind, data))),
      route("PATCH", kind.template, edit(patchThing(kind, data))),
      route("DELETE", kind.template, removeThing(kind, data)),
    ]),
    route("PUT", "/control/items/:id", edit(putItem(core, data))),
    route("PATCH", "/control/items/:id", edit(patchItem(data))),
    route("DELETE", "/control/items/:id", removeItem(data)),
    route("GET", "/control/edits", () => json({ edits: data.edits.list() })),
  ];
};

const putThing =
  (kind: Kind, { edits }: DataPart): EditHandler =>
  (documents, request, params) => {
    const path = kind.path(params);
    const given = checked(kind.document(documents), readJson(request));
    kind.check?.(path, given);
    const members = kind.complete(path, given);
    edits.put({ isWhole: true, members }, path[0]!, ...path.slice(1));
    return json(kind.find(path));
  };

const patchThing =
  (kind: Kind, { edits }: DataPart): EditHandler =>
  (documents, request, params) => {
    const path = kind.path(params);
    const [name = "", ...rest] = path;
    const members = checked(kind.document(documents), readJson(request));
    if (kind.find(path) == null) rejected(`there is no such ${name}; PUT makes one`, lastOf(kind));
    kind.check?.(path, members);
    const before = edits.get(name, ...rest);
    edits.put(
      { isWhole: before?.isWhole === true, members: merged(before?.members, members) },
      name,
      ...rest,
    );
    return json(kind.find(path));
  };

const removeThing =
  (kind: Kind, { edits }: DataPart): ControlHandler =>
  (_, params) => {
    const [name = "", ...path] = kind.path(params);
    return edits.remove(name, ...path)
      ? undefined
      : rejected("nothing was edited there", lastOf(kind));
  };

/** The last word of the address. */
const lastOf = ({ template }: Kind): string => `{${template.split(":").at(-1)}}`;

/** Members with others over them; `metadata` is merged member by member. */
const merged = (before: Members | undefined, members: Members): Members => ({
  ...before,
  ...members,
  ...(before?.["metadata"] === undefined || members["metadata"] == null
    ? {}
    : { metadata: { ...(before["metadata"] as Members), ...(members["metadata"] as Members) } }),
});

const accountKind = ({ accounts }: Core, { edits }: DataPart): Kind => ({
  template: "/control/accounts/:account",
  path: (params) => ["account", uuidOf(accounts, params["account"]!, "{account}")],
  find: ([, uuid]) => ({ ...accounts.byUuid(uuid!), ...edits.account(uuid!) }),
  document: (documents) => documents.AccountMembers,
  complete: (_, members) => ({ locale: null, livestream: null, ...members }),
});

const characterKind = ({ accounts }: Core, { world }: DataPart): Kind => ({
  template: "/control/accounts/:account/characters/:realm/:name",
  path: (params) => [
    "character",
    uuidOf(accounts, params["account"]!, "{account}"),
    realmOf(params["realm"]!, "{realm}"),
    params["name"]!,
  ],
  find: ([, uuid, realm, name]) => world.character(uuid!, realm as Realm, name!),
  document: (documents) => documents.CharacterMembers,
  check: ([, account, realm], { class: className, league }) => {
    // A class of another name may be tried; one that is nearly a known one is misspelt.
    const isKnown = CLASS_NAMES.some((one) => one === className);
    if (
      typeof className === "string" &&
      !isKnown &&
      nearestOf(className, CLASS_NAMES) !== undefined
    )
      rejectName("/class", "class", className, CLASS_NAMES);
    if (typeof league !== "string" || world.league(realm as Realm, league) !== undefined) return;
    if (realm === "game2") rejected(`there is no league ${JSON.stringify(league)}`, "/league");
    checkLeague(world, { account: account!, realm: realm as GameOneRealm, league }, "/league");
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
});

const stashKind = ({ accounts }: Core, { world }: DataPart): Kind => ({
  template: "/control/accounts/:account/stashes/:realm/:league/:id",
  path: (params) => {
    const account = uuidOf(accounts, params["account"]!, "{account}");
    const realm = gameOneOf(params["realm"]!, "{realm}");
    const league = params["league"]!;
    checkLeague(world, { account, realm, league }, "{league}");
    if (!/^[\da-f]{10}$/u.test(params["id"]!)) rejected("has to be ten digits in hex", "{id}");
    return ["stash", account, realm, league, params["id"]!];
  },
  find: ([, account = "", realm, league = "", id = ""]) =>
    world.stash({ account, realm: realm as GameOneRealm, league }, id),
  document: (documents) => documents.StashMembers,
  complete: (path, members) => ({
    id: path[4],
    name: path[4],
    type: "PremiumStash",
    metadata: {},
    ...members,
  }),
});

const leagueKind = ({ world }: DataPart): Kind => ({
  template: "/control/leagues/:realm/:id",
  path: (params) => ["league", realmOf(params["realm"]!, "{realm}"), params["id"]!],
  find: ([, realm, id]) => world.league(realm as Realm, id!)?.record,
  document: (documents) => documents.LeagueMembers,
  check: (_, { endAt, startAt }) => {
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
});
