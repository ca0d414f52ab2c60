/**
 * The pages of the OAuth server: `/oauth/authorize`, sign-in, consent and sign-out (§4.1), and
 * `/my/applications`, where a person reviews and revokes the access of applications (§3, §5).
 */
import * as Effect from "effect/Effect";
import * as Response from "effect/http/HttpServerResponse";
import type { Exchange, Facts } from "../http/Exchange.ts";
import type { SandboxState } from "../State.ts";
import {
  type Consents,
  type Decision,
  makeConsents,
  type PendingRequest,
  validateAuthorizeRequest,
} from "./Consents.ts";
import { type Browsers, makeBrowsers, type Session } from "./Browsers.ts";
import { parseForm } from "../internal/encoding.ts";
import { readForm } from "./tokenEndpoints.ts";
import { type ApplicationEntry, applicationsPage, consentPage, signInPage } from "./markup.ts";
import { GONE, messageResponse, pageResponse, PRIVATE, seeOther } from "./html.ts";

type Answer = Response.HttpServerResponse;
type Form = ReadonlyMap<string, string>;

interface Context {
  readonly state: SandboxState;
  readonly browsers: Browsers;
  readonly consents: Consents;
}

/** A form that pages of this server send. */
interface PageForm {
  readonly members: ReadonlyArray<string>;
  /** The purpose for which the form's `csrf` was made. */
  readonly purpose: (values: Form) => string;
  /** Answers the form; `undefined` if no page of this session has a form with these values. */
  readonly submit: (values: Form, session: Session, facts: Facts) => Answer | undefined;
}

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

export const makePages = (state: SandboxState, forgesState: () => boolean) => {
  const context: Context = {
    state,
    browsers: makeBrowsers(state),
    consents: makeConsents(state, forgesState),
  };
  const pages: Readonly<Record<string, (context: Context, exchange: Exchange) => Answer>> = {
    "/oauth/authorize": authorize,
    "/oauth/consent": resume,
    "/my/applications": applications,
  };
  const forms: Readonly<Record<string, PageForm>> = {
    "/oauth/consent": consentForm(context),
    "/sign-in": signInForm(context),
    "/sign-out": signOutForm(context),
    "/my/applications/revoke": revokeForm(context),
  };
  return (exchange: Exchange) =>
    (exchange.method === "POST"
      ? submitted(context, forms[exchange.path]!, exchange)
      : Effect.sync(() => pages[exchange.path]!(context, exchange))
    ).pipe(
      Effect.catchTag("OAuthFailure", () => Effect.succeed(FORM_REFUSED)),
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("the OAuth server failed", defect), FAILED),
      ),
    );
};

const submitted = Effect.fnUntraced(function* (
  { browsers }: Context,
  { members, purpose, submit }: PageForm,
  exchange: Exchange,
) {
  const values = yield* readForm(exchange, [...members, "csrf"]);
  const session = browsers.sessionOfForm(exchange, values.get("csrf"), purpose(values));
  return (session && submit(values, session, exchange.facts)) ?? FORM_REFUSED;
});

/** Returns the id of the pending request that a form names, or an empty text. */
const requestOf = (values: Form): string => values.get("request") ?? "";

/** Returns the path to which a form redirects, always one of two pages of this server. */
const onward = (id: string): string =>
  id === "" ? "/my/applications" : `/oauth/consent?request=${encodeURIComponent(id)}`;

const authorize = (context: Context, exchange: Exchange): Answer => {
  const { browsers, consents, state } = context;
  const { actor, facts } = exchange;
  const query = parseForm(exchange.query);
  facts.client ??= state.clients.byId(query?.values.get("client_id") ?? "")?.clientId;
  facts.state = query?.values.get("state");
  facts.challenge = query?.values.get("code_challenge");
  facts.challengeMethod = query?.values.get("code_challenge_method");
  if (state.platform.sha256(facts.state ?? "", "base64url") === facts.challenge)
    facts.misplaced.push("the code_verifier as state");
  const result = validateAuthorizeRequest(query, state.clients);
  if ("refused" in result)
    return actor === undefined
      ? messageResponse(400, "This request cannot be answered", result.refused)
      : Response.jsonUnsafe({ reason: result.refused }, { status: 400, headers: PRIVATE });
  if ("reason" in result) return seeOther(consents.failureRedirect(result, result.reason));
  const pending = consents.open(result);
  if (actor === undefined) return nextPage(context, pending, browsers.sessionOf(exchange));
  return decided(context, facts, pending, actor.deny ? DENY : { allow: true, sub: actor.sub });
};

const resume = (context: Context, exchange: Exchange): Answer => {
  const { browsers, consents } = context;
  const pending = consents.pending(requestOf(parseForm(exchange.query)?.values ?? new Map()));
  return pending?.answeredAt === null
    ? nextPage(context, pending, browsers.sessionOf(exchange))
    : GONE;
};

/** Returns the next page of a request: sign-in, or consent after the sign-in. */
const nextPage = (
  { browsers, state: { accounts } }: Context,
  pending: PendingRequest,
  session: Session,
): Answer => {
  const account = accounts.byUuid(session.sub ?? "");
  const csrf = browsers.csrfOf(session);
  const response =
    account === undefined
      ? pageResponse(signInPage(accounts.all, csrf, pending.id))
      : pageResponse(consentPage(pending, account, csrf), { leadsTo: pending.redirectUri });
  return browsers.withSession(response, session);
};

/** Answers a request with a person's decision, and adds the facts for the journal. */
const decided = (
  { consents, state: { accounts, grants } }: Context,
  facts: Facts,
  pending: PendingRequest,
  decision: Decision,
): Answer => {
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

const consentForm = (context: Context): PageForm => ({
  members: ["request", "decision"],
  purpose: (values) => `consent:${requestOf(values)}`,
  submit: (values, { sub }, facts) => {
    const decision = values.get("decision");
    if (sub === undefined || (decision !== "allow" && decision !== "deny")) return undefined;
    const pending = context.consents.pending(requestOf(values));
    if (pending === undefined) return GONE;
    return decided(context, facts, pending, decision === "allow" ? { allow: true, sub } : DENY);
  },
});

/** Makes the sign-in form, which has no password. */
const signInForm = ({ browsers, state: { accounts } }: Context): PageForm => ({
  members: ["request", "account"],
  purpose: (values) => `sign-in:${requestOf(values)}`,
  submit: (values, session) => {
    const id = requestOf(values);
    const account = accounts.byName(values.get("account") ?? "");
    return account === undefined
      ? pageResponse(signInPage(accounts.all, browsers.csrfOf(session), id), { status: 400 })
      : browsers.withSession(seeOther(onward(id)), browsers.replace(session, account.uuid));
  },
});

const signOutForm = ({ browsers }: Context): PageForm => ({
  members: ["request"],
  purpose: () => "sign-out",
  submit: (values, session) =>
    browsers.withSession(seeOther(onward(requestOf(values))), browsers.replace(session, undefined)),
});

/** Returns the applications that hold tokens of an account. */
const entriesOf = ({ clients, grants }: SandboxState, sub: string) =>
  grants.ofAccount(sub).flatMap((grant): ReadonlyArray<ApplicationEntry> => {
    const client = clients.byId(grant.clientId);
    const tokens = grants.liveTokens(grant.id);
    return client === undefined || tokens.length === 0 ? [] : [{ client, grant, tokens }];
  });

const applications = ({ browsers, state }: Context, exchange: Exchange): Answer => {
  const session = browsers.sessionOf(exchange);
  const account = state.accounts.byUuid(session.sub ?? "");
  const csrf = browsers.csrfOf(session);
  const body =
    account === undefined
      ? signInPage(state.accounts.all, csrf, "")
      : applicationsPage(account, csrf, entriesOf(state, account.uuid));
  return browsers.withSession(pageResponse(body), session);
};

/** Makes the form that revokes a token by its hash, or a grant with all its tokens. */
const revokeForm = ({ state }: Context): PageForm => ({
  members: ["what", "id"],
  purpose: () => "applications",
  submit: (values, { sub }) => {
    if (sub === undefined) return undefined;
    const id = values.get("id");
    state.store.transact(() => {
      for (const { grant, tokens } of entriesOf(state, sub)) {
        if (values.get("what") === "grant" && grant.id === id) state.grants.revokeGrant(grant.id);
        const token = tokens.find(({ hash }) => hash === id);
        if (token !== undefined) state.grants.revoke(token);
      }
    });
    return seeOther("/my/applications");
  },
});
