/** The times of an access token: its end, and the limits at which it is renewed. */
import * as Redacted from "effect/Redacted";
import type { SessionOptions } from "../Model.ts";
import type { TokenSet } from "../TokenSet.ts";
import type { RenewalTimes } from "./grantStates.ts";
import { positiveMillis } from "./options.ts";

/** The checked times among a session's options, in milliseconds. */
export interface SessionTimes {
  readonly refreshBeforeExpiry: number | undefined;
  readonly waitBeforeExpiry: number;
  /** Within which the refresh token may be sent after its intent (`M`). */
  readonly sendWithin: number;
}

const MAX_REFRESH_BEFORE_MILLIS = 3 * 86_400_000;

/** Checks the times among a session's options. Throws `ConfigurationInvalid`. */
export const checkedTimes = ({
  refreshBeforeExpiry,
  sendWithin = 5_000,
  // AppAuth's choice: enough for clocks that differ and requests that take long.
  waitBeforeExpiry = 60_000,
}: SessionOptions): SessionTimes => ({
  refreshBeforeExpiry:
    refreshBeforeExpiry === undefined
      ? undefined
      : positiveMillis("refreshBeforeExpiry", refreshBeforeExpiry),
  waitBeforeExpiry: positiveMillis("waitBeforeExpiry", waitBeforeExpiry),
  sendWithin: positiveMillis("sendWithin", sendWithin),
});

/** Limits of the states, at the same time for every server: the jitter comes from the version. */
export const renewalTimes = (
  tokens: TokenSet | undefined,
  version: string,
  { refreshBeforeExpiry, waitBeforeExpiry }: SessionTimes,
): RenewalTimes => {
  if (!tokens || typeof tokens.expiresAt === "string") return { renewFrom: 0, waitFrom: 0 };
  const life = tokens.expiresAt - tokens.issuedAt;
  const renewFrom =
    refreshBeforeExpiry === undefined
      ? Math.min(life / 10, MAX_REFRESH_BEFORE_MILLIS) * jitter(version)
      : // Half of its life at most: short-lived tokens would be refreshed all the time.
        Math.min(life / 2, refreshBeforeExpiry);
  return { renewFrom, waitFrom: Math.min(waitBeforeExpiry, renewFrom / 2) };
};

/** A factor from 0.9 to 1.1 that is the same for everybody who reads this version. */
const jitter = (version: string): number => {
  let sum = 0;
  for (let at = 0; at < 8; at++) sum = (sum * 31 + (version.charCodeAt(at) || 0)) % 201;
  return 0.9 + sum / 1000;
};

/** Milliseconds since 1970 until which the access token can be used. */
export const endOf = (tokens: TokenSet | undefined): number => {
  if (!tokens) return 0;
  return typeof tokens.expiresAt === "string" ? Infinity : tokens.expiresAt;
};

/** Whether the set has another access token than the refused one. */
export const isOther = (
  tokens: TokenSet | undefined,
  refused: Redacted.Redacted | undefined,
): boolean => !refused || !tokens || Redacted.value(tokens.accessToken) !== Redacted.value(refused);
