/** Clients of a fake server, a flow brought up to its callback, and a user who has signed in. */
import { Effect, Fiber, Redacted } from "effect";
import { TestClock } from "effect/testing";
import {
  OAuthClient,
  PkceFlow,
  Session,
  type TokenSet,
  TokenStore,
  type TokenStoreFailed,
} from "../src/index.ts";
import { decode } from "../src/internal/Grant.ts";
import { fakeServer, rotating, type Reply } from "./FakeServer.ts";

export const REDIRECT = "http://127.0.0.1:49152/callback";

export const publicClient = (
  authUrl: string,
  options: Partial<OAuthClient.PublicClientOptions> = {},
) => OAuthClient.publicClient({ authUrl, clientId: "desktop", redirectUri: REDIRECT, ...options });

export const confidentialClient = (
  authUrl: string,
  options: Partial<OAuthClient.ConfidentialClientOptions> = {},
) =>
  OAuthClient.confidentialClient({
    authUrl,
    clientId: "backend",
    clientSecret: "s3cret-of-the-backend",
    redirectUri: "https://app.example.com/callback",
    ...options,
  });

/** A fake server, and a client of it. */
export const served = Effect.fnUntraced(function* (
  reply?: Reply,
  options: Partial<OAuthClient.PublicClientOptions> = {},
) {
  const server = yield* fakeServer(reply);
  return { server, client: yield* publicClient(server.url, options) };
});

/** The same with a confidential client. */
export const servedBackend = Effect.fnUntraced(function* (
  reply?: Reply,
  options: Partial<OAuthClient.ConfidentialClientOptions> = {},
) {
  const server = yield* fakeServer(reply);
  return { server, client: yield* confidentialClient(server.url, options) };
});

/** A started flow and a function that builds its callback. */
export const startedFlow = Effect.fnUntraced(function* (client: OAuthClient.OAuthClient) {
  const { url, pending } = yield* PkceFlow.start(client, { scopes: ["account:profile"] });
  const state = Redacted.value(pending.state);
  const callback = (params: Record<string, string>) =>
    `${pending.redirectUri}?${new URLSearchParams({ state, ...params })}`;
  return { url: new URL(url), pending, state, callback };
});

/** The callback that a consent to this address leads to. */
export const callbackOf = (authorizeUrl: string, code = "c"): string => {
  const sent = new URL(authorizeUrl).searchParams;
  const callback = new URL(sent.get("redirect_uri")!);
  callback.searchParams.set("code", code);
  callback.searchParams.set("state", sent.get("state")!);
  return callback.href;
};

/** A callback that passed, ready to be exchanged. */
export const validCallback = Effect.fnUntraced(function* (client: OAuthClient.OAuthClient) {
  const { pending, callback } = yield* startedFlow(client);
  return yield* PkceFlow.validateCallback(client, pending, callback({ code: "the-code" }));
});

/** A signed-in user whose token lives an hour, on a server that rotates. */
export const signedIn = Effect.fnUntraced(function* (
  options: Session.SessionOptions = {},
  reply: Reply = rotating({ expires_in: 3600 }),
) {
  const server = yield* fakeServer(reply);
  const client = yield* publicClient(server.url);
  const session = Session.forUser(client, options);
  const tokens = yield* PkceFlow.exchange(client, yield* validCallback(client));
  yield* session.signIn(tokens);
  server.received.length = 0;
  return { server, client, session, tokens };
});

/** A set of tokens that ends after an hour of virtual time. */
export const tokenSet = (changes: Partial<TokenSet.TokenSet> = {}): TokenSet.TokenSet => ({
  accessToken: Redacted.make("AT-1"),
  refreshToken: Redacted.make("RT-1"),
  expiresAt: 3_600_000,
  issuedAt: 0,
  scopes: ["account:profile"],
  ...changes,
});

/**
 * A store in memory that counts its calls and runs `hooks.at` before each read, and before and after each
 * write of `the intent`, `the tokens` or `the end`: a test holds a process up there, or lets it fail.
 */
export const steppedStore = (memory = TokenStore.memory()) => {
  type Hook = (step: string) => Effect.Effect<unknown, TokenStoreFailed>;
  const hooks = { reads: 0, writes: 0, at: (() => Effect.void) as Hook };
  const store: TokenStore.TokenStore = {
    read: (key) => {
      hooks.reads += 1;
      return Effect.andThen(hooks.at("before the read"), memory.read(key));
    },
    write: Effect.fnUntraced(function* (key, expected, next) {
      hooks.writes += 1;
      const what = /"(intent|end)(?:ed)?"/.exec(next.text)?.[1] ?? "tokens";
      yield* hooks.at(`before the ${what}`);
      const isWritten = yield* memory.write(key, expected, next);
      yield* hooks.at(`after the ${what}`);
      return isWritten;
    }),
  };
  return { memory, store, hooks };
};

/** The tokens that a store holds. */
export const storedTokens = (store: TokenStore.TokenStore, key = "desktop") =>
  Effect.map(store.read(key), (entry) => entry && decode(entry.text)?.tokens);

/** Runs an effect while virtual time passes beside real requests, ten milliseconds a step. */
export const whileTimePasses = <A, E, R>(effect: Effect.Effect<A, E, R>, step = 10) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect);
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(step);
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)));
    }
    return yield* Fiber.join(fiber);
  });

/** A `fetch` that passes the form of each request to `answer`. */
export const answering =
  (
    answer: (form: Readonly<Record<string, string>>) => Effect.Effect<Response, Error>,
  ): typeof globalThis.fetch =>
  (_, init) =>
    Effect.runPromise(answer(Object.fromEntries(new URLSearchParams(String(init?.body)))));

/** The failure of a request with the system's code. */
export const failing = (code: string) =>
  Effect.fail(Object.assign(new Error("fetch failed"), { code }));
