/**
 * The sessions of users. A session is the grant of one browser, stored under the hash of the secret
 * in the browser's cookie. The index of a user lists these hashes.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { SessionError, TokenStoreFailed } from "../Errors.ts";
import { decode, encode, recordTtl, type Grant } from "../internal/Grant.ts";
import { hash, randomText } from "../internal/crypto.ts";
import { wrapSession, type PromiseSession } from "../promise/Session.ts";
import type { Session } from "../Session.ts";
import { revokeIfAllowed } from "../TokenCall.ts";
import { expiry, type TokenSet } from "../TokenSet.ts";
import { runBeside, type App } from "./App.ts";
import { cookieHeader } from "./userInput.ts";

/** Signed-in user of a request, with the tokens for calls on the user's behalf. */
export interface SignedInUser {
  /** UUID of the account, if the server named it. */
  readonly sub: string | undefined;
  readonly username: string | undefined;
  readonly scopes: ReadonlyArray<string>;
  /** Names this browser's session in `signIn.sessions(sub)`. It is not a secret. */
  readonly sessionId: string;
  /** Session with the user's tokens. `api.as` of the API client accepts it. */
  readonly session: PromiseSession;
  /** The same session for programs with Effect. */
  readonly credentials: Session;
  readonly withFreshToken: PromiseSession["withFreshToken"];
}

/**
 * Reason of the end. `idle` and `absolute` are the limits of `SignInOptions`. `consent`: the grant
 * has ended, because the consent expired, it was revoked, or a response was lost. `unreadable`: no
 * key opens the entry.
 */
export type EndReason = "signedOut" | "idle" | "absolute" | "consent" | "unreadable";

/** State of a request's user. Only `SignedIn` has tokens. */
export type UserState =
  | { readonly _tag: "SignedIn"; readonly user: SignedInUser }
  | { readonly _tag: "Anonymous" }
  /** The browser's session has ended. Offer to sign in again. */
  | { readonly _tag: "Ended"; readonly reason: EndReason }
  /** The store does not respond. Show that, and do not send the user to sign in. */
  | { readonly _tag: "Unavailable"; readonly error: TokenStoreFailed };

export const currentUser = Effect.fnUntraced(
  function* (app: App, input: unknown): Effect.fn.Return<UserState, TokenStoreFailed> {
    const secret = app.cookies.readSession(cookieHeader(input));
    if (secret === undefined) return { _tag: "Anonymous" };
    const session = yield* readSession(app, yield* hash(secret));
    if (session === "unreadable")
      yield* Effect.logWarning("Sign-in: no key opens a user's entry; they must sign in again");
    if (typeof session === "string") return { _tag: "Ended", reason: session };
    recordUse(app, session);
    const { id, tokens } = session;
    const { scopes, sub, username } = tokens;
    const credentials = app.sessions.get(id);
    const promises = wrapSession(credentials, app.run);
    const { withFreshToken } = promises;
    return {
      _tag: "SignedIn",
      user: {
        sub,
        username,
        scopes,
        sessionId: id,
        session: promises,
        credentials,
        withFreshToken,
      },
    };
  },
  Effect.catchTag("TokenStoreFailed", (error) =>
    Effect.succeed<UserState>({ _tag: "Unavailable", error }),
  ),
);

interface LiveSession {
  readonly id: string;
  readonly version: string;
  readonly now: number;
  readonly grant: Grant;
  readonly tokens: TokenSet;
}

const readSession = Effect.fnUntraced(function* (
  { absoluteMillis, entryKey, idleMillis, store }: App,
  id: string,
): Effect.fn.Return<LiveSession | EndReason, TokenStoreFailed> {
  const entry = yield* store.read(entryKey("grant", id));
  if (!entry) return "signedOut";
  const { now, version } = entry;
  const grant = decode(entry.text);
  if (!grant) return "unreadable";
  const { ended, seen = now, since = now, tokens } = grant;
  if (ended?.reason === "signedOut") return "signedOut";
  if (ended || !tokens) return "consent";
  if (now - since >= absoluteMillis) return "absolute";
  return now - seen >= idleMillis ? "idle" : { id, version, now, grant, tokens };
});

/** Time between two recorded uses of a session. */
const USE_INTERVAL_MILLIS = 3_600_000;

/** Records that a session is used. No response waits for it. */
const recordUse = (app: App, { grant, id, now, version }: LiveSession): void => {
  const due = (grant.seen ?? 0) + Math.min(USE_INTERVAL_MILLIS, app.idleMillis / 10);
  // A write would take the place of a running renewal's result.
  if (now < due || grant.intent) return;
  const used = { ...grant, seen: now };
  const next = { text: encode(used), ttlMillis: recordTtl(used, now) };
  runBeside(
    app,
    Effect.flatMap(randomText, (newVersion) =>
      app.store.write(app.entryKey("grant", id), version, { ...next, version: newVersion }),
    ),
  );
};

/** A session of a user, for a page that lists their devices. */
export interface SessionInfo {
  /** For `end`. Equals `user.sessionId` in the browser of this session. It is not a secret. */
  readonly id: string;
  readonly startedAt: Date;
  /** The last request, to the hour. */
  readonly seenAt: Date;
  /** Latest end of the session, if known. */
  readonly endsAt: Date | undefined;
  readonly scopes: ReadonlyArray<string>;
  /** Session with the tokens, for work while the user is away. */
  readonly session: PromiseSession;
}

/** The sessions of one user. Each function may reject with `TokenStoreFailed`. */
export interface SessionsOfUser extends ReturnType<typeof userSessions> {}

export const userSessions = (app: App, sub: string) => {
  const list = Effect.flatMap(readIndex(app, sub), ({ ids }) => liveSessions(app, ids));
  const end = Effect.fnUntraced(function* (isMeant: (id: string) => boolean) {
    const ending = (yield* list).filter(({ id }) => isMeant(id));
    yield* Effect.forEach(ending, ({ id }) => endSession(app, id), { concurrency: 8 });
    return ending.length;
  });
  return {
    /** Resolves to the sessions that have not ended, the latest sign-in first. */
    list: (): Promise<ReadonlyArray<SessionInfo>> =>
      app.run(Effect.map(list, (sessions) => sessions.map((each) => toInfo(app, each)))),
    /** Ends a session with its tokens. Resolves to the number of sessions that ended: 0 or 1. */
    end: (sessionId: string) => app.run(end((id) => id === sessionId)),
    /** Signs the user out everywhere, or everywhere else: `{ except: user.sessionId }`. */
    endAll: ({ except }: { readonly except?: string } = {}) => app.run(end((id) => id !== except)),
  };
};

const toInfo = (app: App, { grant, id, now, tokens }: LiveSession): SessionInfo => {
  const { seen = now, since = now } = grant;
  const end = Math.min(sessionEnd(tokens), since + app.absoluteMillis);
  return {
    id,
    startedAt: new Date(since),
    seenAt: new Date(seen),
    endsAt: end === Infinity ? undefined : new Date(end),
    scopes: tokens.scopes,
    session: wrapSession(app.sessions.get(id), app.run),
  };
};

/** Ends a session. Revokes its tokens in the background, if their scopes allow it. */
export const endSession = (app: App, id: string): Effect.Effect<void, SessionError> =>
  app.sessions.get(id).signOut({
    revoke: (client, tokens) => Effect.sync(() => runBeside(app, revokeIfAllowed(client, tokens))),
  });

/** Maximum number of browsers at which a user is signed in. Beyond it the oldest session ends. */
const MAX_SESSIONS = 32;

/** Longer than any consent. */
const INDEX_TTL_MILLIS = 400 * 86_400_000;

/** Adds a session to the index of its user, if it is not there. */
export const addToIndex = Effect.fnUntraced(function* (
  app: App,
  sub: string,
  id: string,
): Effect.fn.Return<void, SessionError> {
  const { ids, key, version } = yield* readIndex(app, sub);
  if (ids.includes(id)) return;
  // Sessions that have ended make room for live ones.
  const isFull = ids.length >= MAX_SESSIONS;
  const all = [id, ...(isFull ? (yield* liveSessions(app, ids)).map((each) => each.id) : ids)];
  const text = JSON.stringify(all.slice(0, MAX_SESSIONS));
  const next = { version: yield* randomText, text, ttlMillis: INDEX_TTL_MILLIS };
  if (!(yield* app.store.write(key, version, next))) return yield* addToIndex(app, sub, id);
  yield* Effect.forEach(all.slice(MAX_SESSIONS), (old) => endSession(app, old));
});

const readIndex = Effect.fnUntraced(function* ({ entryKey, store }: App, sub: string) {
  const key = entryKey("user", yield* hash(`user ${sub}`));
  const entry = yield* store.read(key);
  if (entry?.text === "") yield* Effect.logWarning("Sign-in: no key opens a list of sessions");
  const ids: ReadonlyArray<string> = entry?.text ? JSON.parse(entry.text) : [];
  return { key, version: entry?.version, ids };
});

const liveSessions = (app: App, ids: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(ids, (id) => readSession(app, id), { concurrency: 8 }),
    (sessions) => sessions.filter((session) => typeof session !== "string"),
  );

/** Returns the time until which the tokens of a session work, in milliseconds since 1970. */
const sessionEnd = (tokens: TokenSet): number =>
  tokens.refreshToken ? (tokens.consentExpiresAt ?? Infinity) : expiry(tokens);

/** Returns the seconds until a session ends; `undefined` if its end is not known. */
export const secondsLeft = ({ absoluteMillis }: App, tokens: TokenSet) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const life = Math.min(sessionEnd(tokens) - now, absoluteMillis);
    return life === Infinity ? undefined : Math.max(Math.floor(life / 1000), 1);
  });
