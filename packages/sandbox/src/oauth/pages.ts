/**
 * The pages of the OAuth server: `/oauth/authorize`, sign-in, consent and sign-out (§4.1), and
 * `/my/applications`, where a person reviews and revokes the access of applications (§3, §5).
 */
import * as Effect from "effect/Effect";
import * as Response from "effect/http/HttpServerResponse";
import type { SandboxState } from "../State.ts";
import type { Exchange } from "../http/Exchange.ts";
import type { Facts } from "../journal/JournalEntry.ts";
import { validateAuthorizeRequest } from "./authorizeRequest.ts";
import { type Browsers, makeBrowsers, type Session } from "./Browsers.ts";
import { type Consents, type Decision, makeConsents, type PendingRequest } from "./Consents.ts";
import { parseForm } from "./form.ts";
import { type ApplicationEntry, applicationsPage, consentPage, signInPage } from "./markup.ts";
import { type OAuthFailure, refuse } from "./OAuthFailure.ts";
import { GONE, messageResponse, pageResponse, PRIVATE, seeOther } from "./pageResponse.ts";

type Handler = (exchange: Exchange) => Effect.Effect<Response.HttpServerResponse, OAuthFailure>;
type Form = ReadonlyMap<string, string>;

const DENY: Decision = { allow: false };
const FORM_REFUSED = messageResponse(
  403,
  "This form was not accepted",
  "It did not come from a page that this browser was shown. Go back and load the page again.",
);
const FAILED = messageResponse(
  500,
  "Something went wrong",
  "The sandbox failed to answer. Its log says why.",
);

/** The id of the pending request that a form names. */
const requestOf = (values: Form): string => values.get("request") ?? "";

/** The path that a form leads to: only ever one of two pages of this server. */
const onward = (id: string): string =>
  id === "" ? "/my/applications" : `/oauth/consent?request=${encodeURIComponent(id)}`;

export const makePages = (state: SandboxState, forgesState: () => boolean) => {
  const browsers = makeBrowsers(state);
  const consents = makeConsents(state, forgesState);
  const authorization = authorizationPages(state, browsers, consents);
  const handlers: Readonly<Record<string, Handler>> = {
    "GET /oauth/authorize": authorization.authorize,
    "GET /oauth/consent": authorization.resume,
    "POST /oauth/consent": authorization.decide,
    ...signInPages(state, browsers),
    ...applicationPages(state, browsers),
  };
  return (exchange: Exchange) => {
    const method = exchange.method === "HEAD" ? "GET" : exchange.method;
    return handlers[`${method} ${exchange.path}`]!(exchange).pipe(
      Effect.catchTag("OAuthFailure", () => Effect.succeed(FORM_REFUSED)),
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("the OAuth server failed", defect), FAILED),
      ),
    );
  };
};

/** The page that a request needs next: sign-in, or consent. */
const nextPage = (
  { accounts }: SandboxState,
  browsers: Browsers,
  pending: PendingRequest,
  session: Session,
): Response.HttpServerResponse => {
  const account = session.sub === undefined ? undefined : accounts.byUuid(session.sub);
  const csrf = browsers.csrfOf(session);
  const response =
    account === undefined
      ? pageResponse(signInPage(accounts.all, csrf, pending.id))
      : pageResponse(consentPage(pending, account, csrf), { leadsTo: pending.redirectUri });
  return browsers.withSession(response, session);
};

/** Answers a request in a person's name, on the page or for the control plane. */
const decided = (
  { accounts, grants }: SandboxState,
  consents: Consents,
  facts: Facts,
  { decision, pending }: { readonly pending: PendingRequest; readonly decision: Decision },
): Response.HttpServerResponse => {
  const redirect = consents.answer(pending.id, decision);
  if (redirect === undefined) return GONE;
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

const authorizationPages = (state: SandboxState, browsers: Browsers, consents: Consents) => {
  const authorize: Handler = (exchange) =>
    Effect.sync(() => {
      const { actor, facts } = exchange;
      const { clients } = state;
      const query = parseForm(exchange.query);
      facts.client ??= clients.byId(query?.values.get("client_id") ?? "")?.clientId;
      facts.state = query?.values.get("state");
      facts.challenge = query?.values.get("code_challenge");
      facts.challengeMethod = query?.values.get("code_challenge_method");
      if (state.platform.sha256(facts.state ?? "", "base64url") === facts.challenge)
        facts.misplaced.push("the code_verifier as state");
      const result = validateAuthorizeRequest(query, clients);
      if (result._tag === "Refused")
        return actor === undefined
          ? messageResponse(400, "This request cannot be answered", result.because)
          : Response.jsonUnsafe({ reason: result.because }, { status: 400, headers: PRIVATE });
      if (result._tag === "Failed")
        return seeOther(consents.failureRedirect(result, result.reason));
      const pending = consents.open(result.request);
      return actor === undefined
        ? nextPage(state, browsers, pending, browsers.sessionOf(exchange))
        : decided(state, consents, facts, {
            pending,
            decision: actor.deny ? DENY : { allow: true, sub: actor.sub },
          });
    });

  const resume: Handler = (exchange) =>
    Effect.sync(() => {
      const pending = consents.pending(requestOf(parseForm(exchange.query)?.values ?? new Map()));
      return pending?.answeredAt === null
        ? nextPage(state, browsers, pending, browsers.sessionOf(exchange))
        : GONE;
    });

  const decide: Handler = Effect.fnUntraced(function* (exchange) {
    const { session, values } = yield* browsers.ownForm(
      exchange,
      ["request", "decision"],
      (form) => `consent:${requestOf(form)}`,
    );
    const decision = values.get("decision");
    if (session.sub === undefined || (decision !== "allow" && decision !== "deny"))
      return yield* refuse("FormForged");
    const pending = consents.pending(requestOf(values));
    if (pending === undefined) return GONE;
    return decided(state, consents, exchange.facts, {
      pending,
      decision: decision === "allow" ? { allow: true, sub: session.sub } : DENY,
    });
  });

  return { authorize, resume, decide };
};

/** The accounts of a sandbox have no passwords. */
const signInPages = (
  { accounts }: SandboxState,
  browsers: Browsers,
): Readonly<Record<string, Handler>> => ({
  "POST /sign-in": Effect.fnUntraced(function* (exchange) {
    const { session, values } = yield* browsers.ownForm(
      exchange,
      ["request", "account"],
      (form) => `sign-in:${requestOf(form)}`,
    );
    const id = requestOf(values);
    const account = accounts.byName(values.get("account") ?? "");
    return account === undefined
      ? pageResponse(signInPage(accounts.all, browsers.csrfOf(session), id), { status: 400 })
      : browsers.withSession(seeOther(onward(id)), browsers.replace(session, account.uuid));
  }),
  "POST /sign-out": Effect.fnUntraced(function* (exchange) {
    const { session, values } = yield* browsers.ownForm(exchange, ["request"], () => "sign-out");
    return browsers.withSession(
      seeOther(onward(requestOf(values))),
      browsers.replace(session, undefined),
    );
  }),
});

const applicationPages = (
  { accounts, clients, grants, store }: SandboxState,
  browsers: Browsers,
): Readonly<Record<string, Handler>> => {
  /** The applications that hold tokens of an account. */
  const entriesOf = (sub: string): ReadonlyArray<ApplicationEntry> =>
    grants.ofAccount(sub).flatMap((grant): ReadonlyArray<ApplicationEntry> => {
      const client = clients.byId(grant.clientId);
      const tokens = grants.liveTokens(grant.id);
      return client === undefined || tokens.length === 0 ? [] : [{ client, grant, tokens }];
    });
  return {
    "GET /my/applications": (exchange) =>
      Effect.sync(() => {
        const session = browsers.sessionOf(exchange);
        const account = session.sub === undefined ? undefined : accounts.byUuid(session.sub);
        const csrf = browsers.csrfOf(session);
        const body =
          account === undefined
            ? signInPage(accounts.all, csrf, "")
            : applicationsPage(account, csrf, entriesOf(account.uuid));
        return browsers.withSession(pageResponse(body), session);
      }),
    /** Revokes a token by its hash, or a grant with all its tokens. */
    "POST /my/applications/revoke": Effect.fnUntraced(function* (exchange) {
      const { session, values } = yield* browsers.ownForm(
        exchange,
        ["what", "id"],
        () => "applications",
      );
      const { sub } = session;
      if (sub === undefined) return yield* refuse("FormForged");
      const id = values.get("id");
      store.transact(() => {
        for (const { grant, tokens } of entriesOf(sub)) {
          if (values.get("what") === "grant" && grant.id === id) grants.revokeGrant(grant.id);
          const token = tokens.find(({ hash }) => hash === id);
          if (token !== undefined) grants.revoke(token);
        }
      });
      return seeOther("/my/applications");
    }),
  };
};
