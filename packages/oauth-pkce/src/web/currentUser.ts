/** The user of a request: one read of the store, and a closed answer whatever it gives. */
import * as Effect from "effect/Effect";
import { ConsentExpired, InvalidGrant, NotSignedIn, type TokenStoreFailed } from "../Errors.ts";
import { digest } from "../internal/digest.ts";
import { toStoreFailure } from "../internal/storeFailure.ts";
import { wrap, type PromiseSession } from "../promise/Session.ts";
import type { Session } from "../Session.ts";
import type { SessionCookie } from "./cookies.ts";
import type { SignInSetting } from "./SignInSetting.ts";
import { cookieHeaderOf } from "./userInput.ts";
import { decodeRow, endReason, type EndReason, type SessionRow, type UserRow } from "./UserRow.ts";
import { changeRow } from "./UserSessions.ts";

/** A signed-in user. */
export interface SignedInUser {
  /** UUID of the account, if the server told. */
  readonly sub: string | undefined;
  readonly username: string | undefined;
  readonly scopes: ReadonlyArray<string>;
  /** Names this browser's session in `signIn.sessions(sub)`. It is no secret. */
  readonly sessionId: string;
  /** The user's tokens, and what `api.as(credentials)` takes. */
  readonly session: PromiseSession;
  /** The same session for programs with Effect. */
  readonly credentials: Session;
  /** `session.withFreshToken`. */
  readonly withFreshToken: PromiseSession["withFreshToken"];
}

/** What a request says about its user. */
export type UserState =
  | { readonly _tag: "SignedIn"; readonly user: SignedInUser }
  /** The browser has no session. */
  | { readonly _tag: "Anonymous" }
  /** The browser's session is over: offer to sign in again. */
  | { readonly _tag: "Ended"; readonly reason: EndReason }
  /** The store does not answer: say so, and don't send the user to sign in. */
  | { readonly _tag: "Unavailable"; readonly error: TokenStoreFailed };

/** Requests later than this after the last noted one are noted. */
const SEEN_MILLIS = 3_600_000;

/** Tells who the user of a request is. Never rejects. */
export const currentUser = async (setting: SignInSetting, input: unknown): Promise<UserState> => {
  const cookie = setting.cookies.readSession(cookieHeaderOf(input));
  return cookie === undefined ? { _tag: "Anonymous" } : userOf(setting, cookie);
};

/** Tells whose session a browser's cookie is. Never rejects. */
export const userOf = async (setting: SignInSetting, cookie: SessionCookie): Promise<UserState> => {
  try {
    return await lookUp(setting, cookie);
  } catch (error) {
    return { _tag: "Unavailable", error: toStoreFailure("read", error) };
  }
};

const lookUp = async (
  setting: SignInSetting,
  { row, secret }: SessionCookie,
): Promise<UserState> => {
  const entry = await setting.store.read(setting.keyOf("user", row));
  if (entry === undefined) return { _tag: "Ended", reason: "signedOut" };
  const found = decodeRow(entry.text);
  if (found === undefined) {
    setting.log("Sign-in: a user's entry opens with none of the keys; they have to sign in again");
    return { _tag: "Ended", reason: "unreadable" };
  }
  const id = await digest(secret);
  const session = found.sessions.find((each) => each.id === id);
  if (session === undefined) return { _tag: "Ended", reason: "signedOut" };
  const reason = endReason(session, entry.now, setting.idleMillis);
  if (reason !== undefined) return { _tag: "Ended", reason };
  const due = session.seenAt + Math.min(SEEN_MILLIS, setting.idleMillis / 10);
  if (entry.now >= due) update(setting, row, { id, change: { seenAt: entry.now } });
  return { _tag: "SignedIn", user: toUser(setting, row, { found, session }) };
};

const toUser = (
  setting: SignInSetting,
  row: string,
  { found, session }: { readonly found: UserRow; readonly session: SessionRow },
): SignedInUser => {
  const { grant, id, scopes } = session;
  const { sub, username } = found;
  let made: { readonly credentials: Session; readonly session: PromiseSession } | undefined;
  // Most pages ask for the name alone.
  const tokens = () => {
    if (made !== undefined) return made;
    const credentials = watched(setting.pool.get(grant), () =>
      update(setting, row, { id, change: { hasConsentEnded: true } }),
    );
    made = { credentials, session: wrap(credentials) };
    return made;
  };
  return {
    sub,
    username,
    scopes,
    sessionId: id,
    get session() {
      return tokens().session;
    },
    get credentials() {
      return tokens().credentials;
    },
    get withFreshToken() {
      return tokens().session.withFreshToken;
    },
  };
};

/** Notes a fact about a session; no response waits for it. */
const update = (
  setting: SignInSetting,
  row: string,
  { change, id }: { readonly id: string; readonly change: Partial<SessionRow> },
): void =>
  setting.background(
    changeRow(setting, row, (before) => {
      const at = before.sessions.findIndex((each) => each.id === id);
      const session = before.sessions[at];
      if (session === undefined || session.hasConsentEnded) return before;
      return { ...before, sessions: before.sessions.with(at, { ...session, ...change }) };
    }),
  );

/** A session that tells when its tokens turn out to have ended. */
const watched = (session: Session, tellEnd: () => void): Session => {
  const watch = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.tapError(effect, (error) => Effect.sync(() => hasEnded(error) && tellEnd()));
  return {
    ...session,
    accessToken: watch(session.accessToken),
    tokens: watch(session.tokens),
    withFreshToken: (f) => watch(session.withFreshToken(f)),
    renew: (refused) => watch(session.renew(refused)),
  };
};

const hasEnded = (error: unknown): boolean =>
  error instanceof InvalidGrant || error instanceof ConsentExpired || error instanceof NotSignedIn;
