/** Checks names in control documents: endpoints, routes, paths, clients and accounts. */
import { oauthRoutes, type Route, routes } from "@game-data/contract/routes";
import type { Fault, FaultMatch, FaultRule } from "../faults/Fault.ts";
import type { SandboxState } from "../State.ts";
import { checkName, rejected } from "./respond.ts";

const ENDPOINTS = Object.entries<Pick<Route, "method" | "path"> & { readonly take?: string }>({
  ...oauthRoutes,
  ...routes,
}).map(([name, { method, path, take }]) => ({ name, method, path, take }));

/** Names, as `group` and `group.endpoint`, that faults, policies and `verify` may use. */
export const ENDPOINT_KEYS: ReadonlyArray<string> = ENDPOINTS.flatMap(({ name }) => [
  name,
  name.split(".")[0]!,
]);

const PATHS: ReadonlyArray<string> = ENDPOINTS.map(({ path }) => path);
const PAGES = ["/oauth/consent", "/sign-in", "/sign-out", "/my/applications/revoke"];

/** Refuses an unknown account or client. */
export const checkNames = (
  { accounts, clients }: SandboxState,
  { account, clientId }: { readonly account?: string; readonly clientId?: string },
  pointer = "",
): void => {
  const clientIds = clients.all().map((client) => client.clientId);
  checkName(`${pointer}/clientId`, "clientId", clientId, clientIds);
  const names = accounts.all.flatMap(({ name, uuid }) => [name, uuid]);
  checkName(`${pointer}/account`, "account", account, names);
};

export const checkMatch = (state: SandboxState, match: FaultMatch, pointer: string): void => {
  checkNames(state, match, pointer);
  checkName(`${pointer}/endpoint`, "endpoint", match.endpoint, ENDPOINT_KEYS);
  checkName(`${pointer}/route`, "route", match.route, PATHS);
  const { endpoint, grantType, path, route } = match;
  if (path !== undefined && ![...PATHS, ...PAGES].some((one) => canBegin(one, path)))
    checkName(`${pointer}/path`, "path that begins with", path, PATHS);
  // A request to an unknown path has only a path and a method, so such a match stays valid.
  const meansEndpoint = [endpoint, grantType, route].some((member) => member !== undefined);
  if (meansEndpoint && !ENDPOINTS.some(meets(match)))
    rejected("no request can match all of this", pointer);
};

/** Returns whether any request to an endpoint can match. */
const meets =
  ({ endpoint, grantType, method, path, route }: FaultMatch) =>
  (one: Endpoint): boolean =>
    (endpoint === undefined || one.name === endpoint || one.name.startsWith(`${endpoint}.`)) &&
    (grantType === undefined || one.name === "oauth.token") &&
    (method === undefined || one.method === (method === "HEAD" ? "GET" : method)) &&
    (path === undefined || canBegin(one.path, path)) &&
    (route === undefined || one.path === route);

/** Whether a path of a template, with or without the realm, can begin with a text. */
const canBegin = (template: string, text: string): boolean => {
  const asked = text.split("/");
  const forms = [template.replace("/:realm?", ""), template].map((form) => form.split("/"));
  return forms.some(
    (parts) =>
      asked.length <= parts.length &&
      asked.every((segment, index) => {
        const part = parts[index]!;
        const isLast = index === asked.length - 1;
        return part.startsWith(":") || (isLast ? part.startsWith(segment) : part === segment);
      }),
  );
};

/** Refuses a rule that can never fire, or whose fault changes nothing at its endpoints. */
export const checkRule = (
  state: SandboxState,
  { fault: { kind }, match }: FaultRule,
  pointer: string,
): void => {
  if (match === undefined) return;
  checkMatch(state, match, `${pointer}/match`);
  const changed = ENDPOINTS.filter(CHANGES[kind] ?? (() => true));
  const names = [...new Set(changed.map(({ name }) => name))].join(", ");
  if (CHANGES[kind] !== undefined && !changed.some(meets(match)))
    rejected(`${kind} changes nothing there, but the answers of ${names}`, `${pointer}/match`);
};

type Endpoint = (typeof ENDPOINTS)[number];
const isPage = ({ name }: Endpoint): boolean => name.endsWith(".page");

/** Endpoints whose responses a kind of fault can change. Other kinds can change all endpoints. */
const CHANGES: Partial<Record<Fault["kind"], (endpoint: Endpoint) => boolean>> = {
  changeId: isPage,
  duplicateChanges: isPage,
  forgedState: ({ name }) => name === "oauth.authorize",
  nullResult: ({ name, take }) => take !== undefined && !name.endsWith(".list"),
};
