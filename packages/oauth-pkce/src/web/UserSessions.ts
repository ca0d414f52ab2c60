/** The sessions of a user: changes to their row, their list, and their end. */
import { TokenStoreFailed } from "../Errors.ts";
import { thrice, writeSurely } from "../internal/boundedStore.ts";
import type { TokenSet } from "../Model.ts";
import { runPromise } from "../promise/runPromise.ts";
import * as Revocation from "../Revocation.ts";
import { rowName, sharedGrantName, type SignInSetting } from "./SignInSetting.ts";
import {
  decodeRow,
  emptyRow,
  endReason,
  rowLifetime,
  type SessionRow,
  type UserRow,
} from "./UserRow.ts";

/** A session of a user, as a page of their devices shows it. */
export interface SessionInfo {
  /** For `end`, and equal to `user.sessionId` of the browser that holds it. It is no secret. */
  readonly id: string;
  readonly startedAt: Date;
  /** The last request, to the hour. */
  readonly seenAt: Date;
  /** `undefined` if only disuse ends it. */
  readonly endsAt: Date | undefined;
  readonly scopes: ReadonlyArray<string>;
}

/** The sessions of one user. Each function may reject with `TokenStoreFailed`. */
export interface SessionsOfUser {
  /** The sessions that have not ended, the latest sign-in first. */
  readonly list: () => Promise<ReadonlyArray<SessionInfo>>;
  /** Ends a session, its tokens included; returns how many have ended: 0 or 1. */
  readonly end: (sessionId: string) => Promise<number>;
  /**
   * Signs the user out everywhere, or everywhere else: `{ except: user.sessionId }`. Returns how
   * many sessions have ended. Tokens that a user's sessions share end only without `except`.
   */
  readonly endAll: (options?: { readonly except?: string }) => Promise<number>;
}

/** The sessions of the user with this `sub`. */
export const sessionsOf = (setting: SignInSetting, sub: string): SessionsOfUser => {
  const { idleMillis, keyOf, store } = setting;
  const drop = async (isDropped: (session: SessionRow) => boolean) => {
    const name = await rowName(sub);
    const { gone, now } = await dropSessions(setting, name, isDropped);
    return gone.filter((session) => endReason(session, now, idleMillis) === undefined).length;
  };
  return {
    list: async () => {
      const entry = await store.read(keyOf("user", await rowName(sub)));
      if (entry === undefined) return [];
      return (decodeRow(entry.text) ?? emptyRow).sessions
        .filter((session) => endReason(session, entry.now, idleMillis) === undefined)
        .toSorted((a, b) => b.startedAt - a.startedAt)
        .map(toInfo);
    },
    end: (sessionId) => drop(({ id }) => id === sessionId),
    endAll: async ({ except } = {}) => {
      const count = await drop(({ id }) => id !== except);
      if (setting.tokensPer === "user" && except === undefined)
        endGrant(setting, keyOf("grant", sharedGrantName(await rowName(sub))));
      return count;
    },
  };
};

const toInfo = ({ endsAt, id, scopes, seenAt, startedAt }: SessionRow): SessionInfo => ({
  id,
  startedAt: new Date(startedAt),
  seenAt: new Date(seenAt),
  endsAt: endsAt === undefined ? undefined : new Date(endsAt),
  scopes,
});

/** Takes sessions out of a row; the tokens that are their own end behind the response. */
export const dropSessions = async (
  setting: SignInSetting,
  row: string,
  isDropped: (session: SessionRow) => boolean,
): Promise<Changed> => {
  const changed = await changeRow(setting, row, (before) =>
    before.sessions.some(isDropped)
      ? { ...before, sessions: before.sessions.filter((session) => !isDropped(session)) }
      : before,
  );
  endGrants(setting, row, changed.gone);
  return changed;
};

/** What a change took away, and the time of the store's clock. */
export interface Changed {
  readonly gone: ReadonlyArray<SessionRow>;
  readonly now: number;
}

const MAX_CHANGES = 40;

/**
 * Changes a row by compare-and-set, anew after each other writer. `change` gets `undefined` as the
 * time if there is no row; what it returns unchanged is not written. May be repeated.
 */
export const changeRow = async (
  { idleMillis, keyOf, store }: SignInSetting,
  row: string,
  change: (row: UserRow, now: number | undefined) => UserRow | Promise<UserRow>,
): Promise<Changed> => {
  const key = keyOf("user", row);
  for (let tries = 0; tries < MAX_CHANGES; tries++) {
    const entry = await thrice(() => store.read(key));
    const before = (entry && decodeRow(entry.text)) ?? emptyRow;
    const after = await change(before, entry?.now);
    const now = entry?.now ?? after.sessions[0]?.startedAt ?? Date.now();
    if (after === before) return { gone: [], now };
    const lost = await writeSurely(store, {
      key,
      expected: entry?.version,
      // A row without sessions stays for a while: a removal could not be told from another's.
      next: {
        version: crypto.randomUUID(),
        text: JSON.stringify(after),
        ttlMillis: rowLifetime(after, now, idleMillis),
      },
    });
    const isLeft = ({ id }: SessionRow) => after.sessions.some((session) => session.id === id);
    if (lost === undefined)
      return { gone: before.sessions.filter((session) => !isLeft(session)), now };
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * tries));
  }
  throw new TokenStoreFailed({ operation: "write", reason: "the entry keeps changing" });
};

/** Ends the tokens of sessions that are gone; those that a user's sessions share stay. */
export const endGrants = (
  setting: SignInSetting,
  row: string,
  gone: ReadonlyArray<SessionRow>,
): void => {
  const shared = setting.keyOf("grant", sharedGrantName(row));
  for (const { grant } of gone) if (grant !== shared) endGrant(setting, grant);
};

/** Revokes tokens if their scopes allow it, and forgets them; no response waits for it. */
const endGrant = (setting: SignInSetting, key: string): void => {
  const revoke = (_: unknown, tokens: TokenSet) => Revocation.ifAllowed(setting.client, tokens);
  setting.background(thrice(() => runPromise(setting.pool.get(key).signOut({ revoke }))));
};
