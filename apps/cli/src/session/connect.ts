/**
 * Connects to the service with the settings: OAuth client, token store, session, rate limiter,
 * `GameApi`.
 *
 * Commands load this module on demand through `apiContext`, because it loads the client packages.
 */
import { createHash } from "node:crypto";
import { GameApi, PolicyLimiter } from "@game-data/api-client";
import { makeWords, type Scope } from "@game-data/contract";
import {
  OAuthClient,
  Session,
  type TokenStore,
  type TokenStoreFailed,
} from "@game-data/oauth-pkce";
import { FileStore, keychainKey } from "@game-data/oauth-pkce/node";
import { makeSealer } from "@game-data/oauth-pkce/sealer";
import { Context, Duration, Effect, Layer, Redacted } from "effect";
import { failure } from "@game-data/terminal/Failure";
import { printError } from "@game-data/terminal/Output";
import { Program } from "@game-data/terminal/Host";
import { required, type Settings } from "../config/Settings.ts";

/** Makes the OAuth client: confidential with a secret, else public. */
export const oauthClient = Effect.fnUntraced(function* (from: Settings) {
  const common = {
    authUrl: yield* required(from, "authUrl"),
    clientId: yield* required(from, "clientId"),
    userAgent: yield* userAgentOf(from),
  };
  return from.clientSecret === undefined
    ? yield* OAuthClient.publicClient({ ...common, redirectUri: from.redirectUri })
    : yield* OAuthClient.confidentialClient({ ...common, clientSecret: from.clientSecret });
});

/** Opens the token store; with the setting `keychain`, sealed with a key of the keychain. */
export const tokenStore = Effect.fnUntraced(function* (
  { keychain, tokens }: Settings,
  readKey: () => Effect.Effect<Uint8Array, TokenStoreFailed> = () => keychainKey("gamedata"),
) {
  // Without a home folder none is known, and the working directory is no place for a secret.
  if (tokens === "") {
    const next = "set HOME, or name a folder with GAME_DATA_TOKENS";
    return yield* failure("setting-invalid", "No folder for the tokens is known.", { next });
  }
  if (!keychain) return yield* FileStore.make(tokens);
  const keys = { current: "keychain", keys: { keychain: yield* readKey() } };
  const sealer = yield* Effect.promise(() => makeSealer({ ...keys, purpose: "tokens" }));
  return yield* FileStore.make(tokens, { sealer });
});

/** Writes, reads and removes an entry, to find a broken store before a user signs in. */
export const probeStore = (store: TokenStore.TokenStore) =>
  Effect.gen(function* () {
    const key = `probe ${process.pid}`;
    yield* store.write(key, undefined, { version: "1", text: "probe", ttlMillis: 60_000 });
    yield* store.read(key);
    yield* store.write(key, "1", undefined);
  });

/** The store's key: one for the user, and one for each set of scopes of the application. */
export const storeKey = (client: OAuthClient.OAuthClient, scopes: ReadonlyArray<string> = []) =>
  [
    client.authUrl,
    client.clientId,
    ...(client.kind === "confidential" ? [fingerprint(client.clientSecret)] : []),
    ...scopes.toSorted(),
  ].join(" ");

/** Identifies a secret: a token that another secret obtained says nothing about this one. */
const fingerprint = (secret: Redacted.Redacted) =>
  createHash("sha256").update(Redacted.value(secret)).digest("base64url").slice(0, 16);

/** Opens the session of the user or, with a secret, of the application for the scopes. */
export const sessionFor = Effect.fnUntraced(function* (
  from: Settings,
  scopes: ReadonlyArray<Scope>,
) {
  const client = yield* oauthClient(from);
  const store = yield* tokenStore(from);
  return client.kind === "public"
    ? Session.forUser(client, { store, key: storeKey(client) })
    : Session.forApplication(client, { store, key: storeKey(client, scopes), scopes });
});

/** Returns credentials for the scopes. Fails at once if nobody is signed in. */
export const credentialsFor = Effect.fnUntraced(function* (
  from: Settings,
  scopes: ReadonlyArray<Scope>,
) {
  if (from.token !== undefined) return from.token;
  const session = yield* sessionFor(from, scopes);
  yield* session.tokens;
  return session;
});

/** Returns the options of the client of the data API, without credentials. */
export const apiOptions = Effect.fnUntraced(function* (from: Settings) {
  return {
    baseUrl: yield* required(from, "baseUrl"),
    userAgent: yield* userAgentOf(from),
    // Interactive users get an error instead of an hour-long wait.
    maxWait: Duration.seconds(from.maxWait),
    ...(from.words !== undefined && { words: yield* checkWords(from.words) }),
  };
});

/** Names this program in the requests to data API and OAuth server. */
export const userAgentOf = Effect.fnUntraced(function* ({
  clientId = "unknown",
  contact,
}: Settings) {
  return { clientId, version: (yield* Program).version, contact };
});

/** `fetch` inflates a body by itself and takes one that was cut for whole; undici hands it out as it came. */
const undici = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@effect/platform-node/NodeHttpClient")),
    ({ layerUndici }) => layerUndici,
  ),
);

/** Builds the client of the data API and its limiter. */
export const connect = Effect.fnUntraced(function* (from: Settings, scopes: ReadonlyArray<Scope>) {
  const common = yield* apiOptions(from);
  const options = { ...common, credentials: yield* credentialsFor(from, scopes) };
  const context = yield* Layer.build(
    Layer.provideMerge(
      GameApi.layerWithLimiter(options),
      Layer.merge(Layer.orDie(PolicyLimiter.layerMemory()), undici),
    ),
  );
  yield* Effect.forkScoped(reportWaits(Context.get(context, PolicyLimiter)));
  return context;
});

/** Checks the deployment's words. */
export const checkWords = (words: NonNullable<Settings["words"]>) =>
  Effect.try({
    try: () => makeWords(words),
    catch: (cause) =>
      failure("setting-invalid", `Invalid words: ${(cause as Error).message}`, {
        details: { setting: "words" },
      }),
  });

/** Reports a long wait, which would look like a hang. */
const reportWaits = Effect.fnUntraced(function* (limiter: PolicyLimiter["Service"]) {
  let waited = 0;
  while (true) {
    yield* Effect.sleep("1 second");
    waited = (yield* limiter.waiting) === 0 ? 0 : waited + 1;
    if (waited === 3) yield* printError("Waiting for the rate limit …");
  }
});
