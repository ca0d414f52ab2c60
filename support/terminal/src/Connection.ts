/**
 * From settings to a client of the service: OAuth client, token store, session, rate limiter,
 * `GameApi`.
 *
 * This module pulls the packages in; commands reach it through `Service`, so that those without a
 * service start without them.
 */
import { GameApi, LimiterStore, PolicyLimiter } from "@game-data/api-client";
import { makeWords, type Scope } from "@game-data/contract";
import { OAuthClient, Session, type TokenStore } from "@game-data/oauth-pkce";
import { FileStore } from "@game-data/oauth-pkce/node";
import { Context, Effect, Layer } from "effect";
import type { HttpClient } from "effect/http/HttpClient";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import { failure } from "./Failure.ts";
import { note } from "./Output.ts";
import { Program } from "./Program.ts";
import { required, type Settings } from "./Settings.ts";

/** The OAuth client of the settings: confidential with a secret, else public. */
export const oauthClient = Effect.fnUntraced(function* (from: Settings) {
  const common = {
    authUrl: yield* required(from, "authUrl"),
    clientId: yield* required(from, "clientId"),
    allowInsecureLoopback: true,
  };
  return from.clientSecret === undefined
    ? yield* OAuthClient.publicClient({ ...common, redirectUri: from.redirectUri })
    : yield* OAuthClient.confidentialClient({ ...common, clientSecret: from.clientSecret });
});

/** The store of the settings. */
export const tokenStore = (from: Settings) => FileStore.make(from.tokens);

/**
 * Writes, reads and removes an entry, so that a sign-in does not end with tokens that nobody can
 * keep.
 */
export const probe = (store: TokenStore.TokenStore) =>
  Effect.gen(function* () {
    const key = `probe ${process.pid}`;
    yield* store.write(key, undefined, { version: "1", text: "probe", ttl: "1 minute" });
    yield* store.read(key);
    yield* store.write(key, "1", undefined);
  });

/**
 * The entries of a client in the store: the user's, and one for each set of scopes that the
 * application asked for.
 */
export const keyOf = (client: OAuthClient.OAuthClient, scopes: ReadonlyArray<string> = []) =>
  [client.authUrl, client.clientId, ...scopes.toSorted()].join(" ");

/** The session of the signed-in user; with a secret, the application's own for the scopes. */
export const sessionFor = Effect.fnUntraced(function* (
  from: Settings,
  scopes: ReadonlyArray<Scope>,
) {
  const client = yield* oauthClient(from);
  const store = yield* tokenStore(from);
  return client.kind === "public"
    ? Session.forUser(client, { store, key: keyOf(client) })
    : Session.forApplication(client, { store, key: keyOf(client, scopes), scopes });
});

/**
 * Credentials for the scopes. A missing sign-in is told here, in the words of `oauth-pkce`, before
 * anything else happens.
 */
const credentialsFor = Effect.fnUntraced(function* (from: Settings, scopes: ReadonlyArray<Scope>) {
  if (from.token !== undefined) return from.token;
  const session = yield* sessionFor(from, scopes);
  yield* session.tokens;
  return session;
});

/** A client of the data API, and the limiter that it asks. */
export const connect = Effect.fnUntraced(function* (
  from: Settings,
  scopes: ReadonlyArray<Scope>,
  http: Layer.Layer<HttpClient> = FetchHttpClient.layer,
) {
  const baseUrl = yield* required(from, "baseUrl");
  const credentials = yield* credentialsFor(from, scopes);
  const options = {
    baseUrl,
    credentials,
    userAgent: {
      clientId: from.clientId ?? "unknown",
      version: (yield* Program).version,
      contact: from.contact,
    },
    ...(from.words !== undefined && { words: yield* checkWords(from.words) }),
  };
  const context = yield* Layer.build(
    Layer.provideMerge(GameApi.layerWithLimiter(options), Layer.merge(limiterOf(from), http)),
  );
  yield* Effect.forkScoped(tellWaits(Context.get(context, PolicyLimiter)));
  return context;
});

/** A limiter that lets no request wait for longer than the settings' `maxWait`. */
export const limiterOf = ({ maxWait }: Settings) =>
  Layer.effect(PolicyLimiter, Effect.map(PolicyLimiter, patientFor(maxWait))).pipe(
    Layer.provide(PolicyLimiter.layer()),
    Layer.provide(LimiterStore.layerMemory),
  );

/** Who sits at a prompt wants to be told rather than to wait for an hour. */
const patientFor =
  (seconds: number) =>
  (limiter: PolicyLimiter["Service"]): PolicyLimiter["Service"] => ({
    ...limiter,
    run: (call, attempt, report) =>
      limiter.run({ ...call, maxWait: call.maxWait ?? `${seconds} seconds` }, attempt, report),
  });

/** The words of the settings, checked. */
export const checkWords = (words: NonNullable<Settings["words"]>) =>
  Effect.try({
    try: () => makeWords(words),
    catch: (cause) =>
      failure("setting-invalid", `The words are not usable: ${(cause as Error).message}`, {
        details: { setting: "words" },
      }),
  });

/** Long waits look like a hang. */
const tellWaits = Effect.fnUntraced(function* (limiter: PolicyLimiter["Service"]) {
  let waited = 0;
  while (true) {
    yield* Effect.sleep("1 second");
    waited = (yield* limiter.waiting) === 0 ? 0 : waited + 1;
    if (waited === 3) yield* note("Waiting for the rate limit …");
  }
});
