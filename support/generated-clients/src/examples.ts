/**
 * The examples of the OpenAPI document: one response of the sandbox for every status of every
 * operation. `node src/examples.ts` writes them into the contract; a test fails if they are stale.
 *
 * Lists are cut to their first elements to keep examples short. The clock of the sandbox is frozen and
 * secrets are replaced, so that every run writes the same examples.
 */
import { writeFileSync } from "node:fs";
import { type Scope, scopes } from "@game-data/contract";
import { requestTarget, routes, type RouteName } from "@game-data/contract/routes";
import { startSandbox } from "@game-data/sandbox";

/** Response bodies by operation and status. `data` and `oauth` have the bodies of errors. */
export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The file of the contract that has the examples. */
const target = new URL("../../../packages/contract/examples.json", import.meta.url);

/** Error statuses of the data API and of the OAuth server. */
const DATA_ERRORS = [400, 401, 403, 404, 415, 422, 429, 500, 503];
const OAUTH_ERRORS = [400, 401, 403, 405, 413, 415, 429, 500, 503];

const NOW = "2026-07-01T00:00:00Z";

const FORM = "application/x-www-form-urlencoded";

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

const read = async (url: string, init: RequestInit = {}): Promise<readonly [number, unknown]> => {
  const response = await fetch(url, init);
  const text = await response.text();
  return [response.status, text === "" ? undefined : (JSON.parse(text) as unknown)];
};

type Members = Readonly<Record<string, unknown>>;

const JSON_BODY = { "content-type": "application/json" };

const bearerFor = async (sandbox: Sandbox, granted: ReadonlyArray<Scope>) => {
  const token = await sandbox.token({ clientId: "example-web", scopes: granted });
  return { authorization: `Bearer ${token}` };
};

/** Makes functions that call the sandbox with a token of every scope, and keep the responses. */
const makeRecorder = async (sandbox: Sandbox) => {
  const found: Record<string, Record<string, unknown>> = {};
  const bearer = await bearerFor(sandbox, scopes);
  const keep = (name: string, [status, body]: readonly [number, unknown]) => {
    (found[name] ??= {})[status] = shortened(body);
  };
  /** Calls an operation, and keeps its response. */
  const call = async (name: RouteName, request: object = {}, body?: unknown) => {
    const answer = await read(`${sandbox.baseUrl}${requestTarget(name, request as never)}`, {
      method: routes[name].method,
      headers: { ...bearer, ...(body !== undefined && JSON_BODY) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer[0] >= 300) throw new Error(`${name}: ${answer[0]} ${JSON.stringify(answer[1])}`);
    keep(name, answer);
    return answer[1] as Members;
  };
  return { sandbox, found, bearer, keep, call };
};
type Recorder = Awaited<ReturnType<typeof makeRecorder>>;

/** Requests a response from a sandbox for every example. */
export const responseExamples = async (): Promise<Examples> => {
  await using sandbox = await startSandbox({ seed: 1, now: NOW });
  await sandbox.control("POST", "/clock", { freeze: true, set: NOW });
  const recorder = await makeRecorder(sandbox);
  await recordFilters(recorder);
  await recordLeagues(recorder);
  await recordAccount(recorder);
  await recordDataErrors(recorder);
  await recordOAuth(recorder);
  await recordFaults(recorder, "data", DATA_ERRORS);
  await recordFaults(recorder, "oauth", OAUTH_ERRORS);
  return recorder.found;
};

const recordFilters = async ({ call, found }: Recorder): Promise<void> => {
  await call("profile.get");
  const filter = { filter_name: "Mine", realm: "pc", filter: 'Show\n  BaseType "Coin"\n' };
  const created = await call("itemFilters.create", {}, filter);
  const { id } = created["filter"] as { readonly id: string };
  await call("itemFilters.list");
  await call("itemFilters.get", { id });
  await call("itemFilters.update", { id }, { description: "Coins alone" });
  // The service may accept a filter that needs more processing (202).
  found["itemFilters.update"]!["202"] = {
    filter: (found["itemFilters.update"]!["200"] as { readonly filter: unknown }).filter,
    error: { code: 0, message: "Accepted" },
  };
};

const recordLeagues = async ({ call }: Recorder): Promise<void> => {
  const league = String(listIn(await call("leagues.list"), "leagues")[0]!["id"]);
  await call("leagues.get", { league });
  await call("leagues.ladder", { league, limit: 1 });
  const events = listIn(await call("leagues.list", { type: "event" }), "leagues");
  const event = events.find(({ leagueEvent }) => leagueEvent === true)!;
  await call("leagues.eventLadder", { league: String(event["id"]), limit: 1 });
  const match = String(listIn(await call("pvpMatches.list"), "matches")[0]!["id"]);
  await call("pvpMatches.get", { match });
  await call("pvpMatches.ladder", { match, limit: 1 });
};

const recordAccount = async ({ call }: Recorder): Promise<void> => {
  const league = String(listIn(await call("accountLeagues.list"), "leagues")[0]!["id"]);
  const name = String(listIn(await call("characters.list"), "characters")[0]!["name"]);
  await call("characters.get", { name });
  await call("leagueAccounts.get", { league });
  for (const kind of ["stashes", "guildStashes"] as const) {
    const tabs = listIn(await call(`${kind}.list`, { league }), "stashes");
    const tab = tabs.find(({ type }) => type !== "Folder")!;
    await call(`${kind}.get`, { league, stash_id: String(tab["id"]) });
  }
  await call("publicStashTabs.page");
  await call("currencyExchange.page");
};

const recordDataErrors = async ({ bearer, keep, sandbox }: Recorder): Promise<void> => {
  const poor = await bearerFor(sandbox, ["account:profile"]);
  for (const [path, headers] of [
    ["/profile", {}],
    ["/character", poor],
    ["/item-filter/none", bearer],
    ["/league?limit=0", bearer],
  ] as const)
    keep("data", await read(`${sandbox.baseUrl}${path}`, { headers }));
};

const recordOAuth = async ({ keep, sandbox: { authUrl, clients } }: Recorder): Promise<void> => {
  const url = `${authUrl}/oauth/token`;
  const client = clients.find(({ clientSecret }) => clientSecret !== undefined)!;
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret! };
  const post = (form: Readonly<Record<string, string>>) =>
    read(url, { method: "POST", body: new URLSearchParams(form) });
  const scope = "service:leagues oauth:introspect";
  const granted = await post({ ...credentials, grant_type: "client_credentials", scope });
  keep("oauth.token", granted);
  const { access_token: token } = granted[1] as { readonly access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  const body = new URLSearchParams({ token });
  keep("oauth.introspect", await read(`${url}/introspect`, { method: "POST", headers, body }));
  keep("oauth", await post({ ...credentials, grant_type: "none" }));
  keep("oauth", await post({ client_id: "nobody", grant_type: "refresh_token" }));
  keep("oauth", await read(url));
  keep("oauth", await read(url, { method: "POST", headers: JSON_BODY, body: "{}" }));
};

/** Records the statuses that the requests above do not cause, by faults of the sandbox. */
const recordFaults = async (
  { bearer, found, keep, sandbox }: Recorder,
  kind: "data" | "oauth",
  statuses: ReadonlyArray<number>,
): Promise<void> => {
  const { authUrl, baseUrl } = sandbox;
  const [endpoint, method, url] =
    kind === "data"
      ? ["profile.get", "GET", `${baseUrl}/profile`]
      : ["oauth.token", "POST", `${authUrl}/oauth/token`];
  for (const status of statuses.filter((each) => found[kind]?.[each] === undefined)) {
    const fault = { kind: "status", status } as const;
    await sandbox.fault({ match: { endpoint }, when: { count: 1 }, fault });
    keep(kind, await read(url, { method, headers: { ...bearer, "content-type": FORM } }));
    if (found[kind]?.[status] === undefined) throw new Error(`no example of ${kind} ${status}`);
  }
};

const listIn = (body: Members, list: string): ReadonlyArray<Members> =>
  body[list] as ReadonlyArray<Members>;

/** Maximum of list elements in an example. */
const SHOWN = 1;

const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const isList = value.some((one) => typeof one === "object");
    return value.slice(0, isList ? SHOWN : 3).map(shortened);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, replaced(key, member) ?? shortened(member)]),
  );
};

/** Replaces secrets, which differ in each run, and the messages of the sandbox's faults. */
const replaced = (key: string, member: unknown): unknown => {
  if (key === "access_token" || key === "refresh_token") return `example-${key.replace("_", "-")}`;
  const isFault = typeof member === "string" && member.startsWith("A fault of the sandbox");
  return isFault ? "Try again later." : undefined;
};

if (import.meta.main)
  writeFileSync(target, `${JSON.stringify(await responseExamples(), undefined, 2)}\n`);
