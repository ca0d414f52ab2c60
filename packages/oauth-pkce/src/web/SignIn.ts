/**
 * Signs users in to a web application: `(Request) => Promise<Response | undefined>`.
 *
 * | route                         | what it does                                                   |
 * | ----------------------------- | -------------------------------------------------------------- |
 * | `GET {base}/login?returnTo=/` | keeps a sealed flow in a cookie, redirects to the consent page |
 * | `GET` path of `redirectUri`   | exchanges the code, starts a session, redirects to `returnTo`  |
 * | `POST {base}/logout`          | same-origin only; ends the session and its tokens              |
 * | anything else                 | `undefined`: left to the application                           |
 *
 * A callback counts only in the browser whose cookie holds its state, and once over all servers of the
 * store. Browsers get a random secret that no store holds; tokens stay in the store, sealed. Scheme,
 * host and paths come from the configuration; `X-Forwarded-*` is never read.
 */
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TokenStoreFailed, type OAuthError } from "../Errors.ts";
import { makeApp, runBeside, type App, type SignInOptions } from "./App.ts";
import * as Pages from "./pages.ts";
import { flowName, refusal, routes, type Route, type RouteRequest } from "./routes.ts";
import type { UserInput } from "./userInput.ts";
import { currentUser, userSessions, type SessionsOfUser } from "./users.ts";

/** The handler of the sign-in, and the user of a request. */
export interface SignIn extends Awaited<ReturnType<typeof createSignIn>> {}

/**
 * Creates a request handler that signs users in. Rejects with `ConfigurationInvalid`, for example
 * without a usable key.
 *
 * @example
 * ```ts no-run
 * import { createConfidentialOAuth, memoryStore } from "@game-data/oauth-pkce/promise";
 * import { createSignIn } from "@game-data/oauth-pkce/web";
 *
 * const { client } = createConfidentialOAuth({
 *   authUrl: "https://auth.example.com",
 *   clientId: "my-app",
 *   clientSecret: process.env["CLIENT_SECRET"] ?? "",
 *   redirectUri: "https://app.example.com/callback",
 * });
 * const signIn = await createSignIn({
 *   client,
 *   scopes: ["account:characters"],
 *   store: memoryStore(),
 *   keys: { current: "2026", keys: { "2026": process.env["SIGN_IN_KEY"] ?? "" } },
 * });
 * ```
 */
export const createSignIn = async (options: SignInOptions) => {
  const app = await makeApp(options);
  const paths = new Map<string, Route>([
    [`${app.base}/login`, "login"],
    [`${app.base}/logout`, "logout"],
    [app.callbackPath, "callback"],
  ]);
  const findRoute = (pathOrUrl: unknown) =>
    typeof pathOrUrl === "string" ? paths.get(requestPath(pathOrUrl)) : undefined;
  return {
    /** Scheme, host and port of the redirect URI, where the application is. */
    origin: app.origin,
    /** Returns whether a path or a URL belongs to one of the three routes of `handle`. */
    isOurs: (pathOrUrl: string | undefined) => findRoute(pathOrUrl) !== undefined,
    /**
     * Responds to the three routes, after `answerWithin` with a page that waits, and returns
     * `undefined` for other paths. Never rejects.
     */
    handle: async (request: Request): Promise<Response | undefined> => {
      // The `Request` of a framework may throw anywhere.
      try {
        const route = findRoute(request.url);
        if (!route) return undefined;
        const cookie = request.headers.get("cookie") ?? "";
        return await app.run(answer(app, { request, route, url: new URL(request.url), cookie }));
      } catch {
        return Pages.refuse(500);
      }
    },
    /** Returns the user of a request within `storeTimeout`. Never rejects. */
    user: (input: UserInput) => app.run(currentUser(app, input)),
    /** Lists and ends the sessions of one user. `sub` is the UUID of the account. */
    sessions: (sub: string): SessionsOfUser => userSessions(app, sub),
    /** Refuses further sign-ins, and waits for running callbacks and renewals. */
    close: async () => {
      app.status.isClosed = true;
      await app.run(app.sessions.close);
      while (app.running.size > 0) await Promise.all(app.running);
    },
  };
};

/** Responds within `answerWithin`. The work continues after a response that did not wait for it. */
const answer = Effect.fnUntraced(function* (app: App, visit: RouteRequest) {
  const refused = refusal(app, visit);
  if (refused) return refused;
  const work = routes[visit.route](app, visit).pipe(
    Effect.catch((error) => failed(app, visit, error)),
    // A defect may quote the request or a stored token, so the log does not contain it.
    Effect.catchCause(() => Effect.as(Effect.logError("Sign-in: defect"), Pages.refuse(500))),
  );
  const fiber = yield* Effect.forkDetach(work);
  runBeside(app, Fiber.await(fiber));
  return yield* Effect.timeoutOrElse(Fiber.join(fiber), {
    duration: app.answerMillis,
    orElse: () => Effect.succeed(lateResponse(app, visit)),
  });
});

const lateResponse = (app: App, { route }: RouteRequest): Response => {
  if (route === "callback") return Pages.waitingPage();
  if (route === "logout") return Pages.signedOutHerePage([app.cookies.noSession()]);
  return Pages.errorPage(
    new TokenStoreFailed({ operation: "read", reason: "ETIMEDOUT" }),
    app.base,
  );
};

/** Returns the application's response to a failure, or the error page. */
const failed = Effect.fnUntraced(function* (app: App, visit: RouteRequest, error: OAuthError) {
  const { cookie, request, route, url } = visit;
  // Refuses the callback, because another server can finish the flow.
  if (app.status.isClosed) return Pages.refuse(503, { "retry-after": "5" });
  if (Pages.explain(error).status >= 500) yield* Effect.logError(`Sign-in: ${error.message}`);
  const canReload = route === "callback" && isResumable(error);
  const name = yield* flowName(url.searchParams.get("state") ?? "");
  const cookies = route !== "callback" || canReload ? [] : app.cookies.noFlows(cookie, name);
  const response = yield* Effect.tryPromise(async () => app.onError?.(error, request)).pipe(
    Effect.timeoutOrElse({ duration: "3 seconds", orElse: () => Effect.fail("late") }),
    Effect.catch(() => Effect.as(Effect.logError("Sign-in: onError failed"), undefined)),
  );
  if (response instanceof Response) return Pages.withCookies(response, cookies);
  return Pages.errorPage(error, app.base, cookies, canReload);
});

/** Returns whether a reload may succeed: the code was not sent, or its tokens are kept. */
const isResumable = (error: OAuthError): boolean =>
  error._tag === "TokenStoreFailed" || (error._tag === "OAuthTransportError" && !error.sent);

/** Returns the path of a URL or of a request's target, in which `//other` is a path, not a host. */
const requestPath = (pathOrUrl: string): string =>
  pathOrUrl.startsWith("/")
    ? pathOrUrl.replace(/[?#].*$/s, "")
    : (URL.parse(pathOrUrl)?.pathname ?? "");
