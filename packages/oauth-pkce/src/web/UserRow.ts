/**
 * All sessions of one user as one row of the store, so that each change is one compare-and-set and
 * no session can be missed when all of them end. Times are milliseconds of the store's clock.
 */
import {
  hasMembers,
  isNumber,
  isString,
  isStrings,
  optional,
  parseObject,
} from "../internal/json.ts";

/** One session: one browser that signed in. */
export interface SessionRow {
  /** SHA-256 of the secret in the browser's cookie. */
  readonly id: string;
  readonly startedAt: number;
  /** The last request, to the hour. */
  readonly seenAt: number;
  /** Missing if time does not end it. */
  readonly endsAt?: number;
  readonly scopes: ReadonlyArray<string>;
  /** The store's key of its tokens. */
  readonly grant: string;
  /** Whether the server has refused its tokens. */
  readonly hasConsentEnded?: boolean;
}

/** The row of a user. */
export interface UserRow {
  readonly v: 1;
  /** UUID of the account, if the server told. */
  readonly sub?: string;
  readonly username?: string;
  readonly sessions: ReadonlyArray<SessionRow>;
}

/** Why a session is over. */
export type EndReason = "signedOut" | "idle" | "absolute" | "consent" | "unreadable";

/** A row without sessions. */
export const emptyRow: UserRow = { v: 1, sessions: [] };

/** Reads a row; `undefined` for any other text. */
export const decodeRow = (text: string): UserRow | undefined => {
  const found = parseObject(text);
  return isRow(found) ? found : undefined;
};

const SESSION = {
  id: isString,
  startedAt: isNumber,
  seenAt: isNumber,
  endsAt: /*#__PURE__*/ optional(isNumber),
  scopes: isStrings,
  grant: isString,
  hasConsentEnded: /*#__PURE__*/ optional((flag) => typeof flag === "boolean"),
};

const ROW = {
  v: (version: unknown) => version === 1,
  sub: /*#__PURE__*/ optional(isString),
  username: /*#__PURE__*/ optional(isString),
  sessions: (list: unknown) =>
    Array.isArray(list) && list.every((session) => hasMembers(session, SESSION)),
};

const isRow = (value: unknown): value is UserRow => hasMembers(value, ROW);

/** Tells whether a session is over at `now` of the store's clock, and why. */
export const endReason = (
  { endsAt = Infinity, hasConsentEnded, seenAt }: SessionRow,
  now: number,
  idleMillis: number,
): EndReason | undefined => {
  if (hasConsentEnded) return "consent";
  if (now >= endsAt) return "absolute";
  return now - seenAt >= idleMillis ? "idle" : undefined;
};

/** A user may be signed in at so many browsers; beyond that the longest unused one goes. */
const MAX_SESSIONS = 32;
/** For so long an ended session can still say why it ended. */
const MEMORY_MILLIS = 86_400_000;

/** What a sign-in tells about its user. */
export type Account = Pick<UserRow, "sub" | "username">;

/** Adds a session in place of `replaced`; what is long over, and what is too much, goes. */
export const withSession = (
  row: UserRow,
  added: SessionRow,
  { account, replaced }: { readonly account: Account; readonly replaced: string | undefined },
): UserRow => {
  if (row.sessions.some(({ id }) => id === added.id)) return row;
  const now = added.startedAt;
  const others = row.sessions
    .filter(({ endsAt = Infinity, id }) => id !== replaced && now < endsAt + MEMORY_MILLIS)
    .toSorted((a, b) => b.seenAt - a.seenAt)
    .slice(0, MAX_SESSIONS - 1)
    // Tokens that they share have been replaced by new ones.
    .map(({ hasConsentEnded = false, ...rest }) =>
      hasConsentEnded && rest.grant !== added.grant ? { ...rest, hasConsentEnded } : rest,
    );
  return { ...row, ...account, sessions: [added, ...others] };
};

/** Milliseconds for which a store keeps the row: until its last session is long over. */
export const rowLifetime = (
  { sessions }: UserRow,
  now: number,
  idleMillis: number,
): number | undefined => {
  const ends = sessions.map(({ endsAt = Infinity, seenAt }) =>
    Math.min(endsAt, seenAt + idleMillis),
  );
  const last = Math.max(...ends);
  return last === Infinity ? undefined : Math.ceil(Math.max(last - now, 0) + MEMORY_MILLIS);
};
