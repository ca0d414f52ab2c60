/**
 * Signs users in to a web application: `(Request) => Promise<Response | undefined>`.
 *
 * | route                         | what it does                                                   |
 * | ----------------------------- | -------------------------------------------------------------- |
 * | `GET {base}/login?returnTo=/` | keeps a sealed flow in a cookie, redirects to the consent page |
 * | `GET` path of `redirectUri`   | exchanges the code, starts a session, redirects to `returnTo`  |
 * | `POST {base}/logout`          | same-origin only; ends the session and its tokens              |
 * | anything else                 | `undefined`: not ours                                          |
 *
 * A callback counts only in the browser whose cookie holds its state, and once over all servers of
 * the store. Browsers get a random secret that no store holds; tokens stay in the store, sealed.
 * Scheme, host and paths come from the configuration; `X-Forwarded-*` is never read, and `Host` is
 * compared with the configured one and goes nowhere.
 */
import { runPromise } from "../promise/runPromise.ts";
import { currentUser, type UserState } from "./currentUser.ts";
import { makeFinisher } from "./finishSignIn.ts";
import { refuse } from "./responses.ts";
import { answer, type Route, type Server } from "./routes.ts";
import type { SignInOptions } from "./SignInOptions.ts";
import { makeSetting } from "./SignInSetting.ts";
import type { UserInput } from "./userInput.ts";
import { sessionsOf, type SessionsOfUser } from "./UserSessions.ts";

/** The sign-in of a web application. */
export interface SignIn {
  /** Scheme, host and port of the redirect URI: where the application is. */
  readonly origin: string;
  /** Whether a path, or an address, is one of the three that `handle` answers. */
  readonly isOurs: (pathOrUrl: string | undefined) => boolean;
  /** Answers its three routes within `answerWithin`; `undefined` for others. Never rejects. */
  readonly handle: (request: Request) => Promise<Response | undefined>;
  /** Tells who the user of a request is, within `storeTimeout`. Never rejects. */
  readonly user: (input: UserInput) => Promise<UserState>;
  /** The sessions of the user with this `sub`. */
  readonly sessions: (sub: string) => SessionsOfUser;
  /**
   * Waits for callbacks and renewals in flight, revokes tokens that no store took, and begins
   * nothing more. `drainOnSignals` of `/node/promise` calls it on SIGTERM.
   */
  readonly close: () => Promise<void>;
}

/** Makes the sign-in. Rejects with `ConfigurationInvalid`, for example without a usable key. */
export const createSignIn = async (options: SignInOptions): Promise<SignIn> => {
  const setting = await makeSetting(options);
  const { base, callbackPath, origin, pool, status } = setting;
  const finisher = makeFinisher(setting);
  const server: Server = { setting, finisher, underWay: new Map() };
  const routes = new Map<string, Route>([
    [`${base}/login`, "login"],
    [`${base}/logout`, "logout"],
    [callbackPath, "callback"],
  ]);
  const routeOf = (pathOrUrl: unknown) =>
    typeof pathOrUrl === "string" ? routes.get(pathOf(pathOrUrl)) : undefined;
  return {
    origin,
    isOurs: (pathOrUrl) => routeOf(pathOrUrl) !== undefined,
    handle: async (request) => {
      // A framework's own Request might fail anywhere.
      try {
        const route = routeOf(request.url);
        return route && (await answer(server, request, route));
      } catch {
        return refuse(500);
      }
    },
    user: (input) => currentUser(setting, input),
    sessions: (sub) => sessionsOf(setting, sub),
    close: async () => {
      status.isClosed = true;
      await setting.settled();
      await finisher.release();
      await runPromise(pool.close);
    },
  };
};

/** The path of an address, or of the target of a request; a path of `//other` names no host. */
const pathOf = (pathOrUrl: string): string =>
  pathOrUrl.startsWith("/")
    ? pathOrUrl.replace(/[?#].*$/s, "")
    : (URL.parse(pathOrUrl)?.pathname ?? "");
