/**
 * Composes the packages: OAuth client, token store, sessions, rate limiter and API client.
 *
 * Commands import this module when they run, so that commands that send no request start fast.
 */
import { createHash } from "node:crypto";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import {
  GameApi,
  type GameApiOptions,
  type GameApiService,
  PolicyLimiter,
} from "@game-data/api-client";
import { type RouteName, routes, type Scope } from "@game-data/contract";
import {
  OAuthClient,
  Session,
  TokenCall,
  type TokenSet,
  type TokenStore,
} from "@game-data/oauth-pkce";
import { FileStore } from "@game-data/oauth-pkce/node";
import { Context, Duration, Effect, Layer, Redacted, Schedule, Stream } from "effect";
import manifest from "../package.json" with { type: "json" };
import { required, type Settings, settings } from "./config.ts";
import { readJson } from "./files.ts";
import { printMessage } from "./print.ts";

/** Scope that a token needs to revoke other tokens. */
const REVOKE = "oauth:revoke";

/**
 * Opens the OAuth client and its sessions in the token store. A public client has the session of its
 * user, and a client with a secret a session for each set of scopes that a command needed.
 */
export const openClient = Effect.fnUntraced(function* (from: Settings) {
  const { authUrl, clientId } = yield* required(from, "authUrl", "clientId");
  const { clientSecret, contact, redirectUri } = from;
  const userAgent = { clientId, version: manifest.version, contact };
  const common = { authUrl, clientId, userAgent };
  const store = yield* FileStore.make(from.tokens);
  if (clientSecret === undefined) {
    const client = yield* OAuthClient.publicClient({ ...common, redirectUri });
    const session = Session.forUser(client, { store, key: `${authUrl} ${clientId}` });
    const sessionFor = () => Effect.succeed(session);
    return { client, sessionFor, sessions: Effect.succeed([session]) };
  }
  const client = yield* OAuthClient.confidentialClient({ ...common, clientSecret });
  // The key depends on the secret, because tokens of another secret may be revoked.
  const fingerprint = createHash("sha256").update(Redacted.value(clientSecret)).digest("hex");
  const key = `${authUrl} ${clientId} ${fingerprint.slice(0, 16)}`;
  const open = (set: string) => {
    const scopes = set.split(" ") as ReadonlyArray<Scope>;
    return Session.forApplication(client, { store, key: `${key} ${set}`, scopes });
  };
  const sessionFor = (scopes: ReadonlyArray<Scope>) => {
    const set = scopes.toSorted().join(" ");
    return Effect.as(addSet(store, key, set), open(set));
  };
  // The token that authorizes the revocations is the last to be revoked.
  const sessions = Effect.map(store.read(key), (entry) =>
    [...setsIn(entry).filter((set) => set !== REVOKE), REVOKE].map(open),
  );
  return { client, sessionFor, sessions };
});

const setsIn = (entry: TokenStore.Entry | undefined) => entry?.text.split("\n") ?? [];

/** Lists a set of scopes in the store, so that `signOut` finds the session. */
const addSet = (store: TokenStore.TokenStore, key: string, set: string) =>
  Effect.gen(function* () {
    const entry = yield* store.read(key);
    const sets = setsIn(entry);
    if (sets.includes(set)) return true;
    const text = [...sets, set].join("\n");
    // Retried if another process has changed the entry since the read.
    return yield* store.write(key, entry?.version, { version: text, text });
  }).pipe(Effect.repeat({ until: (isListed) => isListed }));

/**
 * Returns tokens with the scopes. A public client without stored tokens fails with `NotSignedIn`.
 */
export const tokensFor = Effect.fnUntraced(function* (
  from: Settings,
  scopes: ReadonlyArray<Scope>,
) {
  const { sessionFor } = yield* openClient(from);
  const tokens: TokenSet.TokenSet = yield* (yield* sessionFor(scopes)).tokens;
  return tokens;
});

/**
 * Builds the API client with a token for the scopes. Requests the token at once, so that a missing
 * sign-in is reported before the first call.
 */
export const connect = Effect.fnUntraced(function* (scopes: ReadonlyArray<Scope>) {
  const from = yield* settings;
  const { baseUrl, clientId } = yield* required(from, "baseUrl", "clientId");
  const credentials = from.token ?? (yield* (yield* openClient(from)).sessionFor(scopes));
  if (!Redacted.isRedacted(credentials)) yield* credentials.tokens;
  const words = from.words === undefined ? undefined : yield* readJson(from.words);
  const layer = GameApi.layerWithLimiter({
    baseUrl,
    credentials,
    userAgent: { clientId, version: manifest.version, contact: from.contact },
    // The user gets an error instead of an hour-long wait.
    maxWait: Duration.seconds(from.maxWait),
    ...(from.timeout !== undefined && { totalTimeout: Duration.seconds(from.timeout) }),
    words: words as GameApiOptions["words"],
  });
  const limiter = Layer.orDie(PolicyLimiter.layerMemory());
  const context = yield* Layer.build(
    Layer.provideMerge(layer, Layer.merge(limiter, NodeHttpClient.layerUndici)),
  );
  yield* Effect.forkScoped(reportWaits(Context.get(context, PolicyLimiter).waiting));
  return context;
});

/** Returns an API client with a token that has the scopes of the operations. */
export const gameApi = (...names: ReadonlyArray<RouteName>): ReturnType<typeof gameApiWith> =>
  gameApiWith([...new Set(names.flatMap((name): ReadonlyArray<Scope> => routes[name].scopes))]);

/** Returns an API client with a token for the scopes. */
export const gameApiWith = (scopes: ReadonlyArray<Scope>) =>
  Effect.map(connect(scopes), (context): GameApiService => Context.get(context, GameApi));

/**
 * Reports each wait for the rate limits after 3 seconds, because a longer wait would look like a hang.
 * `waiting` returns the number of waiting requests.
 */
export const reportWaits = (waiting: Effect.Effect<number>) =>
  Stream.fromEffectSchedule(waiting, Schedule.spaced("1 second")).pipe(
    Stream.scan(
      () => -1,
      (seconds, requests) => (requests > 0 ? seconds + 1 : -1),
    ),
    Stream.filter((seconds) => seconds === 3),
    Stream.runForEach(() => printMessage("Waiting for the rate limit …")),
  );

const isHeld = (session: Session.Session) =>
  Effect.map(session.status, ({ _tag: tag }) => tag !== "Absent" && tag !== "Dead");

/**
 * Revokes the tokens of the client if a scope permits it, and removes them from this machine in any
 * case. Returns the number of removed sets of tokens, and whether all of them were revoked.
 */
export const signOut = Effect.fn("signOut")(function* (from: Settings) {
  const { sessions } = yield* openClient(from);
  const held = Effect.flatMap(sessions, (all) => Effect.filter(all, isHeld));
  if ((yield* held).length === 0) return { forgotten: 0, revoked: false };
  const using = yield* tokensFor(from, [REVOKE]).pipe(
    Effect.map(({ accessToken, scopes }) => (scopes.includes(REVOKE) ? accessToken : undefined)),
    Effect.orElseSucceed(() => undefined),
  );
  if (using === undefined)
    yield* printMessage("The tokens are removed here and not revoked: that needs oauth:revoke.");
  const revoke = using && { revoke: TokenCall.revokeUsing(using) };
  const results = yield* Effect.forEach(yield* held, (session) =>
    session.signOut(revoke).pipe(
      Effect.as(using !== undefined),
      Effect.catch((error) => {
        // Tokens that stay in the store are not removed, even if they were revoked.
        if (error._tag === "TokenStoreFailed") return Effect.fail(error);
        return Effect.as(printMessage(`Revoking failed: ${error.message}`), false);
      }),
    ),
  );
  return { forgotten: results.length, revoked: results.every((isRevoked) => isRevoked) };
});
