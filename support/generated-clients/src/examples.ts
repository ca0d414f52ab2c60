/**
 * The examples of the OpenAPI document: one response of the sandbox for every status of every
 * operation. `node src/examples.ts` writes them into the contract; a test fails if they are stale.
 *
 * Lists are cut to their first elements, so that an example can be read. The clock of the sandbox
 * stands still and secrets are replaced, so that the examples are the same at every run.
 */
import { writeFileSync } from "node:fs";
import { scopes } from "@game-data/contract";
import { requestTarget, routes, type RouteName } from "@game-data/contract/routes";
import { startSandbox } from "@game-data/sandbox";

/** Bodies by status, by operation. `data` and `oauth` have those of errors. */
export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The module in the contract. */
const target = new URL(
  "../../../packages/contract/src/openapi/generated/examples.ts",
  import.meta.url,
);

/** The errors of the data API and of the OAuth server. */
const DATA_ERRORS = [400, 401, 403, 404, 415, 422, 429, 500, 503];
const OAUTH_ERRORS = [400, 401, 403, 405, 413, 415, 429, 500, 503];

const NOW = "2026-07-01T00:00:00Z";

const FORM = "application/x-www-form-urlencoded";

/** Asks a sandbox for all of them. */
export const responseExamples = async (): Promise<Examples> => {
  const sandbox = await startSandbox({ seed: 1, now: NOW });
  try {
    return await readExamples(sandbox);
  } finally {
    await sandbox.close();
  }
};

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

const read = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, init);
  const text = await response.text();
  return [response.status, text === "" ? undefined : (JSON.parse(text) as unknown)];
};

type Answer = readonly [status: number, body: unknown];

/** What has been answered, and how to ask for more. */
const makeAsker = (sandbox: Sandbox, bearer: Readonly<Record<string, string>>) => {
  const found: Record<string, Record<string, unknown>> = {};
  const keep = (name: string, [status, body]: Answer): unknown => {
    (found[name] ??= {})[status] = shortened(body);
    return body;
  };
  /** Calls an operation, which has to succeed. */
  const call = async (
    name: RouteName,
    request: object = {},
    body?: unknown,
  ): Promise<Record<string, unknown>> => {
    const answer = await read(`${sandbox.baseUrl}${requestTarget(name, request as never)}`, {
      method: routes[name].method,
      headers: { ...bearer, ...(body !== undefined && JSON_TYPE) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer[0] >= 300) throw new Error(`${name}: ${answer[0]} ${JSON.stringify(answer[1])}`);
    return keep(name, answer) as Record<string, unknown>;
  };
  return { ...sandbox, bearer, call, found, keep };
};

type Asker = ReturnType<typeof makeAsker>;

const JSON_TYPE = { "content-type": "application/json" };
const bearerOf = (token: string) => ({ authorization: `Bearer ${token}` });

const readExamples = async (sandbox: Sandbox): Promise<Examples> => {
  await sandbox.control("POST", "/clock", { freeze: true, set: NOW });
  const owner = { clientId: "example-web", account: sandbox.accounts[0]!.name };
  const asker = makeAsker(sandbox, bearerOf(await sandbox.token({ ...owner, scopes })));
  await asker.call("profile.get");
  await readFilters(asker);
  await readOperations(asker);
  await readDataErrors(asker);
  await readOAuth(asker);
  await readFaults(asker);
  return asker.found;
};

const readFilters = async ({ call, found }: Asker): Promise<void> => {
  const filter = { filter_name: "Mine", realm: "pc", filter: 'Show\n  BaseType "Coin"\n' };
  const created = await call("itemFilters.create", {}, filter);
  const { id } = created["filter"] as { readonly id: string };
  await call("itemFilters.list");
  await call("itemFilters.get", { id });
  await call("itemFilters.update", { id }, { description: "Coins alone" });
  // The service accepts a public filter with more processing to come (202).
  found["itemFilters.update"]!["202"] = {
    filter: (found["itemFilters.update"]!["200"] as { readonly filter: unknown }).filter,
    error: { code: 0, message: "Accepted" },
  };
};

const readOperations = async ({ call }: Asker): Promise<void> => {
  const leagues = await call("leagues.list");
  const league = String(first(leagues, "leagues")["id"]);
  await call("leagues.get", { league });
  await call("leagues.ladder", { league, limit: 1 });
  const events = await call("leagues.list", { type: "event" });
  const event = (events["leagues"] as ReadonlyArray<Record<string, unknown>>).find(
    ({ leagueEvent }) => leagueEvent === true,
  )!;
  await call("leagues.eventLadder", { league: String(event["id"]), limit: 1 });
  const match = String(first(await call("pvpMatches.list"), "matches")["id"]);
  await call("pvpMatches.get", { match });
  await call("pvpMatches.ladder", { match, limit: 1 });
  const own = String(first(await call("accountLeagues.list"), "leagues")["id"]);
  const name = String(first(await call("characters.list"), "characters")["name"]);
  await call("characters.get", { name });
  await call("leagueAccounts.get", { league: own });
  for (const kind of ["stashes", "guildStashes"] as const) {
    const { stashes } = (await call(`${kind}.list`, { league: own })) as unknown as {
      readonly stashes: ReadonlyArray<{ readonly id: string; readonly type: string }>;
    };
    const tab = stashes.find(({ type }) => type !== "Folder")!;
    await call(`${kind}.get`, { league: own, stash_id: tab.id });
  }
  await call("publicStashTabs.page");
  await call("currencyExchange.page");
};

const readDataErrors = async ({ baseUrl, bearer, keep, token }: Asker): Promise<void> => {
  const poor = bearerOf(await token({ clientId: "example-web", scopes: ["account:profile"] }));
  keep("data", await read(`${baseUrl}/profile`));
  keep("data", await read(`${baseUrl}/character`, { headers: poor }));
  keep("data", await read(`${baseUrl}/item-filter/none`, { headers: bearer }));
  keep("data", await read(`${baseUrl}/league?limit=0`, { headers: bearer }));
};

const readOAuth = async ({ authUrl, clients, keep }: Asker): Promise<void> => {
  const client = clients.find(({ clientSecret }) => clientSecret !== undefined)!;
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret! };
  const post = (path: string, form: Readonly<Record<string, string>>) =>
    read(`${authUrl}${path}`, { method: "POST", body: new URLSearchParams(form) });
  const [, granted] = await post("/oauth/token", {
    ...credentials,
    grant_type: "client_credentials",
    scope: "service:leagues oauth:introspect",
  });
  keep("oauth.token", [200, granted]);
  const { access_token: service } = granted as { readonly access_token: string };
  keep(
    "oauth.introspect",
    await read(`${authUrl}/oauth/token/introspect`, {
      method: "POST",
      headers: bearerOf(service),
      body: new URLSearchParams({ token: service }),
    }),
  );
  keep("oauth", await post("/oauth/token", { ...credentials, grant_type: "none" }));
  keep("oauth", await post("/oauth/token", { client_id: "nobody", grant_type: "refresh_token" }));
  keep("oauth", await read(`${authUrl}/oauth/token`));
  keep(
    "oauth",
    await read(`${authUrl}/oauth/token`, { method: "POST", headers: JSON_TYPE, body: "{}" }),
  );
};

/** The errors that no request here has met. */
const readFaults = async ({ authUrl, baseUrl, bearer, fault, found, keep }: Asker) => {
  for (const [kind, statuses, endpoint, url, method] of [
    ["data", DATA_ERRORS, "profile.get", `${baseUrl}/profile`, "GET"],
    ["oauth", OAUTH_ERRORS, "oauth.token", `${authUrl}/oauth/token`, "POST"],
  ] as const)
    for (const status of statuses) {
      if (found[kind]?.[status] !== undefined) continue;
      await fault({ match: { endpoint }, when: { count: 1 }, fault: { kind: "status", status } });
      keep(kind, await read(url, { method, headers: { ...bearer, "content-type": FORM } }));
      if (found[kind]?.[status] === undefined) throw new Error(`no example of ${kind} ${status}`);
    }
};

const first = (body: Record<string, unknown>, list: string): Record<string, unknown> =>
  (body[list] as ReadonlyArray<Record<string, unknown>>)[0]!;

/** Elements of a list that an example shows. */
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

/** Secrets differ from run to run, and faults have no message of the service. */
const replaced = (key: string, member: unknown): unknown => {
  if (key === "access_token" || key === "refresh_token") return `example-${key.replace("_", "-")}`;
  const isFault = typeof member === "string" && member.startsWith("A fault of the sandbox");
  return isFault ? "Try again later." : undefined;
};

/** The text of the module, before it is formatted. */
export const examplesModule = (examples: Examples): string => `/**
 * Responses of the sandbox, for the OpenAPI document.
 *
 * Generated by \`pnpm --filter @game-data/generated-clients generate\`. Not to be edited.
 */
export const examples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = ${JSON.stringify(examples, undefined, 2)};
`;

if (import.meta.main) writeFileSync(target, examplesModule(await responseExamples()));
