/** Accounts, applications, grants and tokens on the control plane. */
import type { Core } from "../Core.ts";
import type { RegisteredClient } from "../clients/Clients.ts";
import { controlError } from "../http/fallbacks.ts";
import { makeHostCheck } from "../http/hostCheck.ts";
import { json, queryOf } from "../http/messages.ts";
import { isoInstant } from "../internal/instants.ts";
import type { Service } from "../Service.ts";
import { AuthorizeBody, ClientBody, TokensBody } from "./documents.ts";
import { checkNames } from "./names.ts";
import {
  checked,
  type ControlHandler,
  type ControlRoute,
  NO_STORE,
  readJson,
  rejected,
  route,
} from "./requests.ts";

/** Routes of accounts, applications and tokens. */
export const accessRoutes = (core: Core, service: Service): ReadonlyArray<ControlRoute> => {
  const { oauth } = service;
  const listTokens: ControlHandler = () =>
    json({
      grants: core.accounts.all.flatMap(({ name, uuid }) =>
        oauth.grants.ofAccount(uuid).map((grant) => ({
          account: name,
          id: grant.id,
          clientId: grant.clientId,
          grantType: grant.grantType,
          scopes: grant.scopes,
          createdAt: isoInstant(grant.createdAt),
          tokens: oauth.grants.liveTokens(grant.id).map((token) => ({
            kind: token.kind,
            prefix: token.prefix,
            hash: token.hash,
            expiresAt: token.expiresAt === null ? null : isoInstant(token.expiresAt),
          })),
        })),
      ),
    });

  const register: ControlHandler = (request) =>
    json(core.clients.register(checked(ClientBody, readJson(request))), 201, NO_STORE);

  const issue: ControlHandler = (request) => {
    const body = checked(TokensBody, readJson(request));
    checkNames(core, body, "");
    const answer = oauth.issue(body);
    return "refused" in answer ? rejected(answer.refused, answer.at) : json(answer, 200, NO_STORE);
  };

  return [
    route("POST", "/control/authorize", authorizeAs(core, service)),
    route("GET", "/control/tokens", listTokens),
    route("POST", "/control/tokens", issue),
    route("DELETE", "/control/grants/:id", (_, { id = "" }) =>
      oauth.grants.revokeGrant(id) ? undefined : controlError(`there is no grant ${id}`, 404),
    ),
    route("GET", "/control/clients", () =>
      json({
        clients: core.clients.all().map(withoutSecret),
      }),
    ),
    route("POST", "/control/clients", register),
    route("GET", "/control/accounts", () =>
      json({ accounts: core.accounts.all.map(({ name, uuid }) => ({ name, uuid })) }),
    ),
  ];
};

/**
 * Plays the person: sends the authorization request through the pipeline as a browser would, with
 * the person's decision beside it. The journal, faults and limits see it like any other request.
 */
const authorizeAs =
  (core: Core, { auth, oauth }: Service): ControlHandler =>
  (request) => {
    const body = checked(AuthorizeBody, readJson(request));
    checkNames(core, body, "");
    checkAuthorizeUrl(core, body.url);
    const person = oauth.person(body.account)!;
    const {
      body: said,
      headers,
      onEnd,
      status,
    } = auth({
      method: "GET",
      url: `/oauth/authorize?${queryOf(body.url.split("#")[0]!)}`,
      header: (name) => (name === "host" ? new URL(core.config.authUrl).host : undefined),
      body: new Uint8Array(),
      ip: request.ip,
      connection: "control",
      hasSocket: false,
      listener: "auth",
      actor: { sub: person.uuid, deny: body.deny ?? false },
    });
    onEnd?.({ bytes: 0, isWhole: true, isAnswered: true });
    const redirect = headers["location"];
    if (redirect !== undefined) return json({ redirect }, 200, NO_STORE);
    const isRefusal = status === 400 && headers["content-type"] === "application/json";
    const { reason } = isRefusal
      ? (JSON.parse(String(said)) as { readonly reason: string })
      : { reason: `the authorization request was answered ${status}` };
    return rejected(reason, "/url");
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

const withoutSecret = (client: RegisteredClient): Omit<RegisteredClient, "secretHash"> => {
  const { secretHash: _secretHash, ...shown } = client;
  return shown;
};
