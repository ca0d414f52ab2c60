/**
 * Composes the packages: OAuth client, token store, session, rate limiter and API client.
 *
 * Commands load this module when they need it, so that those without a service start fast.
 */
import { createHash } from "node:crypto";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { GameApi, type GameApiService, PolicyLimiter } from "@game-data/api-client";
import { makeWords, oauthRoutes, type RouteName, routes, type Scope } from "@game-data/contract";
import { OAuthClient, Session, TokenCall, type TokenSet } from "@game-data/oauth-pkce";
import { FileStore } from "@game-data/oauth-pkce/node";
import { Context, Duration, Effect, Layer, Redacted } from "effect";
import manifest from "../package.json" with { type: "json" };
import { required, type Settings, settings } from "./config.ts";
import { Failure } from "./failures.ts";
import { readJson } from "./input.ts";
import { printMessage } from "./print.ts";

/** Names this program to the OAuth server and to the data API. */
const userAgent = (clientId: string, { contact }: Settings) => ({
  clientId,
  version: manifest.version,
  contact,
});

/** Makes the OAuth client: confidential with a secret, else public. */
export const oauthClient = Effect.fnUntraced(function* (from: Settings) {
  const { authUrl, clientId } = yield* required(from, "authUrl", "clientId");
  const common = { authUrl, clientId, userAgent: userAgent(clientId, from) };
  const { clientSecret, redirectUri } = from;
  return clientSecret === undefined
    ? yield* OAuthClient.publicClient({ ...common, redirectUri })
    : yield* OAuthClient.confidentialClient({ ...common, clientSecret });
});

/** The key of the tokens: one for the user, and one for each set of scopes of the application. */
export const storeKey = (client: OAuthClient.OAuthClient, scopes: ReadonlyArray<string> = []) => {
  const { authUrl, clientId } = client;
  if (client.kind === "public") return `${authUrl} ${clientId}`;
  // Tokens that another secret obtained say nothing about this one.
  const fingerprint = createHash("sha256")
    .update(Redacted.value(client.clientSecret))
    .digest("hex");
  return [authUrl, clientId, fingerprint.slice(0, 16), ...scopes.toSorted()].join(" ");
};

/** Opens the session of the user or, with a secret, of the application for the scopes. */
export const sessionFor = Effect.fnUntraced(function* (
  from: Settings,
  scopes: ReadonlyArray<Scope>,
) {
  const client = yield* oauthClient(from);
  const store = yield* FileStore.make(from.tokens);
  return client.kind === "public"
    ? Session.forUser(client, { store, key: storeKey(client) })
    : Session.forApplication(client, { store, key: storeKey(client, scopes), scopes });
});

/**
 * Returns a token with the scopes. Fails with `NotSignedIn` for a public client without stored
 * tokens.
 */
export const tokensFor = Effect.fnUntraced(function* (
  from: Settings,
  scopes: ReadonlyArray<Scope>,
) {
  const { tokens } = yield* sessionFor(from, scopes);
  const found: TokenSet.TokenSet = yield* tokens;
  return found;
});

/**
 * Builds the API client with a token for the scopes. Requests the token at once, so that a missing
 * sign-in is reported before the first call.
 */
export const connect = Effect.fnUntraced(function* (scopes: ReadonlyArray<Scope>) {
  const from = yield* settings;
  const { baseUrl, clientId } = yield* required(from, "baseUrl", "clientId");
  const credentials = from.token ?? (yield* sessionFor(from, scopes));
  if (!Redacted.isRedacted(credentials)) yield* credentials.tokens;
  const words = yield* readWords(from);
  const layer = GameApi.layerWithLimiter({
    baseUrl,
    credentials,
    userAgent: userAgent(clientId, from),
    // A person gets an error instead of an hour-long wait.
    maxWait: Duration.seconds(from.maxWait),
    ...(words !== undefined && { words }),
  });
  const limiter = Layer.orDie(PolicyLimiter.layerMemory());
  const context = yield* Layer.build(
    Layer.provideMerge(layer, Layer.merge(limiter, NodeHttpClient.layerUndici)),
  );
  yield* Effect.forkScoped(reportWaits(Context.get(context, PolicyLimiter)));
  return context;
});

/** Returns an API client with a token for the operations. */
export const gameApi = (...names: ReadonlyArray<RouteName>): ReturnType<typeof gameApiWith> =>
  gameApiWith([...new Set(names.flatMap((name): ReadonlyArray<Scope> => routes[name].scopes))]);

/** Returns an API client with a token for the scopes. */
export const gameApiWith = (scopes: ReadonlyArray<Scope>) =>
  Effect.map(connect(scopes), (context): GameApiService => Context.get(context, GameApi));

const readWords = Effect.fnUntraced(function* ({ words }: Settings) {
  if (words === undefined) return undefined;
  const value = yield* readJson(words);
  return yield* Effect.try({
    try: () => makeWords(value as Parameters<typeof makeWords>[0]),
    catch: (cause) =>
      new Failure({
        code: "SettingInvalid",
        message: `Invalid words: ${(cause as Error).message}`,
        next: `correct ${words}`,
      }),
  });
});

/** Reports a long wait, which would look like a hang. */
const reportWaits = Effect.fnUntraced(function* (limiter: PolicyLimiter["Service"]) {
  let waited = 0;
  while (true) {
    yield* Effect.sleep("1 second");
    waited = (yield* limiter.waiting) === 0 ? 0 : waited + 1;
    if (waited === 3) yield* printMessage("Waiting for the rate limit …");
  }
});

/** The scopes of an application's token that revokes others. */
const REVOKE = "oauth:revoke";

/** The sets of scopes that commands request for an application. Its revoking token goes last. */
const scopeSets = Object.values({ ...routes, ...oauthRoutes })
  .map(({ scopes }) => scopes.join(" "))
  .filter((scopes) => scopes !== REVOKE)
  .concat(REVOKE);

const isHeld = (session: Session.Session) =>
  Effect.map(session.status, ({ _tag: tag }) => tag !== "Absent" && tag !== "Dead");

/**
 * Revokes the tokens of the client if a scope permits it, and removes them from this machine in any
 * case. Returns the number of removed sets of tokens, and whether all of them were revoked.
 */
export const signOut = Effect.fn("signOut")(function* (from: Settings) {
  const client = yield* oauthClient(from);
  const store = yield* FileStore.make(from.tokens);
  const keys = new Set(scopeSets.map((scopes) => storeKey(client, scopes.split(" "))));
  const sessions = Array.from(keys, (key) => Session.forUser(client, { store, key }));
  if ((yield* Effect.filter(sessions, isHeld)).length === 0)
    return { forgotten: 0, revoked: false };
  const using = yield* tokensFor(from, [REVOKE]).pipe(
    Effect.map(({ accessToken, scopes }) => (scopes.includes(REVOKE) ? accessToken : undefined)),
    Effect.orElseSucceed(() => undefined),
  );
  let revoked = using !== undefined;
  if (!revoked)
    yield* printMessage("The tokens are removed here and not revoked: that needs oauth:revoke.");
  const held = yield* Effect.filter(sessions, isHeld);
  for (const session of held)
    yield* session
      .signOut(using === undefined ? {} : { revoke: TokenCall.revokeUsing(using) })
      .pipe(
        Effect.catch((error) => {
          // A token that stays in the store is not forgotten, even if it was revoked.
          if (error._tag === "TokenStoreFailed") return Effect.fail(error);
          revoked = false;
          return printMessage(`Revoking failed: ${error.message}`);
        }),
      );
  return { forgotten: held.length, revoked };
});
