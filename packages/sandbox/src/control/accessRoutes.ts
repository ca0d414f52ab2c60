/** Accounts, applications, grants and tokens on the control plane. */
import { isServiceScope } from "@game-data/contract/Scope";
import type { Core } from "../Core.ts";
import { makeHostCheck } from "../http/hostCheck.ts";
import * as Effect from "effect/Effect";
import { empty, json, NO_STORE, queryOf, type RequestInput } from "../http/messages.ts";
import { isoInstant } from "../internal/instants.ts";
import { isUserScope } from "../clients/Clients.ts";
import { AuthorizeBody, ClientBody, TokensBody } from "./documents.ts";
import { checkNames } from "./names.ts";
import { failureResponse, notFound, type Plane, rejected, routesOf, Sent } from "./Route.ts";

const listTokens = ({ core }: Plane) => {
  const { grants } = core;
  return {
    grants: core.accounts.all.flatMap(({ name, uuid }) =>
      grants.ofAccount(uuid).map(({ clientId, createdAt, grantType, id, scopes }) => ({
        account: name,
        id,
        clientId,
        grantType,
        scopes,
        createdAt: isoInstant(createdAt),
        tokens: grants.liveTokens(id).map(({ expiresAt, hash, kind, prefix }) => ({
          kind,
          prefix,
          hash,
          expiresAt: expiresAt === null ? null : isoInstant(expiresAt),
        })),
      })),
    ),
  };
};

/** Issues tokens without the flow. Service scopes, and no account, mean client credentials. */
const issue = ({ core, service }: Plane, body: typeof TokensBody.Type) => {
  checkNames(core, body, "");
  const { accounts } = core;
  const client = core.clients.byId(body.clientId)!;
  const account = personOf(core, body.account);
  const scopes = [
    ...new Set(body.scopes ?? client.scopes.filter((one) => isUserScope(client, [one]))),
  ];
  const asItself =
    client.kind === "confidential" && (body.account === undefined || scopes.some(isServiceScope));
  const isPermitted = (scope: string): boolean =>
    asItself ? client.scopes.includes(scope) : isUserScope(client, [scope]);
  const wrong = scopes.find((scope) => !isPermitted(scope));
  if (wrong !== undefined)
    rejected(
      `${client.clientId} may not have the scope ${wrong} ${asItself ? "itself" : "of a user"}`,
      `/scopes/${body.scopes?.findIndex((scope) => scope === wrong)}`,
    );
  if (asItself && body.account !== undefined && account.uuid !== client.owner)
    rejected(
      `${client.clientId} asks for itself, and ${accounts.byUuid(client.owner)?.name} owns it`,
      "/account",
    );
  return service.tokenGrants.issue(client, scopes, asItself ? undefined : account.uuid);
};

/** The account that is named by name or uuid, which there is; by default the first one. */
const personOf = ({ accounts }: Core, name: string | undefined) =>
  name === undefined ? accounts.all[0]! : accounts.find(name)!;

/**
 * Plays the person: sends the authorization request through the pipeline as a browser would, with
 * the person's decision beside it. The journal, faults and limits see it like any other request.
 */
const authorize = (
  { core, service }: Plane,
  { account, deny = false, url }: typeof AuthorizeBody.Type,
  { ip }: RequestInput,
) => {
  checkNames(core, { account }, "");
  checkAuthorizeUrl(core, url);
  const incoming = {
    method: "GET",
    url: `/oauth/authorize?${queryOf(url.split("#")[0]!)}`,
    headers: { host: new URL(core.config.authUrl).host },
    body: new Uint8Array(),
    connection: { id: "control", ip },
  };
  const actor = { sub: personOf(core, account).uuid, deny };
  const deferred = Effect.runPromise(service.respond("auth", incoming, actor)).then((response) => {
    const { body, headers, status } = response;
    const redirect = headers["location"];
    if (redirect !== undefined) return json({ redirect }, 200, NO_STORE);
    const isRefusal = status === 400 && headers["content-type"] === "application/json";
    const { reason } =
      isRefusal && body._tag === "Uint8Array"
        ? (JSON.parse(body.text ?? "") as { readonly reason: string })
        : { reason: `the authorization request was answered ${status}` };
    try {
      return rejected(reason, "/url");
    } catch (cause) {
      return failureResponse(cause, console.error);
    }
  });
  return new Sent({ ...empty(200), deferred });
};

/** A browser that opens another page would not come to the consent page: neither does this one. */
const checkAuthorizeUrl = ({ config }: Core, text: string): void => {
  const expected = `${config.authUrl}/oauth/authorize`;
  if (!URL.canParse(text)) return rejected(`${JSON.stringify(text)} is no URL`, "/url");
  const { host, origin, pathname } = new URL(text);
  const isHere = makeHostCheck(config, config.hosts)(host).refused === undefined;
  return isHere && pathname === new URL(expected).pathname
    ? undefined
    : rejected(`${origin}${pathname} is not the authorization page, ${expected}`, "/url");
};

const route = routesOf("signIn");

export const accessRoutes = [
  route(
    "POST /authorize",
    "Consent, or deny, as an account: the code flow without a browser",
    { body: AuthorizeBody },
    (plane, { body, request }) => authorize(plane, body, request),
  ),
  route("GET /tokens", "Grants in force with their tokens' prefixes", {}, listTokens),
  route(
    "POST /tokens",
    "Issue tokens without any flow, for tests of data endpoints",
    { body: TokensBody },
    (plane, { body }) => issue(plane, body),
  ),
  route(
    "DELETE /grants/{id}",
    "Revoke a grant and every token of it",
    { status: 204 },
    ({ core }, { params: { id = "" } }) => {
      if (!core.grants.revokeGrant(id)) notFound(`there is no grant ${id}`);
    },
  ),
  route("GET /clients", "The registered applications, without their secrets", {}, ({ core }) => ({
    clients: core.clients.all().map(({ secretHash: _secretHash, ...shown }) => shown),
  })),
  route(
    "POST /clients",
    "Register an application",
    { body: ClientBody, status: 201 },
    ({ core }, { body }) => core.clients.register(body),
  ),
  route("GET /accounts", "The accounts that can sign in", {}, ({ core }) => ({
    accounts: core.accounts.all.map(({ name, uuid }) => ({ name, uuid })),
  })),
];
