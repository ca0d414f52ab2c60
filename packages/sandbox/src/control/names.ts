/** Names that control documents may use: endpoints, routes, clients, accounts. */
import type { Core } from "../Core.ts";
import { OAUTH_ROUTES, ROUTES } from "../contract.ts";
import type { DataPart } from "../data/DataPart.ts";
import type { FaultMatch } from "../faults/Fault.ts";
import { rejectName } from "./requests.ts";

const OAUTH_TEMPLATES = Object.values(OAUTH_ROUTES).map(({ path }) => path);

/** `group` and `group.endpoint` of everything that faults, policies and `verify` may name. */
export const ENDPOINT_KEYS: ReadonlyArray<string> = [
  ...Object.keys(OAUTH_ROUTES),
  ...Object.keys(ROUTES),
].flatMap((name) => [name, name.split(".")[0]!]);

/** The path templates of every route, without the words of their parameters. */
export const templatesOf = (data: DataPart): ReadonlyArray<string> => [
  ...OAUTH_TEMPLATES,
  ...data.routes.map(({ template }) => template.replace(/\([^()]*\)/gu, "")),
];

/** Refuses a match that names what does not exist. */
export const checkNames = (
  { accounts, clients }: Core,
  data: DataPart,
  match: FaultMatch,
  pointer: string,
): void => {
  const known: ReadonlyArray<readonly [string, string | undefined, ReadonlyArray<string>]> = [
    ["endpoint", match.endpoint, ENDPOINT_KEYS],
    ["clientId", match.clientId, clients.all().map(({ clientId }) => clientId)],
    ["account", match.account, accounts.all.flatMap(({ name, uuid }) => [name, uuid])],
    ["route", match.route, templatesOf(data)],
  ];
  for (const [member, value, names] of known)
    if (value !== undefined && !names.includes(value))
      rejectName(`${pointer}/${member}`, member, value, names);
};
