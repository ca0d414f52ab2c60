const HOUR = 3600;
const DAY = 24 * HOUR;

/**
 * How long codes and tokens are valid, and how far the streams lag behind (§3, §8), in seconds. A
 * token response has the number or `null` of `accessToken` as its `expires_in`.
 */
export const Lifetimes = {
  /** From the issue of an authorization code to its exchange. */
  authorizationCode: 30,
  /** Access tokens by grant and client type; `null`: the token does not expire. */
  accessToken: { confidential: 28 * DAY, public: 10 * HOUR, clientCredentials: null },
  /** Refresh tokens by client type. A rotated token keeps the expiry of the first token. */
  refreshToken: { confidential: 90 * DAY, public: 7 * DAY },
  /** The delay of the public stash stream. */
  publicStashDelay: 300,
  /** The time that one response of the currency exchange covers. The current period is unavailable. */
  exchangePeriod: HOUR,
} as const;
