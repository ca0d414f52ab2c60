const HOUR = 3600;
const DAY = 24 * HOUR;

/**
 * How long codes and tokens are valid, and how far the streams lag behind (§3, §8), in seconds. A
 * token response has the number or `null` of `accessToken` as its `expires_in`.
 */
export const Lifetimes = {
  /** Seconds within which an authorization code must be exchanged. */
  authorizationCode: 30,
  /** Seconds that an access token is valid, by grant and client type. `null` means forever. */
  accessToken: { confidential: 28 * DAY, public: 10 * HOUR, clientCredentials: null },
  /** Seconds that a refresh token is valid. A rotated token keeps the expiry of the first token. */
  refreshToken: { confidential: 90 * DAY, public: 7 * DAY },
  /** Seconds by which results of the public stash stream are delayed. */
  publicStashDelay: 300,
  /** Seconds that one response of the currency exchange covers. The current hour is unavailable. */
  exchangePeriod: HOUR,
} as const;
