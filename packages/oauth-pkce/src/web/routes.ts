/** The three routes of the sign-in as steps: checks that may answer, then the route itself. */
import * as Redacted from "effect/Redacted";
import { StateMismatch, TokenStoreFailed, type OAuthError } from "../Errors.ts";
import { digest } from "../internal/digest.ts";
import { randomText } from "../internal/random.ts";
import { later, within } from "../internal/within.ts";
import { parseObject } from "../internal/json.ts";
import * as PendingAuthorization from "../PendingAuthorization.ts";
import * as PkceFlow from "../PkceFlow.ts";
import { runPromise } from "../promise/runPromise.ts";
import { safeReturnTo } from "../safeReturnTo.ts";
import { currentUser, userOf } from "./currentUser.ts";
import { endSession, type Finished, type Finisher, type Flow } from "./finishSignIn.ts";
import {
  errorPage,
  redirect,
  refuse,
  signedOutHerePage,
  statusOf,
  waitingPage,
  withCookies,
} from "./responses.ts";
import { toOAuthError, type SignInSetting } from "./SignInSetting.ts";

/** A route of the sign-in. */
export type Route = "login" | "callback" | "logout";

/** A request to one of the routes. */
interface Visit {
  readonly request: Request;
  readonly route: Route;
  readonly url: URL;
  /** The value of the `Cookie` header. */
  readonly cookie: string;
}

/** A check: answers, or lets the next one. */
type Check = (setting: SignInSetting, visit: Visit) => Response | undefined;

/** What one server knows: its setting, its callbacks, and those of them that are under way. */
export interface Server {
  readonly setting: SignInSetting;
  readonly finisher: Finisher;
  readonly underWay: Map<string, Promise<Finished>>;
}

/** Answers a request of the sign-in, within `answerWithin`. Never rejects. */
export const answer = async (server: Server, request: Request, route: Route): Promise<Response> => {
  const { setting } = server;
  const cookie = request.headers.get("cookie") ?? "";
  const visit = { request, route, url: new URL(request.url), cookie };
  const work = serve(server, visit).catch((error: unknown) =>
    fail(setting, visit, { error: toOAuthError(error) }),
  );
  setting.background(work);
  return within(setting.answerMillis, work, () => late(setting, visit));
};

const serve = async (server: Server, visit: Visit): Promise<Response> => {
  for (const check of CHECKS) {
    const refused = check(server.setting, visit);
    if (refused !== undefined) return refused;
  }
  return ROUTES[visit.route](server, visit);
};

/** The response of a request whose work is not done in time; the work goes on. */
const late = (setting: SignInSetting, { route }: Visit): Response => {
  if (route === "callback") return waitingPage();
  return route === "logout"
    ? signedOutHerePage([setting.cookies.noSession()])
    : errorPage(new TokenStoreFailed({ operation: "read", reason: "ETIMEDOUT" }), setting.base, []);
};

// Link scanners send HEAD: it must not use up the code.
const refuseMethod: Check = (_, { request, route }) => {
  const allow = route === "logout" ? "POST" : "GET";
  return request.method === allow ? undefined : refuse(405, { allow });
};

// An image or a frame must not run a flow.
const refuseDestination: Check = (_, { request, route }) => {
  const destination = request.headers.get("sec-fetch-dest") ?? "document";
  return route === "logout" || destination === "document" ? undefined : refuse(403);
};

const refusePrefetch: Check = (_, { request: { headers }, route }) =>
  route === "login" &&
  /prefetch|prerender/.test(headers.get("sec-purpose") ?? headers.get("purpose") ?? "")
    ? refuse(503)
    : undefined;

const refuseOtherSites: Check = ({ origin }, { request: { headers }, route }) => {
  if (route !== "logout") return undefined;
  const site = headers.get("sec-fetch-site");
  const isOwn = site === null ? headers.get("origin") === origin : site === "same-origin";
  return isOwn ? undefined : refuse(403);
};

const refuseClosed: Check = ({ status }, { route }) =>
  status.isClosed && route !== "logout" ? refuse(503, { "retry-after": "5" }) : undefined;

/** Whether the browser named another host than the redirect URI's: its cookies would not return. */
const isElsewhere = ({ origin }: SignInSetting, { request }: Visit): boolean => {
  const named = request.headers.get("host");
  const own = new URL(origin);
  return named !== null && URL.parse(`${own.protocol}//${named}`)?.host !== own.host;
};

// The target is configured. `moved` ends the loop behind a proxy that rewrites `Host`.
const moveToOwnHost: Check = (setting, visit) => {
  const { route, url } = visit;
  if (route !== "login" || url.searchParams.has("moved") || !isElsewhere(setting, visit))
    return undefined;
  const returnTo = safeReturnTo(url.searchParams.get("returnTo"));
  const query = new URLSearchParams({ moved: "", returnTo });
  return redirect(`${setting.origin}${setting.base}/login?${query}`);
};

const CHECKS: ReadonlyArray<Check> = [
  refuseMethod,
  refuseDestination,
  refusePrefetch,
  refuseOtherSites,
  refuseClosed,
  moveToOwnHost,
];

/** Characters of a path to return to; the user is led to `/` instead of a longer one. */
const MAX_RETURN_TO = 1_024;

/** Keeps a flow in a sealed cookie, and sends the browser to the consent page. */
const login = async ({ setting }: Server, { cookie, url }: Visit): Promise<Response> => {
  const { client, cookies, flowSealer, scopes } = setting;
  const asked = safeReturnTo(url.searchParams.get("returnTo"));
  // Browsers drop cookies of more than 4 kB, and the flow would be lost with its cookie.
  const wanted = asked.length > MAX_RETURN_TO ? "/" : asked;
  const returnTo = setting.isAllowedReturn(wanted) ? wanted : "/";
  const started = await runPromise(PkceFlow.start(client, { scopes }));
  const id = await flowId(Redacted.value(started.pending.state));
  const secret = await runPromise(randomText);
  const flow = Redacted.value(PendingAuthorization.serialize(started.pending));
  const sealed = await flowSealer.seal(JSON.stringify({ flow, returnTo, secret }), id);
  const startedAt = started.pending.createdAt;
  return redirect(started.url, cookies.flow(cookie, { id, sealed, startedAt }));
};

/** Finishes the flow, and leads to the path that the login kept. */
const callback = async (server: Server, visit: Visit): Promise<Response> => {
  const { finisher, setting } = server;
  const kept = await openFlow(setting, visit);
  if (kept === undefined) return stray(setting, visit);
  const { flow, returnTo } = kept;
  const isFirst = !server.underWay.has(flow.id);
  try {
    const { isOld = !isFirst, row, seconds } = await join(server, flow);
    const session = { row, secret: flow.secret };
    // A late reload must not bring an ended session back over a newer one.
    if (isOld && (await userOf(setting, session))._tag === "Ended") return stray(setting, visit);
    return redirect(returnTo, [setting.cookies.session(session, seconds)]);
  } catch (error) {
    const failure = toOAuthError(error);
    // Nothing is lost while the store is the cause: a reload with the cookie goes on.
    if (failure._tag === "TokenStoreFailed")
      return fail(setting, visit, { error: failure, isComing: finisher.isHolding(flow.id) });
    return fail(setting, visit, {
      error: failure,
      cookies: setting.cookies.noFlow(visit.cookie, flow.id),
    });
  }
};

/** For so long this server gives a reload of the callback the same outcome without the store. */
const REPEAT_MILLIS = 30_000;

/** Begins to finish the flow, or joins the request that did. */
const join = ({ finisher, underWay }: Server, flow: Flow): Promise<Finished> => {
  const found = underWay.get(flow.id);
  if (found !== undefined) return found;
  const outcome = finisher.finish(flow);
  const forget = () => void underWay.delete(flow.id);
  underWay.set(flow.id, outcome);
  outcome.then(() => later(REPEAT_MILLIS, forget), forget);
  return outcome;
};

/** The flow of this browser whose callback this is. */
const openFlow = async (
  { cookies, flowSealer }: SignInSetting,
  { cookie, url }: Visit,
): Promise<{ readonly flow: Flow; readonly returnTo: string } | undefined> => {
  const id = await flowId(url.searchParams.get("state") ?? "");
  const opened = await flowSealer.open(cookies.readFlow(cookie, id) ?? "", id);
  const { flow, returnTo, secret } = parseObject(opened?.text ?? "") ?? {};
  const found = PendingAuthorization.deserialize(String(flow));
  if (found === undefined || typeof secret !== "string") return undefined;
  // The browser drops the cookie in time; another server's clock may be ten minutes ahead.
  const now = Date.now();
  const lifetime = PendingAuthorization.PENDING_LIFETIME_MILLIS;
  if (now - found.createdAt >= 2 * lifetime) return undefined;
  const pending = { ...found, createdAt: Math.max(found.createdAt, now - lifetime / 2) };
  const old = cookies.readSession(cookie);
  return { flow: { id, pending, secret, callback: url, old }, returnTo: String(returnTo) };
};

/** A reload, Back, or a double click of somebody who is signed in is no error. */
const stray = async (setting: SignInSetting, visit: Visit): Promise<Response> => {
  if (await isSignedIn(setting, visit)) return redirect("/");
  if (isElsewhere(setting, visit))
    setting.log(
      `Sign-in: a callback came to another host than ${setting.origin}: open the application there`,
    );
  return fail(setting, visit, { error: new StateMismatch() });
};

const isSignedIn = async (setting: SignInSetting, { cookie }: Visit): Promise<boolean> =>
  (await currentUser(setting, cookie))._tag === "SignedIn";

/** Ends the session, and takes the cookie away whatever the store does. */
const logout = async ({ setting }: Server, visit: Visit): Promise<Response> => {
  const { afterSignOut, cookies } = setting;
  const held = cookies.readSession(visit.cookie);
  const gone = [cookies.noSession()];
  if (held === undefined) return redirect(safeReturnTo(afterSignOut), gone);
  try {
    await endSession(setting, held);
    return redirect(safeReturnTo(afterSignOut), gone);
  } catch (error) {
    const failure = toOAuthError(error);
    setting.log(`Sign-in: a session could not be ended: ${failure.message}`);
    return signedOutHerePage(gone);
  }
};

interface Failure {
  readonly error: OAuthError;
  readonly cookies?: ReadonlyArray<string>;
  /** Whether the browser should come again by itself. */
  readonly isComing?: boolean;
}

/** The application's response to a failure, or the error page. */
const fail = async (
  setting: SignInSetting,
  { request }: Visit,
  { cookies = [], error, isComing = false }: Failure,
): Promise<Response> => {
  if (statusOf(error) >= 500) setting.log(`Sign-in: ${error.message}`);
  const { base, log, onError, storeMillis } = setting;
  if (onError !== undefined)
    try {
      const own = await within(
        storeMillis,
        Promise.resolve().then(() => onError(error, request)),
        () => {
          log("Sign-in: onError did not answer in time");
          return undefined;
        },
      );
      if (own instanceof Response) return withCookies(own, cookies);
      if (own !== undefined) log("Sign-in: onError gave no Response");
    } catch {
      log("Sign-in: onError threw");
    }
  return errorPage(error, base, cookies, isComing);
};

/** Names a flow by its state, without telling it. Cookie names are shown in tools. */
const flowId = async (state: string): Promise<string> =>
  (await digest(`flow ${state}`)).slice(0, 22);

const ROUTES: Readonly<Record<Route, (server: Server, visit: Visit) => Promise<Response>>> = {
  login,
  callback,
  logout,
};
