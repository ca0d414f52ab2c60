/** What control documents may name: endpoints, routes, paths, clients, accounts; and rules of faults. */
import {
  oauthRoutes as OAUTH_ROUTES,
  type Route,
  type RouteName,
  routes as ROUTES,
} from "@game-data/contract/routes";
import type { Accounts } from "../clients/Accounts.ts";
import type { SandboxState } from "../State.ts";
import type { Fault, FaultMatch, FaultRule } from "../faults/Fault.ts";
import { REALMS } from "../world/Leagues.ts";
import { type ControlContext, rejected, rejectName } from "./respond.ts";

/** `group` and `group.endpoint` of everything that faults, policies and `verify` may name. */
export const ENDPOINT_KEYS: ReadonlyArray<string> = [
  ...Object.keys(OAUTH_ROUTES),
  ...Object.keys(ROUTES),
].flatMap((name) => [name, name.split(".")[0]!]);

const ENDPOINTS = Object.entries({ ...OAUTH_ROUTES, ...ROUTES }).map(
  ([name, { method, path }]) => ({
    name,
    method,
    template: path,
  }),
);

/** The path templates of every endpoint. */
const TEMPLATES: ReadonlyArray<string> = ENDPOINTS.map(({ template }) => template);

const PAGES = ["/oauth/consent", "/sign-in", "/sign-out", "/my/applications/revoke"];

/** The ways to write a path: an optional realm is left out, or is one of few words. */
const formsOf = (template: string): ReadonlyArray<string> =>
  template.includes("/:realm?")
    ? [
        template.replace("/:realm?", ""),
        template.replace("/:realm?", `/:realm(${REALMS.filter((one) => one !== "pc").join("|")})`),
      ]
    : [template];

/** Refuses a document that names an account or a client that nobody has. */
export const checkNames = (
  { accounts, clients }: SandboxState,
  names: { readonly account?: string | undefined; readonly clientId?: string | undefined },
  pointer: string,
): void =>
  checkKnown(pointer, [
    ["clientId", names.clientId, () => clients.all().map(({ clientId }) => clientId)],
    ["account", names.account, () => accounts.all.flatMap(({ name, uuid }) => [name, uuid])],
  ]);

export const checkMatch = (context: ControlContext, match: FaultMatch, pointer: string): void => {
  checkNames(context.state, match, pointer);
  checkKnown(pointer, [
    ["endpoint", match.endpoint, () => ENDPOINT_KEYS],
    ["route", match.route, () => TEMPLATES],
  ]);
  const { path } = match;
  const isServed = (text: string) =>
    [...TEMPLATES.flatMap(formsOf), ...PAGES].some((template) => canBegin(template, text));
  if (path !== undefined && !isServed(path))
    rejectName(`${pointer}/path`, "path that begins with", path, TEMPLATES);
};

type Known = readonly [
  member: string,
  value: string | undefined,
  names: () => ReadonlyArray<string>,
];

const checkKnown = (pointer: string, all: ReadonlyArray<Known>): void => {
  for (const [member, value, names] of all)
    if (value !== undefined && !names().includes(value))
      rejectName(`${pointer}/${member}`, member, value, names());
};

/** Whether a path of a template can begin with a text. */
const canBegin = (template: string, text: string): boolean => {
  const parts = template.split("/");
  const asked = text.split("/");
  return (
    asked.length <= parts.length &&
    asked.every((segment, index) => {
      const isWhole = index < asked.length - 1;
      const [, list] = /^:[^(]*(?:\((.*)\))?/u.exec(parts[index]!) ?? [
        parts[index]!,
        parts[index]!,
      ];
      return (
        list === undefined ||
        list.split("|").some((word) => (isWhole ? word === segment : word.startsWith(segment)))
      );
    })
  );
};

/** Refuses a rule that could never fire. */
export const checkRule = (
  context: ControlContext,
  { fault, match }: FaultRule,
  pointer: string,
): void => {
  if (match === undefined) return;
  checkMatch(context, match, `${pointer}/match`);
  checkReach(fault.kind, match, `${pointer}/match`);
};

const isPage = (name: string): boolean => name.endsWith(".page");

/** The endpoints whose answers a fault can change, where these are not all. */
const REACH: Partial<Record<Fault["kind"], (name: string) => boolean>> = {
  changeId: isPage,
  duplicateChanges: isPage,
  forgedState: (name) => name === "oauth.authorize",
  nullResult: (name) =>
    (ROUTES[name as RouteName] as Route | undefined)?.take !== undefined && !name.endsWith(".list"),
};

/** Refuses a match by which a fault meets nothing that it can change. */
const checkReach = (
  kind: Fault["kind"],
  { endpoint, method, path, route }: FaultMatch,
  pointer: string,
): void => {
  const reach = REACH[kind];
  if (reach === undefined) return;
  const reached = ENDPOINTS.filter(({ name }) => reach(name));
  const isMet = reached.some(
    (one) =>
      (endpoint === undefined || one.name === endpoint || one.name.startsWith(`${endpoint}.`)) &&
      (method === undefined || one.method === method) &&
      (path === undefined || formsOf(one.template).some((form) => canBegin(form, path))) &&
      (route === undefined || one.template === route),
  );
  const names = [...new Set(reached.map(({ name }) => name))].join(", ");
  if (!isMet) rejected(`${kind} changes nothing there, but the answers of ${names}`, pointer);
};

export const uuidOf = (accounts: Accounts, name: string, pointer: string): string =>
  accounts.find(name)?.uuid ??
  rejectName(
    pointer,
    "account",
    name,
    accounts.all.map((one) => one.name),
  );
