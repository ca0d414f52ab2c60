/**
 * The pages of the OAuth server over HTTP: `/oauth/authorize`, sign-in, consent, sign-out (§4.1),
 * and `/my/applications`, where a person reviews and revokes what applications hold (§3, §5).
 */
import { empty, json, queryOf, type ResponseOutput } from "../http/messages.ts";
import type { RequestContext, Route } from "../http/Router.ts";
import type { Log } from "../internal/log.ts";
import type { Facts } from "../journal/JournalEntry.ts";
import { validateAuthorizeRequest } from "./authorizeRequest.ts";
import type { Session } from "./Browsers.ts";
import type { Decision, PendingRequest } from "./Consents.ts";
import { parseForm } from "./formBody.ts";
import { OAuthFailure, refuse } from "./OAuthErrors.ts";
import type { OAuthServer } from "./OAuthServer.ts";
import {
  type ApplicationEntry,
  applicationsPage,
  consentPage,
  gone,
  messageResponse,
  pageResponse,
  PRIVATE,
  seeOther,
  signInPage,
} from "./Pages.ts";

type PageHandler = (server: OAuthServer, context: RequestContext) => ResponseOutput;

export const pageRoutes = (server: OAuthServer, log: Log): ReadonlyArray<Route> => {
  const route = (method: string, template: string, handle: PageHandler): Route => ({
    method,
    template,
    handle: (context) => {
      try {
        return handle(server, context);
      } catch (cause) {
        if (cause instanceof OAuthFailure) return FORM_REFUSED;
        log("the OAuth server failed", cause);
        return messageResponse(
          500,
          "Something went wrong",
          "The sandbox failed to answer. Its log says why.",
        );
      }
    },
  });
  return [
    { ...route("GET", "/oauth/authorize", authorize), name: "oauth.authorize" },
    route("POST", "/oauth/authorize", () => empty(405, { allow: "GET" })),
    route("GET", "/oauth/consent", resume),
    route("POST", "/oauth/consent", decide),
    route("POST", "/sign-in", signIn),
    route("POST", "/sign-out", signOut),
    route("GET", "/my/applications", applications),
    route("POST", "/my/applications/revoke", revoke),
  ];
};

const FORM_REFUSED = messageResponse(
  403,
  "This form was not accepted",
  "It did not come from a page that this browser was shown. Go back and load the page again.",
);

const authorize: PageHandler = (server, { facts, request }) => {
  const { browsers, clients, consents } = server;
  const query = parseForm(queryOf(request.url));
  facts.client ??= clients.byId(query?.values.get("client_id") ?? "")?.clientId;
  facts.state = query?.values.get("state");
  facts.challenge = query?.values.get("code_challenge");
  facts.challengeMethod = query?.values.get("code_challenge_method");
  const result = validateAuthorizeRequest(query, clients);
  if (result._tag === "Refused")
    return request.actor === undefined
      ? messageResponse(400, "This request cannot be answered", result.because)
      : json({ reason: result.because }, 400, PRIVATE);
  if (result._tag === "Failed") return seeOther(consents.failureRedirect(result, result.reason));
  const pending = consents.open(result.request);
  const { actor } = request;
  if (actor === undefined) return ask(server, pending, browsers.sessionOf(request));
  return decided(server, facts, pending, actor.deny ? DENY : { allow: true, sub: actor.sub });
};

const DENY: Decision = { allow: false };

const accountOf = ({ accounts }: OAuthServer, { sub }: Session) =>
  sub === undefined ? undefined : accounts.byUuid(sub);

/** The page that the request needs next: who are you, or do you agree. */
const ask = (server: OAuthServer, pending: PendingRequest, session: Session): ResponseOutput => {
  const account = accountOf(server, session);
  const forms = server.browsers.formsOf(session);
  return server.browsers.withSession(
    account === undefined
      ? pageResponse(signInPage(server.accounts.all, forms, pending.id))
      : pageResponse(consentPage(pending, account, forms), 200, pending.redirectUri),
    session,
  );
};

/** Answers a request in a person's name, on the page or for the control plane. */
const decided = (
  { accounts, consents, grants }: OAuthServer,
  facts: Facts,
  pending: PendingRequest,
  decision: Decision,
): ResponseOutput => {
  const redirect = consents.answer(pending.id, decision);
  if (redirect === undefined) return gone();
  const back = new URL(redirect).searchParams;
  const code = back.get("code");
  facts.client = pending.client.clientId;
  facts.state = pending.state;
  facts.challenge = pending.challenge;
  facts.scopes = pending.scopes;
  if (decision.allow) facts.account = accounts.byUuid(decision.sub)?.name;
  if (code !== null) facts.issued.push({ kind: "code", hash: grants.hash(code) });
  facts.isForged = back.get("state") !== pending.state;
  return seeOther(redirect);
};

const resume: PageHandler = (server, { request }) => {
  const id = parseForm(queryOf(request.url))?.values.get("request") ?? "";
  const pending = server.consents.pending(id);
  return pending?.answeredAt === null
    ? ask(server, pending, server.browsers.sessionOf(request))
    : gone();
};

const requestOf = (values: ReadonlyMap<string, string>): string => values.get("request") ?? "";

const decide: PageHandler = (server, { facts, request }) => {
  const { session, values } = server.browsers.ownForm(
    request,
    ["request", "decision"],
    (form) => `consent:${requestOf(form)}`,
  );
  const sub = session.sub ?? refuse("FormForged");
  const decision = values.get("decision");
  if (decision !== "allow" && decision !== "deny") refuse("FormForged");
  const pending = server.consents.pending(requestOf(values));
  return pending === undefined
    ? gone()
    : decided(server, facts, pending, decision === "allow" ? { allow: true, sub } : DENY);
};

/** The sandbox's accounts have no passwords. */
const signIn: PageHandler = ({ accounts, browsers }, { request }) => {
  const { session, values } = browsers.ownForm(
    request,
    ["request", "account"],
    (form) => `sign-in:${requestOf(form)}`,
  );
  const id = requestOf(values);
  const account = accounts.byName(values.get("account") ?? "");
  return account === undefined
    ? pageResponse(signInPage(accounts.all, browsers.formsOf(session), id), 400)
    : browsers.withSession(
        seeOther(browsers.prefix + onward(id)),
        browsers.replace(session, account.uuid),
      );
};

const signOut: PageHandler = ({ browsers }, { request }) => {
  const { session, values } = browsers.ownForm(request, ["request"], () => "sign-out");
  return browsers.withSession(
    seeOther(browsers.prefix + onward(requestOf(values))),
    browsers.replace(session, undefined),
  );
};

const applications: PageHandler = (server, { request }) => {
  const { accounts, browsers } = server;
  const session = browsers.sessionOf(request);
  const account = accountOf(server, session);
  const forms = browsers.formsOf(session);
  const markup =
    account === undefined
      ? signInPage(accounts.all, forms, "")
      : applicationsPage(account, forms, entriesOf(server, account.uuid));
  return browsers.withSession(pageResponse(markup), session);
};

/** Revokes a token by its hash, or all that refers to a grant. */
const revoke: PageHandler = (server, { request }) => {
  const { browsers, grants } = server;
  const { session, values } = browsers.ownForm(request, ["what", "id"], () => "applications");
  const id = values.get("id");
  for (const { grant, tokens } of entriesOf(server, session.sub ?? refuse("FormForged"))) {
    if (values.get("what") === "grant" && grant.id === id) grants.revokeGrant(grant.id);
    const token = tokens.find(({ hash }) => hash === id);
    if (token !== undefined) grants.revoke(token);
  }
  return seeOther(`${browsers.prefix}/my/applications`);
};

/** Lists the applications that hold tokens of an account that would be accepted now. */
const entriesOf = (
  { clients, grants }: OAuthServer,
  sub: string,
): ReadonlyArray<ApplicationEntry> =>
  grants.ofAccount(sub).flatMap((grant): ReadonlyArray<ApplicationEntry> => {
    const client = clients.byId(grant.clientId);
    const tokens = grants.liveTokens(grant.id);
    return client === undefined || tokens.length === 0 ? [] : [{ client, grant, tokens }];
  });

/** Returns the path that a form leads to: only ever one of two pages of ours. */
const onward = (id: string): string =>
  id === "" ? "/my/applications" : `/oauth/consent?request=${encodeURIComponent(id)}`;
