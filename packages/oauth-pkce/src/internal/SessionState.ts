/** The state of one session: its grant in the store, and the work under way. */
import * as Effect from "effect/Effect";
import type * as Fiber from "effect/Fiber";
import type { SessionError } from "../Errors.ts";
import type { SessionOptions } from "../Model.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import type { TokenSet } from "../TokenSet.ts";
import type { StoredGrant } from "./GrantRecord.ts";
import type { GrantStore } from "./GrantStore.ts";
import type { RenewalTimes } from "./grantStates.ts";
import { renewalTimes, type SessionTimes } from "./renewalTimes.ts";

/** The source of tokens of a kind of session. */
export interface TokenSource {
  /** Whether its credential may be sent once only: a refresh token. */
  readonly isSingleUse: boolean;
  readonly obtain: (stored: TokenSet | undefined) => Effect.Effect<TokenSet, SessionError>;
}

/** One session in this process. */
export interface SessionState {
  readonly client: OAuthClient;
  readonly options: SessionOptions;
  readonly times: SessionTimes;
  readonly source: TokenSource;
  readonly grant: GrantStore;
  /** The look into the store that callers share. */
  reading: Fiber.Fiber<TokenSet, SessionError> | undefined;
  /** The renewal that callers share. */
  renewal: Fiber.Fiber<TokenSet | undefined, SessionError> | undefined;
  /** No renewal begins in the background before this time. */
  backgroundFrom: number;
  isClosed: boolean;
}

/** Returns the limits at which the token of a record is renewed. */
export const timesOf = ({ times }: SessionState, { record, version }: StoredGrant): RenewalTimes =>
  renewalTimes(record.tokens, version, times);

/** Whether the session can obtain another token: a public client may have no refresh token. */
export const isRenewable = ({ source }: SessionState, tokens: TokenSet | undefined): boolean =>
  !source.isSingleUse || tokens?.refreshToken !== undefined;

/** Tells Effect's logger and the session's own, which may throw. */
export const warn = ({ log }: SessionOptions, message: string): Effect.Effect<void> =>
  Effect.andThen(Effect.logWarning(message), Effect.ignoreCause(Effect.sync(() => log?.(message))));
