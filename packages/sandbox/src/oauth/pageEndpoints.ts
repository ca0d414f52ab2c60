/**
 * The pages of the OAuth server over HTTP: `/oauth/authorize`, sign-in, consent, sign-out (§4.1),
 * and `/my/applications`, where a person reviews and revokes what applications hold (§3, §5).
 */
import type { SandboxConfig } from "../Config.ts";
import {
  empty,
  type Headers,
  json,
  queryOf,
  type RequestInput,
  type ResponseOutput,
  withHeaders,
} from "../http/messages.ts";
import type { Handler, RequestContext, Route } from "../http/Router.ts";
import type { Log } from "../internal/log.ts";
import type { Platform } from "../platform/Platform.ts";
import { validateAuthorizeRequest } from "./authorizeRequest.ts";
import type { Facts } from "../journal/JournalEntry.ts";
import type { Decision, PendingRequest } from "./Consents.ts";
import { parseForm, readForm } from "./formBody.ts";
import { styleSource } from "./Html.ts";
import { OAuthFailure } from "./OAuthErrors.ts";
import type { OAuthServer } from "./OAuthServer.ts";
import {
  type ApplicationEntry,
  applicationsPage,
  consentPage,
  type Forms,
  messagePage,
  signInPage,
} from "./Pages.ts";
import type { Session } from "./Sessions.ts";

/** The routes of the pages. */
export const pageRoutes = (deps: {
  readonly server: OAuthServer;
  readonly config: SandboxConfig;
  readonly platform: Platform;
  readonly log: Log;
}): ReadonlyArray<Route> => {
  const { config, log, platform, server } = deps;
  const { accounts, clients, consents, grants, sessions } = server;
  const { origin, pathname, port } = new URL(config.authUrl);
  /** The path of a world; empty where the server has an address of its own. */
  const prefix = pathname.replace(/\/$/u, "");
  /** Browsers share cookies among the ports of a host: the name tells the sandboxes apart. */
  const cookieName = `sandbox_session_${port || "0"}`;
  const isSecure = config.authUrl.startsWith("https:");

  /**
   * A page: never stored, never framed, no foreign resource, no referrer (RFC 9700 §4.16, §4.2.4).
   *
   * Chromium applies `form-action` to the redirect that answers the form as well, so the page names
   * where it may lead.
   */
  const page = (markup: string, status = 200, leadsTo?: string): ResponseOutput => ({
    status,
    body: markup,
    headers: {
      ...PRIVATE,
      "content-type": "text/html; charset=utf-8",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "content-security-policy": [
        "default-src 'none'",
        `style-src ${styleSource(platform)}`,
        `form-action 'self'${leadsTo === undefined ? "" : ` ${cspSource(leadsTo)}`}`,
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ].join("; "),
    },
  });

  const message = (status: number, title: string, sentence: string): ResponseOutput =>
    page(messagePage(title, sentence), status);
  const gone = (): ResponseOutput =>
    message(
      400,
      "This request is over",
      "It was answered already, or waited too long. Start again in the application.",
    );
  /** The response to a form that did not come from a page of this server. */
  const csrfError = (): ResponseOutput =>
    message(
      403,
      "This form was not accepted",
      "It did not come from a page that this browser was shown. Go back and load the page again.",
    );

  const formsOf = (session: Session): Forms => ({
    prefix,
    csrf: (purpose) => sessions.csrfToken(session, purpose),
  });

  /** The session of the request's cookie, or a new one that the response then has to carry. */
  const sessionOf = (request: RequestInput): Session =>
    sessions.find(cookieOf(request, cookieName)) ?? sessions.start(undefined);

  /** Puts the session's cookie on a response: out of reach of scripts and of foreign forms. */
  const withSession = (response: ResponseOutput, session: Session): ResponseOutput =>
    withHeaders(response, {
      "set-cookie": `${cookieName}=${session.secret}; Path=${prefix}/; HttpOnly${isSecure ? "; Secure" : ""}; SameSite=Lax`,
    });

  /**
   * Whether a form was sent by one of our pages. Pages without referrer send `Origin: null` (Fetch
   * §3.2); then the browser's `Sec-Fetch-Site` decides. A client without either is no browser.
   */
  const isSameOriginForm = (request: RequestInput): boolean => {
    const from = request.header("origin");
    const site = request.header("sec-fetch-site");
    if (site !== undefined && site !== "same-origin") return false;
    if (from === undefined) return true;
    return from === "null" ? site === "same-origin" : from === origin;
  };

  /** A form that came from a page of ours, and the session that sent it. */
  const ownForm = (request: RequestInput, known: ReadonlyArray<string>) => {
    if (!isSameOriginForm(request)) return undefined;
    const form = readForm(request, known);
    if (form instanceof OAuthFailure) return undefined;
    return { values: form.values, session: sessionOf(request) };
  };

  /** The page that the request needs next: who are you, or do you agree. */
  const ask = (pending: PendingRequest, session: Session): ResponseOutput => {
    const account = session.sub === undefined ? undefined : accounts.byUuid(session.sub);
    const response =
      account === undefined
        ? page(signInPage(accounts.all, formsOf(session), pending.id))
        : page(consentPage(pending, account, formsOf(session)), 200, pending.redirectUri);
    return withSession(response, session);
  };

  const authorize = ({ facts, request }: RequestContext): ResponseOutput => {
    const query = parseForm(queryOf(request.url));
    facts.client ??= clients.byId(query?.values.get("client_id") ?? "")?.clientId;
    facts.state = query?.values.get("state");
    facts.challenge = query?.values.get("code_challenge");
    facts.challengeMethod = query?.values.get("code_challenge_method");
    const result = validateAuthorizeRequest(query, clients);
    if (result._tag === "Refused")
      return request.actor === undefined
        ? message(400, "This request cannot be answered", result.because)
        : json({ reason: result.because }, 400, PRIVATE);
    if (result._tag === "Failed")
      return seeOther(consents.failureRedirect(result.redirectUri, result.state, result.reason));
    const pending = consents.open(result.request);
    const { actor } = request;
    if (actor === undefined) return ask(pending, sessionOf(request));
    return decided(facts, pending, actor.deny ? { allow: false } : { allow: true, sub: actor.sub });
  };

  /** Answers a request in a person's name, on the page or for the control plane. */
  const decided = (facts: Facts, pending: PendingRequest, decision: Decision): ResponseOutput => {
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
    facts.isForged = back.get("state") !== (pending.state ?? null);
    return seeOther(redirect);
  };

  const resume = ({ request }: RequestContext): ResponseOutput => {
    const id = parseForm(queryOf(request.url))?.values.get("request") ?? "";
    const pending = consents.pending(id);
    if (pending === undefined || pending.answeredAt !== null) return gone();
    return ask(pending, sessionOf(request));
  };

  const decide = ({ facts, request }: RequestContext): ResponseOutput => {
    const form = ownForm(request, ["request", "csrf", "decision"]);
    if (form === undefined) return csrfError();
    const { session, values } = form;
    const id = values.get("request") ?? "";
    const decision = values.get("decision");
    if (!sessions.verifyCsrf(session, `consent:${id}`, values.get("csrf"))) return csrfError();
    if (session.sub === undefined || (decision !== "allow" && decision !== "deny"))
      return csrfError();
    const pending = consents.pending(id);
    if (pending === undefined) return gone();
    const { sub } = session;
    return decided(facts, pending, decision === "allow" ? { allow: true, sub } : { allow: false });
  };

  /** The sandbox's accounts have no passwords. */
  const signIn = ({ request }: RequestContext): ResponseOutput => {
    const form = ownForm(request, ["request", "csrf", "account"]);
    if (form === undefined) return csrfError();
    const { session, values } = form;
    const id = values.get("request") ?? "";
    if (!sessions.verifyCsrf(session, `sign-in:${id}`, values.get("csrf"))) return csrfError();
    const account = accounts.byName(values.get("account") ?? "");
    if (account === undefined) return page(signInPage(accounts.all, formsOf(session), id), 400);
    return withSession(seeOther(prefix + onward(id)), sessions.signIn(session, account.uuid));
  };

  const signOut = ({ request }: RequestContext): ResponseOutput => {
    const form = ownForm(request, ["request", "csrf"]);
    if (form === undefined) return csrfError();
    const { session, values } = form;
    if (!sessions.verifyCsrf(session, "sign-out", values.get("csrf"))) return csrfError();
    sessions.end(session.secret);
    return withSession(
      seeOther(prefix + onward(values.get("request") ?? "")),
      sessions.start(undefined),
    );
  };

  /** Lists the applications that hold tokens of an account that would be accepted now. */
  const entriesOf = (sub: string): ReadonlyArray<ApplicationEntry> =>
    grants.ofAccount(sub).flatMap((grant): ReadonlyArray<ApplicationEntry> => {
      const client = clients.byId(grant.clientId);
      const tokens = grants.liveTokens(grant.id);
      return client === undefined || tokens.length === 0 ? [] : [{ client, grant, tokens }];
    });

  const applications = ({ request }: RequestContext): ResponseOutput => {
    const session = sessionOf(request);
    const account = session.sub === undefined ? undefined : accounts.byUuid(session.sub);
    const forms = formsOf(session);
    const markup =
      account === undefined
        ? signInPage(accounts.all, forms, "")
        : applicationsPage({ account, forms, entries: entriesOf(account.uuid) });
    return withSession(page(markup), session);
  };

  /** Revokes a token by its hash, or all that refers to a grant. */
  const revoke = ({ request }: RequestContext): ResponseOutput => {
    const form = ownForm(request, ["what", "id", "csrf"]);
    if (form === undefined) return csrfError();
    const { session, values } = form;
    if (
      session.sub === undefined ||
      !sessions.verifyCsrf(session, "applications", values.get("csrf"))
    )
      return csrfError();
    const id = values.get("id");
    for (const { grant, tokens } of entriesOf(session.sub)) {
      if (values.get("what") === "grant" && grant.id === id) grants.revokeGrant(grant.id);
      const token = tokens.find(({ hash }) => hash === id);
      if (token?.kind === "access") grants.revokeAccess(token.hash);
      if (token?.kind === "refresh") grants.revokeGrant(grant.id);
    }
    return seeOther(`${prefix}/my/applications`);
  };

  /** A handler whose failures are a page, and a line of the log. */
  const handled =
    (handle: Handler): Handler =>
    (context) => {
      try {
        return handle(context);
      } catch (cause) {
        log("the OAuth server failed", cause);
        return message(
          500,
          "Something went wrong",
          "The sandbox failed to answer. Its log says why.",
        );
      }
    };

  const get = (template: string, handle: Handler, name?: string): Route => ({
    method: "GET",
    template,
    ...(name === undefined ? {} : { name }),
    handle: handled(handle),
  });
  const post = (template: string, handle: Handler): Route => ({
    method: "POST",
    template,
    handle: handled(handle),
  });
  return [
    get("/oauth/authorize", authorize, "oauth.authorize"),
    { method: "POST", template: "/oauth/authorize", handle: () => empty(405, { allow: "GET" }) },
    get("/oauth/consent", resume),
    post("/oauth/consent", decide),
    post("/sign-in", signIn),
    post("/sign-out", signOut),
    get("/my/applications", applications),
    post("/my/applications/revoke", revoke),
  ];
};

const PRIVATE: Headers = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "referrer-policy": "no-referrer",
};

/** 303: the browser goes on with GET, so that no form is sent on elsewhere (RFC 9700 §4.12). */
const seeOther = (location: string): ResponseOutput => empty(303, { ...PRIVATE, location });

/** Returns the path that a form leads to: only ever one of two pages of ours. */
const onward = (id: string): string =>
  id === "" ? "/my/applications" : `/oauth/consent?request=${encodeURIComponent(id)}`;

const cookieOf = (request: RequestInput, name: string): string | undefined => {
  for (const pair of (request.header("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name)
      return pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/u, "$1");
  }
  return undefined;
};

/**
 * The origin of a redirect URI as a CSP source; IPv6 literals have no form there, so their scheme
 * is used.
 */
const cspSource = (uri: string): string => {
  const { hostname, origin, protocol } = new URL(uri);
  return hostname.startsWith("[") ? protocol : origin;
};
