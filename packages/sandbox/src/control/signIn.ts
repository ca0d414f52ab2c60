/** Consents, tokens and data requests of the control plane, without a browser or a token. */
import { isServiceScope } from "@game-data/contract/Scope";
import * as Effect from "effect/Effect";
import * as Respondable from "effect/http/HttpServerRespondable";
import { isUserScope } from "../clients/Clients.ts";
import { findEndpoint, splitUrl } from "../http/routes.ts";
import { isoInstant } from "../internal/instants.ts";
import { noFacts } from "../journal/Journal.ts";
import type { Server } from "../Server.ts";
import type { SandboxState } from "../State.ts";
import type { AuthorizeBody, TokensBody } from "./documents.ts";
import { checkNames } from "./names.ts";
import { attempt, checkName, type ControlContext, notThere, refusal, rejected } from "./respond.ts";

const NO_BODY = new Uint8Array();
const isoOrNull = (millis: number | null) => (millis === null ? null : isoInstant(millis));

export const listTokens = ({ accounts, grants }: SandboxState) =>
  accounts.all.flatMap(({ name: account, uuid }) =>
    grants.ofAccount(uuid).map(({ createdAt, revokedAt: _revokedAt, sub: _sub, ...grant }) => ({
      account,
      ...grant,
      createdAt: isoInstant(createdAt),
      tokens: grants.liveTokens(grant.id).map(({ expiresAt, hash, kind, prefix }) => ({
        kind,
        prefix,
        hash,
        expiresAt: isoOrNull(expiresAt),
      })),
    })),
  );

/** Returns the account of a checked name or UUID. Default: the first account. */
const personOf = ({ accounts }: SandboxState, name: string | undefined) =>
  name === undefined ? accounts.all[0]! : accounts.find(name)!;

/** Issues tokens. For service scopes, or without an account, they are client credentials. */
export const issueTokens = ({ state, server }: ControlContext, body: typeof TokensBody.Type) => {
  checkNames(state, body);
  const client = state.clients.byId(body.clientId)!;
  const account = personOf(state, body.account);
  const scopes = [
    ...new Set(body.scopes ?? client.scopes.filter((one) => isUserScope(client, [one]))),
  ];
  const asItself =
    client.kind === "confidential" && (body.account === undefined || scopes.some(isServiceScope));
  const wrong = scopes.find((scope) =>
    asItself ? !client.scopes.includes(scope) : !isUserScope(client, [scope]),
  );
  if (wrong !== undefined)
    rejected(
      `${client.clientId} may not have the scope ${wrong} ${asItself ? "itself" : "of a user"}`,
      `/scopes/${body.scopes?.findIndex((scope) => scope === wrong)}`,
    );
  if (asItself && body.account !== undefined && account.uuid !== client.owner) {
    const owner = state.accounts.byUuid(client.owner)?.name;
    rejected(`${client.clientId} asks for itself, and ${owner} owns it`, "/account");
  }
  return server.tokenGrants.issue(client, scopes, asItself ? undefined : account.uuid);
};

/**
 * Sends an authorization request as a browser would, together with the person's decision. The
 * journal, faults and limits treat it like any other request.
 */
export const authorize = Effect.fnUntraced(function* (
  { state, server }: ControlContext,
  { account, deny = false, url }: typeof AuthorizeBody.Type,
  ip: string,
) {
  const actor = yield* attempt(() => {
    checkNames(state, account === undefined ? {} : { account });
    checkAuthorizeUrl(state, server, url);
    return { sub: personOf(state, account).uuid, deny };
  });
  const [, query] = splitUrl(url.split("#")[0]!);
  const incoming = {
    method: "GET",
    url: `/oauth/authorize?${query}`,
    headers: { host: new URL(state.config.authUrl).host },
    body: NO_BODY,
    connection: { id: "control", ip },
  };
  const { body, headers, status } = yield* server.respond("auth", incoming, actor);
  const redirect = headers["location"];
  if (redirect !== undefined) return { redirect };
  const isRefusal = status === 400 && headers["content-type"] === "application/json";
  const message =
    isRefusal && body._tag === "Uint8Array"
      ? (JSON.parse(body.text ?? "") as { readonly reason: string }).reason
      : `the authorization request was answered ${status}`;
  return yield* Effect.fail(refusal([{ pointer: "/url", message }]));
});

/** Refuses a URL at which a browser would not see the consent page either. */
const checkAuthorizeUrl = ({ config }: SandboxState, { checkHost }: Server, text: string): void => {
  const expected = `${config.authUrl}/oauth/authorize`;
  if (!URL.canParse(text)) return rejected(`${JSON.stringify(text)} is no URL`, "/url");
  const { host, origin, pathname } = new URL(text);
  const isHere = checkHost(host).refused === undefined;
  return isHere && pathname === new URL(expected).pathname
    ? undefined
    : rejected(`${origin}${pathname} is not the authorization page, ${expected}`, "/url");
};

/** Answers a GET of the data API as an account, without token, limits, faults and journal. */
export const look = Effect.fnUntraced(function* (
  { state, server }: ControlContext,
  { account: name, path: url = "" }: { readonly path?: string; readonly account?: string },
) {
  yield* attempt(() => {
    if (url === "") rejected("name a path of the data API: ?path=/league", "?path");
    const names = state.accounts.all.flatMap((one) => [one.name, one.uuid]);
    checkName("?account", "account", name, names);
  });
  const { name: username, uuid: sub } = personOf(state, name);
  const [path, query] = splitUrl(server.words?.urlFromWire(url) ?? url);
  const match = findEndpoint("data", "GET", path);
  if (match === undefined) return yield* notThere(`the data API has no GET ${path}`);
  const identity = {
    clientId: "",
    kind: "confidential",
    grantType: "authorization_code",
    sub,
    username,
    scopes: match.scopes,
  } as const;
  return yield* server
    .answerData({
      listener: "data",
      method: "GET",
      path,
      sentPath: path,
      query,
      headers: {},
      body: NO_BODY,
      connection: { id: "control", ip: "" },
      match,
      now: state.clock.now(),
      credentials: { isBearer: true, tokenHash: undefined, identity },
      facts: noFacts(),
    })
    .pipe(Effect.catch(Respondable.toResponse));
});
