/**
 * Lifetimes of codes and tokens, and delays of the streams (§3, §8), as `Duration`s.
 *
 * `expires_in` of a token response is `Duration.toSeconds` of the access token's lifetime, and
 * `null` where the lifetime is.
 *
 * @example
 * ```ts
 * import { Lifetimes } from "@game-data/contract/Lifetimes";
 * import { Duration } from "effect";
 *
 * if (Duration.toSeconds(Lifetimes.authorizationCode) !== 30) throw new Error("a code lives 30 s");
 * if (Lifetimes.accessToken.clientCredentials !== null) throw new Error("it does not end by time");
 * ```
 */
import * as Duration from "effect/Duration";

/** From the issue of an authorization code to the last moment of its exchange. */
export const authorizationCodeLifetime: Duration.Duration = /*#__PURE__*/ Duration.seconds(30);

/** Refresh tokens by client type. A rotated token inherits the expiry of the first one. */
export const refreshTokenLifetime: {
  readonly confidential: Duration.Duration;
  readonly public: Duration.Duration;
} = {
  confidential: /*#__PURE__*/ Duration.days(90),
  public: /*#__PURE__*/ Duration.days(7),
};

/** Lifetimes and delays of §3 and §8. */
export const Lifetimes: {
  /** From the issue of an authorization code to the last moment of its exchange. */
  readonly authorizationCode: Duration.Duration;
  /** Access tokens by the way they were obtained; `null` means that time does not end them. */
  readonly accessToken: {
    readonly confidential: Duration.Duration;
    readonly public: Duration.Duration;
    readonly clientCredentials: null;
  };
  /** Refresh tokens by client type. A rotated token inherits the expiry of the first one. */
  readonly refreshToken: typeof refreshTokenLifetime;
  /** The delay of the public stash stream. */
  readonly publicStashDelay: Duration.Duration;
  /**
   * The time that one response of the currency exchange covers; the current one is not available.
   */
  readonly exchangePeriod: Duration.Duration;
} = {
  authorizationCode: authorizationCodeLifetime,
  accessToken: {
    confidential: /*#__PURE__*/ Duration.days(28),
    public: /*#__PURE__*/ Duration.hours(10),
    clientCredentials: null,
  },
  refreshToken: refreshTokenLifetime,
  publicStashDelay: /*#__PURE__*/ Duration.minutes(5),
  exchangePeriod: /*#__PURE__*/ Duration.hours(1),
};
