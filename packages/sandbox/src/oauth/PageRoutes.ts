/**
 * The pages of the OAuth server over HTTP: `/oauth/authorize`, sign-in, consent, sign-out.
 */
import { OAuthGroup } from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import { Accounts } from "../clients/Accounts.ts";
import { Clients } from "../clients/Clients.ts";
import { validateAuthorizeRequest } from "./authorizeRequest.ts";
import type { PendingRequest } from "./Consents.ts";
import { parseForm, queryOf, readForm } from "./formBody.ts";
import { OAuthServer } from "./OAuthServer.ts";
import {
  isSameOriginForm,
  pageResponse,
  seeOther,
  sessionOf,
  withSession,
} from "./PageResponses.ts";
import { consentPage, messagePage, signInPage } from "./Pages.ts";
import { verifyCsrf, type Session } from "./Sessions.ts";

const { authorize } = OAuthGroup.endpoints;

/** GET /oauth/authorize (§4.1). */
const openRequest = Effect.fn("OAuth.authorize")(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const clients = yield* Clients;
  const { consents } = yield* OAuthServer;
  const verdict = validateAuthorizeRequest(parseForm(queryOf(request.url)), clients);
  if (verdict._tag === "Refused") return refusal(verdict.because);
  if (verdict._tag === "Failed") {
    return seeOther(consents.failureRedirect(verdict.redirectUri, verdict.state, verdict.reason));
  }
  return yield* ask(consents.open(verdict.request), yield* sessionOf(request));
});

/** GET /oauth/consent: the way back from the sign-in. */
const resumeRequest = Effect.fn("OAuth.consent")(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const { consents } = yield* OAuthServer;
  const id = parseForm(queryOf(request.url))?.values.get("request") ?? "";
  const pending = consents.pending(id);
  if (pending === undefined || pending.answeredAt !== null) return gone;
  return yield* ask(pending, yield* sessionOf(request));
});

/** The page that the request needs next: who are you, or do you agree. */
const ask = Effect.fnUntraced(function* (pending: PendingRequest, session: Session) {
  const accounts = yield* Accounts;
  const account = session.sub === undefined ? undefined : accounts.byUuid(session.sub);
  const response =
    account === undefined
      ? pageResponse(signInPage(accounts.all, session, pending.id))
      : pageResponse(consentPage(pending, account, session), { leadsTo: pending.redirectUri });
  return yield* withSession(response, session);
});

/** POST /oauth/consent: the answer. */
const decide = Effect.fn("OAuth.decide")(function* (request: HttpServerRequest.HttpServerRequest) {
  const { consents } = yield* OAuthServer;
  const { values, session } = yield* ownForm(request, ["request", "csrf", "decision"]);
  const id = values.get("request") ?? "";
  const decision = values.get("decision");
  if (!verifyCsrf(session, `consent:${id}`, values.get("csrf"))) return csrfError;
  if (session.sub === undefined || (decision !== "allow" && decision !== "deny")) return csrfError;
  const redirect = consents.answer(
    id,
    decision === "allow" ? { allow: true, sub: session.sub } : { allow: false },
  );
  return redirect === undefined ? gone : seeOther(redirect);
});

/** POST /sign-in: the sandbox's accounts have no passwords. */
const signIn = Effect.fn("OAuth.signIn")(function* (request: HttpServerRequest.HttpServerRequest) {
  const accounts = yield* Accounts;
  const { sessions } = yield* OAuthServer;
  const { values, session } = yield* ownForm(request, ["request", "csrf", "account"]);
  const id = values.get("request") ?? "";
  if (!verifyCsrf(session, `sign-in:${id}`, values.get("csrf"))) return csrfError;
  const account = accounts.byName(values.get("account") ?? "");
  if (account === undefined) {
    return pageResponse(signInPage(accounts.all, session, id), { status: 400 });
  }
  return yield* withSession(seeOther(onward(id)), sessions.signIn(session, account.uuid));
});

/** POST /sign-out */
const signOut = Effect.fn("OAuth.signOut")(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const { sessions } = yield* OAuthServer;
  const { values, session } = yield* ownForm(request, ["request", "csrf"]);
  if (!verifyCsrf(session, "sign-out", values.get("csrf"))) return csrfError;
  sessions.end(session.secret);
  return yield* withSession(
    seeOther(onward(values.get("request") ?? "")),
    sessions.start(undefined),
  );
});

/** Where a form leads: only ever to one of two pages of ours. */
const onward = (id: string): string =>
  id === "" ? "/my/applications" : `/oauth/consent?request=${encodeURIComponent(id)}`;

/**
 * A form that came from a page of ours, and the session that sent it; anything else ends in a page
 * that says so.
 */
export const ownForm = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  known: ReadonlyArray<string>,
) {
  if (!(yield* isSameOriginForm(request))) return yield* Effect.fail(csrfError);
  const form = yield* readForm(request, known).pipe(Effect.mapError(() => csrfError));
  return { values: form.values, session: yield* sessionOf(request) };
});

/**
 * A page that says what is wrong with the link that led here; the browser goes nowhere (RFC 6749
 * §4.1.2.1).
 */
const refusal = (because: string) =>
  pageResponse(messagePage("This request cannot be answered", because), { status: 400 });

const gone = pageResponse(
  messagePage(
    "This request is over",
    "It was answered already, or waited too long. Start again in the application.",
  ),
  { status: 400 },
);

/** The answer to a form that did not come from a page of ours. */
export const csrfError = pageResponse(
  messagePage(
    "This form was not accepted",
    "It did not come from a page that this browser was shown. Go back and load the page again.",
  ),
  { status: 403 },
);

/** What a person sees when the server failed; the reason goes to the log. */
const broken = pageResponse(
  messagePage("Something went wrong", "The sandbox failed to answer. Its log says why."),
  { status: 500 },
);

/** A handler whose failures are responses. */
export const handled = <R>(
  handle: (
    request: HttpServerRequest.HttpServerRequest,
  ) => Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    HttpServerResponse.HttpServerResponse,
    R
  >,
) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    handle(request).pipe(
      Effect.catch(Effect.succeed),
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("the OAuth server failed", defect), broken),
      ),
    ),
  );

const onlyGet = HttpServerResponse.empty({ status: 405, headers: { allow: "GET" } });

/** Pages of the authorization flow. */
export const PageRoutes = Layer.mergeAll(
  HttpRouter.addAll([
    HttpRouter.route("GET", authorize.path as HttpRouter.PathInput, handled(openRequest)),
    HttpRouter.route("POST", authorize.path as HttpRouter.PathInput, onlyGet),
    HttpRouter.route("GET", "/oauth/consent", handled(resumeRequest)),
    HttpRouter.route("POST", "/oauth/consent", handled(decide)),
    HttpRouter.route("POST", "/sign-in", handled(signIn)),
    HttpRouter.route("POST", "/sign-out", handled(signOut)),
  ]),
);
