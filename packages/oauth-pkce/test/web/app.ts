/** A web application with the sign-in, its OAuth server, and browsers that keep cookies. */
import { createHash } from "node:crypto";
import { beforeEach } from "vitest";
import { createPublicOAuth, memoryStore } from "../../src/promise/index.ts";
import {
  createSignIn,
  type SignIn,
  type SignInOptions,
  type UserInput,
} from "../../src/web/index.ts";
import { pause } from "./virtualTime.ts";

const AUTH = "https://auth.example.com";
export const ORIGIN = "http://127.0.0.1:8080";
/** A sign-out by a page of one's own. */
export const OUT = { method: "POST", headers: { "sec-fetch-site": "same-origin" } };
export const KEYS = { current: "k1", keys: { k1: Uint8Array.from({ length: 32 }, (_, at) => at) } };

const freshState = () => ({
  /** Codes and refresh tokens that were taken. */
  used: new Set<string>(),
  exchanges: 0,
  revoked: [] as Array<string>,
  delayMillis: 0,
  status: 200,
  body: undefined as object | undefined,
  scope: "account:characters",
  expiresIn: 3600,
  sub: "3f1f4c5e-0000-4000-8000-000000000001",
});

/** An OAuth server in place of `fetch`. It gives a new pair for each code, and takes each code once. */
export const makeOAuthServer = (changes: Partial<ReturnType<typeof freshState>> = {}) => {
  const state = { ...freshState(), ...changes };
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input as Request, init);
    const form = new URLSearchParams(await request.text());
    await pause(state.delayMillis);
    if (request.url.endsWith("/revoke")) {
      state.revoked.push(form.get("token") ?? "");
      return new Response();
    }
    const answer = (body: object, status: number) =>
      Response.json(body, { status, headers: { "retry-after": "17" } });
    if (state.status !== 200) return answer(state.body ?? {}, state.status);
    const code = form.get("code") ?? form.get("refresh_token") ?? "";
    if (state.used.has(code)) return answer({ error: "invalid_grant" }, 400);
    state.used.add(code);
    state.exchanges += 1;
    const body = {
      access_token: `access-sentinel-${state.exchanges}`,
      token_type: "bearer",
      expires_in: state.expiresIn,
      refresh_token: `refresh-sentinel-${state.exchanges}`,
      scope: state.scope,
      username: "Account",
      sub: state.sub,
    };
    return answer(body, 200);
  };
  return { send, state };
};

/** Makes one server of the application. */
export const makeApp = async (
  { send, url = AUTH }: { readonly send: typeof fetch; readonly url?: string },
  options: Partial<SignInOptions> = {},
  origin: string = ORIGIN,
): Promise<SignIn> => {
  const { client } = createPublicOAuth({
    authUrl: url,
    clientId: "web-app",
    redirectUri: `${origin}/callback`,
    fetch: send,
  });
  return createSignIn({
    client,
    scopes: ["account:characters"],
    keys: KEYS,
    log: () => undefined,
    store: memoryStore(),
    ...options,
  });
};

type Fetch = (request: Request) => Promise<Response>;

export interface Visit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser: keeps cookies, follows nothing. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #fetch: Fetch;
  readonly #origin: string;
  constructor(send: Fetch, origin: string = ORIGIN) {
    this.#fetch = send;
    this.#origin = origin;
  }

  async visit(path: string, { headers = {}, method = "GET" }: Visit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await this.#fetch(
      new Request(new URL(path, this.#origin), {
        method,
        redirect: "manual",
        headers: { ...(cookie && { cookie }), ...headers },
      }),
    );
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      if (line.includes("Max-Age=0")) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /** Goes to the login, and returns the path of the callback that a consent would lead to. */
  async consent(login = "/auth/login", answer: Record<string, string> = {}): Promise<string> {
    const response = await this.visit(login);
    const authorize = new URL(response.headers.get("location")!);
    const state = authorize.searchParams.get("state")!;
    const code = createHash("sha256").update(state).digest("hex");
    const query = new URLSearchParams({ code, state, ...answer });
    if ("error" in answer) query.delete("code");
    return `/callback?${query}`;
  }

  /** Signs in. */
  async signIn(login?: string): Promise<Response> {
    return this.visit(await this.consent(login));
  }

  /** A copy: the same user in another tab, or a thief of the cookies. */
  copy(send: Fetch = this.#fetch): Browser {
    const copy = new Browser(send, this.#origin);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }
}

/** An OAuth server for the tests of one file, and a way to open applications and browsers. */
export const useApp = () => {
  const oauth = makeOAuthServer();
  const reset = () => void Object.assign(oauth.state, freshState());
  beforeEach(reset);
  const open = async (options: Partial<SignInOptions> = {}) => {
    reset();
    const app = await makeApp(oauth, options);
    return { app, browser: new Browser(withApp(app)), other: new Browser(withApp(app)) };
  };
  return { oauth, open };
};

/** The header with all cookies that a browser holds. */
export const cookieOf = ({ cookies }: Browser): string =>
  [...cookies].map((pair) => pair.join("=")).join("; ");

/** The name of the session's cookie that a browser holds. */
export const sessionCookie = (browser: Browser): string =>
  [...browser.cookies.keys()].find((name) => name.endsWith("_s")) ?? "";

/** Asks the application who is signed in. */
export const whoami = async (browser: Browser): Promise<string> =>
  (await browser.visit("/me")).text();

/** The application behind the sign-in: says who is signed in. */
export const withApp =
  (signIn: SignIn): Fetch =>
  async (request) =>
    (await signIn.handle(request)) ?? new Response(await nameOf(signIn, request));

/** The name of a request's user, or why there is none. */
export const nameOf = async (signIn: SignIn, input: UserInput): Promise<string> => {
  const state = await signIn.user(input);
  if (state._tag === "SignedIn") return state.user.username ?? "";
  if (state._tag === "Unavailable") return "unavailable";
  return "nobody";
};
