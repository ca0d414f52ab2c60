/**
 * The pages of the OAuth server over HTTP: `/oauth/authorize`, sign-in, consent, sign-out (§4.1),
 * and `/my/applications`, where a person reviews and revokes what applications hold (§3, §5).
 */
import type { SandboxConfig } from "../Config.ts";
import { empty, json, queryOf, type ResponseOutput } from "../http/messages.ts";
import type { Handler, RequestContext, Route } from "../http/Router.ts";
import type { Log } from "../internal/log.ts";
import type { Facts } from "../journal/JournalEntry.ts";
import type { Platform } from "../platform/Platform.ts";
import { validateAuthorizeRequest } from "./authorizeRequest.ts";
import { Browsers } from "./Browsers.ts";
import type { Decision, PendingRequest } from "./Consents.ts";
import { parseForm } from "./formBody.ts";
import type { OAuthServer } from "./OAuthServer.ts";
import { makePageResponses, type PageResponses, PRIVATE, seeOther } from "./pageResponses.ts";
import { type ApplicationEntry, applicationsPage, consentPage, signInPage } from "./Pages.ts";
import type { Session } from "./Sessions.ts";

/** What the handlers of the pages work with. */
interface Site {
  readonly server: OAuthServer;
  readonly browsers: Browsers;
  readonly responses: PageResponses;
}

type PageHandler = (site: Site, context: RequestContext) => ResponseOutput;

/** The routes of the pages. */
export const pageRoutes = (deps: {
  readonly server: OAuthServer;
  readonly config: SandboxConfig;
  readonly platform: Platform;
  readonly log: Log;
}): ReadonlyArray<Route> => {
  const { config, log, platform, server } = deps;
  const browsers = new Browsers(config.authUrl, server.sessions);
  const responses = makePageResponses(platform);
  const site: Site = { server, browsers, responses };

  /** A handler whose failures are a page, and a line of the log. */
  const handled =
    (handle: PageHandler): Handler =>
    (context) => {
      try {
        return handle(site, context);
      } catch (cause) {
        log("the OAuth server failed", cause);
        return responses.message(
          500,
          "Something went wrong",
          "The sandbox failed to answer. Its log says why.",
        );
      }
    };
  const get = (template: string, handle: PageHandler): Route => ({
    method: "GET",
    template,
    handle: handled(handle),
  });
  const post = (template: string, handle: PageHandler): Route => ({
    method: "POST",
    template,
    handle: handled(handle),
  });
  return [
    { ...get("/oauth/authorize", authorize), name: "oauth.authorize" },
    { method: "POST", template: "/oauth/authorize", handle: () => empty(405, { allow: "GET" }) },
    get("/oauth/consent", resume),
    post("/oauth/consent", decide),
    post("/sign-in", signIn),
    post("/sign-out", signOut),
    get("/my/applications", applications),
    post("/my/applications/revoke", revoke),
  ];
};

const authorize: PageHandler = (site, { facts, request }) => {
  const { clients, consents } = site.server;
  const query = parseForm(queryOf(request.url));
  facts.client ??= clients.byId(query?.values.get("client_id") ?? "")?.clientId;
  facts.state = query?.values.get("state");
  facts.challenge = query?.values.get("code_challenge");
  facts.challengeMethod = query?.values.get("code_challenge_method");
  const result = validateAuthorizeRequest(query, clients);
  if (result._tag === "Refused")
    return request.actor === undefined
      ? site.responses.message(400, "This request cannot be answered", result.because)
      : json({ reason: result.because }, 400, PRIVATE);
  if (result._tag === "Failed")
    return seeOther(consents.failureRedirect(result.redirectUri, result.state, result.reason));
  const pending = consents.open(result.request);
  const { actor } = request;
  if (actor === undefined) return ask(site, pending, site.browsers.sessionOf(request));
  const decision: Decision = actor.deny ? { allow: false } : { allow: true, sub: actor.sub };
  return decided(site, facts, pending, decision);
};

/** The account that is signed in. */
const accountOf = ({ server }: Site, { sub }: Session) =>
  sub === undefined ? undefined : server.accounts.byUuid(sub);

/** The page that the request needs next: who are you, or do you agree. */
const ask = (site: Site, pending: PendingRequest, session: Session): ResponseOutput => {
  const { browsers, responses, server } = site;
  const account = accountOf(site, session);
  const forms = browsers.formsOf(session);
  const response =
    account === undefined
      ? responses.page(signInPage(server.accounts.all, forms, pending.id))
      : responses.page(consentPage(pending, account, forms), 200, pending.redirectUri);
  return browsers.withSession(response, session);
};

/** Answers a request in a person's name, on the page or for the control plane. */
const decided = (
  { responses, server }: Site,
  facts: Facts,
  pending: PendingRequest,
  decision: Decision,
): ResponseOutput => {
  const redirect = server.consents.answer(pending.id, decision);
  if (redirect === undefined) return responses.gone();
  const back = new URL(redirect).searchParams;
  const code = back.get("code");
  facts.client = pending.client.clientId;
  facts.state = pending.state;
  facts.challenge = pending.challenge;
  facts.scopes = pending.scopes;
  if (decision.allow) facts.account = server.accounts.byUuid(decision.sub)?.name;
  if (code !== null) facts.issued.push({ kind: "code", hash: server.grants.hash(code) });
  facts.isForged = back.get("state") !== (pending.state ?? null);
  return seeOther(redirect);
};

const resume: PageHandler = (site, { request }) => {
  const id = parseForm(queryOf(request.url))?.values.get("request") ?? "";
  const pending = site.server.consents.pending(id);
  return pending === undefined || pending.answeredAt !== null
    ? site.responses.gone()
    : ask(site, pending, site.browsers.sessionOf(request));
};

const requestOf = (values: ReadonlyMap<string, string>): string => values.get("request") ?? "";

const decide: PageHandler = (site, { facts, request }) => {
  const form = site.browsers.ownForm(
    request,
    ["request", "decision"],
    (values) => `consent:${requestOf(values)}`,
  );
  const sub = form?.session.sub;
  const decision = form?.values.get("decision");
  if (form === undefined || sub === undefined || (decision !== "allow" && decision !== "deny"))
    return site.responses.csrfError();
  const pending = site.server.consents.pending(requestOf(form.values));
  return pending === undefined
    ? site.responses.gone()
    : decided(site, facts, pending, decision === "allow" ? { allow: true, sub } : { allow: false });
};

/** The sandbox's accounts have no passwords. */
const signIn: PageHandler = ({ browsers, responses, server }, { request }) => {
  const form = browsers.ownForm(
    request,
    ["request", "account"],
    (values) => `sign-in:${requestOf(values)}`,
  );
  if (form === undefined) return responses.csrfError();
  const { session, values } = form;
  const id = requestOf(values);
  const account = server.accounts.byName(values.get("account") ?? "");
  if (account === undefined)
    return responses.page(signInPage(server.accounts.all, browsers.formsOf(session), id), 400);
  return browsers.withSession(
    seeOther(browsers.prefix + onward(id)),
    server.sessions.signIn(session, account.uuid),
  );
};

const signOut: PageHandler = ({ browsers, responses, server }, { request }) => {
  const form = browsers.ownForm(request, ["request"], () => "sign-out");
  if (form === undefined) return responses.csrfError();
  server.sessions.end(form.session.secret);
  return browsers.withSession(
    seeOther(browsers.prefix + onward(requestOf(form.values))),
    server.sessions.start(undefined),
  );
};

const applications: PageHandler = (site, { request }) => {
  const { browsers, responses, server } = site;
  const session = browsers.sessionOf(request);
  const account = accountOf(site, session);
  const forms = browsers.formsOf(session);
  const markup =
    account === undefined
      ? signInPage(server.accounts.all, forms, "")
      : applicationsPage({ account, forms, entries: entriesOf(server, account.uuid) });
  return browsers.withSession(responses.page(markup), session);
};

/** Revokes a token by its hash, or all that refers to a grant. */
const revoke: PageHandler = ({ browsers, responses, server }, { request }) => {
  const form = browsers.ownForm(request, ["what", "id"], () => "applications");
  const sub = form?.session.sub;
  if (form === undefined || sub === undefined) return responses.csrfError();
  const { grants } = server;
  const id = form.values.get("id");
  for (const { grant, tokens } of entriesOf(server, sub)) {
    if (form.values.get("what") === "grant" && grant.id === id) grants.revokeGrant(grant.id);
    const token = tokens.find(({ hash }) => hash === id);
    if (token?.kind === "access") grants.revokeAccess(token.hash);
    if (token?.kind === "refresh") grants.revokeGrant(grant.id);
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
