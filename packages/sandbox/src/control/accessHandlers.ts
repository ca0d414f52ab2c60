/** Accounts, applications, grants and tokens on the control plane; and the view of the world. */
import { isServiceScope } from "@game-data/contract/Scope";
import * as Effect from "effect/Effect";
import * as Respondable from "effect/http/HttpServerRespondable";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import * as Option from "effect/Option";
import type { SandboxState } from "../State.ts";
import { isUserScope } from "../clients/Clients.ts";
import { splitUrl } from "../http/Exchange.ts";
import { makeHostCheck } from "../http/hostCheck.ts";
import { findEndpoint } from "../http/routes.ts";
import { isoInstant } from "../internal/instants.ts";
import { noFacts } from "../journal/entry.ts";
import { ControlApi } from "./Api.ts";
import type { AuthorizeBody, TokensBody } from "./documents.ts";
import { checkNames, uuidOf } from "./names.ts";
import { attempt, notThere, type ControlContext, refusal, rejected } from "./respond.ts";

const listTokens = ({ state }: ControlContext) => {
  const { grants } = state;
  return {
    grants: state.accounts.all.flatMap(({ name, uuid }) =>
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
const issue = ({ state, server }: ControlContext, body: typeof TokensBody.Type) => {
  checkNames(state, body, "");
  const { accounts } = state;
  const client = state.clients.byId(body.clientId)!;
  const account = personOf(state, body.account);
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
  return server.tokenGrants.issue(client, scopes, asItself ? undefined : account.uuid);
};

/** The account that is named by name or uuid, which there is; by default the first one. */
const personOf = ({ accounts }: SandboxState, name: string | undefined) =>
  name === undefined ? accounts.all[0]! : accounts.find(name)!;

/**
 * Plays the person: sends the authorization request through the pipeline as a browser would, with
 * the person's decision beside it. The journal, faults and limits see it like any other request.
 */
const authorize = Effect.fnUntraced(function* (
  { state, server }: ControlContext,
  { account, deny = false, url }: typeof AuthorizeBody.Type,
  ip: string,
) {
  const actor = yield* attempt(() => {
    checkNames(state, account === undefined ? {} : { account }, "");
    checkAuthorizeUrl(state, url);
    return { sub: personOf(state, account).uuid, deny };
  });
  const [, query] = splitUrl(url.split("#")[0]!);
  const incoming = {
    method: "GET",
    url: `/oauth/authorize?${query}`,
    headers: { host: new URL(state.config.authUrl).host },
    body: new Uint8Array(),
    connection: { id: "control", ip },
  };
  const { body, headers, status } = yield* server.respond("auth", incoming, actor);
  const redirect = headers["location"];
  if (redirect !== undefined) return { redirect };
  const isRefusal = status === 400 && headers["content-type"] === "application/json";
  const { reason } =
    isRefusal && body._tag === "Uint8Array"
      ? (JSON.parse(body.text ?? "") as { readonly reason: string })
      : { reason: `the authorization request was answered ${status}` };
  return yield* Effect.fail(refusal([{ pointer: "/url", message: reason }]));
});

/** A browser that opens another page would not come to the consent page: neither does this one. */
const checkAuthorizeUrl = ({ config }: SandboxState, text: string): void => {
  const expected = `${config.authUrl}/oauth/authorize`;
  if (!URL.canParse(text)) return rejected(`${JSON.stringify(text)} is no URL`, "/url");
  const { host, origin, pathname } = new URL(text);
  const isHere = makeHostCheck(config, config.hosts)(host).refused === undefined;
  return isHere && pathname === new URL(expected).pathname
    ? undefined
    : rejected(`${origin}${pathname} is not the authorization page, ${expected}`, "/url");
};

export const signInHandlers = (context: ControlContext) => {
  const { accounts, clients, grants } = context.state;
  return HttpApiBuilder.group(ControlApi, "signIn", (handlers) =>
    handlers.handleAll({
      authorize: ({ payload, request }) =>
        authorize(
          context,
          payload,
          Option.getOrElse(request.remoteAddress, () => ""),
        ),
      tokens: () => Effect.sync(() => listTokens(context)),
      issue: ({ payload }) => attempt(() => issue(context, payload)),
      revoke: ({ params: { id } }) =>
        Effect.suspend(() =>
          grants.revokeGrant(id) ? Effect.void : notThere(`there is no grant ${id}`),
        ),
      clients: () =>
        Effect.sync(() => ({
          clients: clients.all().map(({ secretHash: _secretHash, ...shown }) => shown),
        })),
      register: ({ payload }) => attempt(() => clients.register(payload)),
      accounts: () =>
        Effect.sync(() => ({ accounts: accounts.all.map(({ name, uuid }) => ({ name, uuid })) })),
    }),
  );
};

/**
 * A view of the world for people and tests: any GET of the data API as any account, without a
 * token, a rate limit, a fault or an entry in the journal.
 */
const look = Effect.fnUntraced(function* (
  { state, server }: ControlContext,
  { account: wanted, path: url }: { readonly path?: string; readonly account?: string },
) {
  const account = yield* attempt(() => {
    if (url === undefined) rejected("name a path of the data API: ?path=/league", "?path");
    const name = wanted ?? state.accounts.all[0]!.name;
    return state.accounts.byUuid(uuidOf(state.accounts, name, "?account"))!;
  });
  const [path, query] = splitUrl(url ?? "");
  const match = findEndpoint("data", "GET", path);
  if (match === undefined) return yield* notThere(`the data API has no GET ${path}`);
  const identity = {
    clientId: "",
    kind: "confidential",
    grantType: "authorization_code",
    sub: account.uuid,
    username: account.name,
    scopes: match.scopes,
  } as const;
  return yield* server
    .answerData({
      listener: "data",
      method: "GET",
      path,
      query,
      headers: {},
      body: new Uint8Array(),
      connection: { id: "control", ip: "" },
      match,
      now: state.clock.now(),
      credentials: { isBearer: true, tokenHash: undefined, identity },
      facts: noFacts(),
    })
    .pipe(Effect.catch(Respondable.toResponse));
});

export const worldHandlers = (context: ControlContext) =>
  HttpApiBuilder.group(ControlApi, "world", (handlers) =>
    handlers.handleAll({ look: ({ query }) => look(context, query) }),
  );

export const healthHandlers = ({ state }: ControlContext) =>
  HttpApiBuilder.group(ControlApi, "health", (handlers) =>
    handlers.handleAll({
      ready: () =>
        Effect.sync(() => {
          const { authUrl, baseUrl, controlUrl, seed } = state.config;
          return { ready: true, seed, authUrl, baseUrl, controlUrl };
        }),
      health: () => Effect.succeed({ status: "ok" }),
    }),
  );
