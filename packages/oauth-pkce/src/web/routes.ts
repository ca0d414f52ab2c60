/**
 * The three routes of the sign-in.
 *
 * The callback is the first step of a grant: the code is sent under an intent, once over all servers,
 * and the tokens are stored before the browser gets its cookie. The session's secret was drawn at the
 * login and is in the browser's sealed flow cookie, so a reload, another server, or a store that works
 * again can repeat each step.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { NotSignedIn, StateMismatch, type OAuthError } from "../Errors.ts";
import { parseObject } from "../internal/endpoint.ts";
import { hash, randomText } from "../internal/crypto.ts";
import * as PkceFlow from "../PkceFlow.ts";
import { safeReturnTo } from "../safeReturnTo.ts";
import type { App } from "./App.ts";
import { redirect, refuse, signedOutHerePage } from "./pages.ts";
import { addToIndex, currentUser, endSession, secondsLeft } from "./users.ts";

export type Route = keyof typeof routes;

export interface RouteRequest {
  readonly request: Request;
  readonly route: Route;
  readonly url: URL;
  /** The value of the `Cookie` header. */
  readonly cookie: string;
}

/** Returns the response to a request that its route must not handle, or `undefined`. */
export const refusal = (app: App, visit: RouteRequest): Response | undefined => {
  const { headers, method } = visit.request;
  const { route, url } = visit;
  const isLogout = route === "logout";
  const allow = isLogout ? "POST" : "GET";
  // Link scanners send HEAD, which must not use up the code.
  if (method !== allow) return refuse(405, { allow });
  // An image or a frame must not run a flow.
  if (!isLogout && (headers.get("sec-fetch-dest") ?? "document") !== "document") return refuse(403);
  const purpose = headers.get("sec-purpose") ?? headers.get("purpose") ?? "";
  if (route === "login" && /prefetch|prerender/.test(purpose)) return refuse(503);
  const site = headers.get("sec-fetch-site");
  const isOwn = site === null ? headers.get("origin") === app.origin : site === "same-origin";
  if (isLogout && !isOwn) return refuse(403);
  if (app.status.isClosed && !isLogout) return refuse(503, { "retry-after": "5" });
  // The browser would not return cookies of another host, so the login is redirected to `origin`.
  // `moved` prevents a redirect loop behind a proxy that rewrites `Host`.
  if (route !== "login" || url.searchParams.has("moved") || !isOtherHost(app, visit))
    return undefined;
  const returnTo = safeReturnTo(url.searchParams.get("returnTo"));
  const query = new URLSearchParams({ moved: "", returnTo });
  return redirect(`${app.origin}${app.base}/login?${query}`);
};

const isOtherHost = ({ origin }: App, { request }: RouteRequest): boolean => {
  const requested = request.headers.get("host");
  const own = new URL(origin);
  return requested !== null && URL.parse(`${own.protocol}//${requested}`)?.host !== own.host;
};

/** Browsers drop a cookie of more than 4 kB, and the flow would be lost with it. */
const MAX_RETURN_TO = 1_024;

/** Keeps a flow in a sealed cookie, and sends the browser to the consent page. */
const login = Effect.fnUntraced(function* (app: App, { cookie, url }: RouteRequest) {
  const returnTo = safeReturnTo(url.searchParams.get("returnTo"));
  const { pending, url: consent } = yield* PkceFlow.start(app.client, { scopes: app.scopes });
  const name = yield* flowName(Redacted.value(pending.state));
  const text = JSON.stringify({
    flow: Redacted.value(PkceFlow.serialize(pending)),
    returnTo: returnTo.length > MAX_RETURN_TO ? "/" : returnTo,
    secret: yield* randomText,
  });
  const sealed = yield* Effect.promise(() => app.flowSealer.seal(text, name));
  return redirect(
    consent,
    app.cookies.flow(cookie, { name, sealed, startedAt: pending.createdAt }),
  );
});

/** Finishes the flow, and redirects to its `returnTo`. */
const callback = Effect.fnUntraced(function* (
  app: App,
  visit: RouteRequest,
): Effect.fn.Return<Response, OAuthError> {
  const flow = yield* openFlow(app, visit);
  if (!flow) return yield* withoutFlow(app, visit);
  const { pending, returnTo, secret } = flow;
  const id = yield* hash(secret);
  const valid = yield* PkceFlow.checkCallback(app.client, pending, visit.url);
  const exchange = PkceFlow.exchange(app.client, valid);
  const firstTokens = app.sessions
    .get(id)
    .begin(Effect.catchTag(exchange, "CodeExpired", () => new NotSignedIn()));
  const tokens = yield* Effect.catchTag(firstTokens, "NotSignedIn", () => Effect.undefined);
  // The session has ended. A late reload must not bring it back in place of a newer session.
  if (!tokens) return yield* withoutFlow(app, visit);
  if (tokens.sub !== undefined) yield* addToIndex(app, tokens.sub, id);
  const old = app.cookies.readSession(visit.cookie);
  // Another person may have set the old cookie, so its session ends.
  if (old !== undefined && old !== secret)
    yield* Effect.ignore(Effect.flatMap(hash(old), (oldId) => endSession(app, oldId)));
  return redirect(returnTo, [app.cookies.session(secret, yield* secondsLeft(app, tokens))]);
});

/** Opens the flow to which the callback belongs, if it is in this browser's cookies. */
const openFlow = Effect.fnUntraced(function* (app: App, { cookie, url }: RouteRequest) {
  const name = yield* flowName(url.searchParams.get("state") ?? "");
  const sealed = app.cookies.readFlow(cookie, name) ?? "";
  const text = yield* Effect.promise(() => app.flowSealer.open(sealed, name));
  const { flow, returnTo, secret } = parseObject(text ?? "") ?? {};
  const pending = PkceFlow.deserialize(String(flow));
  if (!pending || typeof secret !== "string") return undefined;
  // The browser drops the cookie in time, and the clock of another server may be ten minutes ahead.
  const now = yield* Clock.currentTimeMillis;
  const lifetime = PkceFlow.PENDING_LIFETIME_MILLIS;
  if (now - pending.createdAt >= 2 * lifetime) return undefined;
  const createdAt = Math.max(pending.createdAt, now - lifetime / 2);
  return { pending: { ...pending, createdAt }, secret, returnTo: String(returnTo) };
});

/** Redirects a signed-in user, for whom a reload, Back or double click is not an error. */
const withoutFlow = Effect.fnUntraced(function* (app: App, visit: RouteRequest) {
  if ((yield* currentUser(app, visit.cookie))._tag === "SignedIn") return redirect("/");
  if (isOtherHost(app, visit))
    yield* Effect.logWarning(
      `Sign-in: a callback arrived at another host than ${app.origin}: open the application there`,
    );
  return yield* new StateMismatch();
});

/** Ends the session, and removes the cookies whatever the store does. */
const logout = Effect.fnUntraced(function* (app: App, { cookie }: RouteRequest) {
  const secret = app.cookies.readSession(cookie);
  const removed = [app.cookies.noSession(), ...app.cookies.noFlows(cookie)];
  const ended =
    secret === undefined ? Effect.void : Effect.flatMap(hash(secret), (id) => endSession(app, id));
  const result = yield* Effect.result(ended);
  if (result._tag === "Success") return redirect(safeReturnTo(app.afterSignOut), removed);
  yield* Effect.logError(`Sign-in: a session could not be ended: ${result.failure.message}`);
  return signedOutHerePage(removed);
});

/** Names a flow by the hash of its state, because tools show the names of cookies. */
export const flowName = (state: string) =>
  Effect.map(hash(`flow ${state}`), (digest) => digest.slice(0, 22));

export const routes = { login, callback, logout };
