/** Options of the limiter, their defaults and their checks. */
import * as Duration from "effect/Duration";
import { LimiterOptionInvalid } from "./Errors.ts";
import { type LimitReader, xRateLimit } from "./Headers.ts";

/** Options of a limiter. An invalid value is refused with `LimiterOptionInvalid`. */
export interface LimiterOptions {
  /** Reads the rate-limit headers of a response. Default: `xRateLimit`. */
  readonly read?: LimitReader | undefined;
  /** Rules whose budget all identities share. Default: `ip` and `client`. */
  readonly sharedRules?: ReadonlyArray<string> | undefined;
  /**
   * The limits of a service that sends no headers, such as `{ max: 10, period: "5 seconds" }`. A
   * 429 response lowers them, and a response with headers replaces them.
   */
  readonly limits?:
    | ReadonlyArray<{ readonly max: number; readonly period: Duration.Input }>
    | undefined;
  /** A request that would wait for longer than this fails at once. Default: 1 minute. */
  readonly maxWait?: Duration.Input | undefined;
  /** Maximum requests in flight. Bursts can trigger a firewall. Default: 8. */
  readonly maxInFlight?: number | undefined;
  /** Maximum requests in flight on a route without rate-limit headers. Default: 4. */
  readonly concurrencyWithoutHeaders?: number | undefined;
  /** A request whose outcome is not reported within this time is lost. Default: 90 seconds. */
  readonly inFlightTimeout?: Duration.Input | undefined;
  /**
   * The number of 401, 403 and 429 responses that blocks the client. Once the number of all 4xx
   * responses is half of it, routes with such responses slow down. Default: 60 in 10 minutes.
   */
  readonly maxClientErrors?: number | undefined;
  readonly clientErrorWindow?: Duration.Input | undefined;
  /** The time for which nothing is sent after a firewall's block. Default: 15 minutes. */
  readonly firewallCooldown?: Duration.Input | undefined;
  /**
   * The places of each window that requests below a priority never take, by priority. Default:
   * none.
   */
  readonly reserve?: Readonly<Record<number, number>> | undefined;
}

/** Returns the value of an option, or throws `LimiterOptionInvalid` if it is not valid. */
export const valid = <A>(option: string, value: A, isValid: boolean, expected: string): A => {
  if (!isValid) throw new LimiterOptionInvalid({ option, expected });
  return value;
};

const count = (option: string, value: number, minimum = 1): number => {
  const isValid = Number.isInteger(value) && value >= minimum;
  return valid(option, value, isValid, `an integer of at least ${minimum}`);
};

const millis = (option: string, input: Duration.Input, minimum = 1): number => {
  const duration = Duration.fromInput(input);
  const value = duration._tag === "Some" ? Duration.toMillis(duration.value) : Number.NaN;
  return valid(option, value, value >= minimum, `a duration of at least ${minimum} ms`);
};

const text = (option: string, value: string): string =>
  valid(option, value, typeof value === "string", "a string");

const object = <A>(option: string, value: A): A =>
  valid(option, value, typeof value === "object" && value !== null, "an object");

const list = <A>(option: string, values: ReadonlyArray<A>): ReadonlyArray<A> =>
  valid(option, values, Array.isArray(values), "an array");

/** Largest forecast, because a forecast blocks the thread for up to 0.2 ms per request. */
const MAX_FORECAST = 10_000;

/** Checks the number of requests of a forecast. Throws `LimiterOptionInvalid`. */
export const forecastCount = (value: number): number => {
  const isValid = Number.isInteger(value) && value >= 1 && value <= MAX_FORECAST;
  return valid("count", value, isValid, `an integer from 1 to ${MAX_FORECAST}`);
};

/** Returns `maxWait` in milliseconds. Throws `LimiterOptionInvalid`. */
export const maxWaitMillis = (maxWait: Duration.Input): number => millis("maxWait", maxWait, 0);

/** Checked options with their defaults. Times are in milliseconds. */
export type Settings = ReturnType<typeof resolveOptions>;

/** Checks options and adds the defaults. Throws `LimiterOptionInvalid` for the first invalid one. */
export const resolveOptions = (options: LimiterOptions) => {
  const {
    clientErrorWindow = "10 minutes",
    concurrencyWithoutHeaders = 4,
    firewallCooldown = "15 minutes",
    inFlightTimeout = "90 seconds",
    limits = [],
    maxClientErrors = 60,
    maxInFlight = 8,
    maxWait = "1 minute",
    read = xRateLimit,
    reserve = {},
    sharedRules = ["ip", "client"],
  } = object("options", options);
  return {
    read: valid("read", read, typeof read === "function", "a function"),
    sharedRules: list("sharedRules", sharedRules).map((rule, index) =>
      text(`sharedRules[${index}]`, rule),
    ),
    limits: list("limits", limits).map((limit, index) => {
      const { max, period } = object(`limits[${index}]`, limit);
      return {
        max: count(`limits[${index}].max`, max),
        period: millis(`limits[${index}].period`, period),
      };
    }),
    maxWait: maxWaitMillis(maxWait),
    maxInFlight: count("maxInFlight", maxInFlight),
    concurrencyWithoutHeaders: count("concurrencyWithoutHeaders", concurrencyWithoutHeaders),
    inFlightTimeout: millis("inFlightTimeout", inFlightTimeout),
    maxClientErrors: count("maxClientErrors", maxClientErrors),
    clientErrorWindow: millis("clientErrorWindow", clientErrorWindow),
    firewallCooldown: millis("firewallCooldown", firewallCooldown),
    reserve: Object.entries(object("reserve", reserve)).map(([priority, places]) => ({
      priority: Number(priority),
      places: count(`reserve.${priority}`, places, 0),
    })),
  };
};
