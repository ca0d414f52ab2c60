/** Options of the limiter, their defaults and their checks. */
import * as Duration from "effect/Duration";
import { LimiterOptionInvalid } from "./Errors.ts";
import { type LimitReader, xRateLimit } from "./Headers.ts";

/** Options of the limiter. */
export interface LimiterOptions {
  /** Reads the rate-limit headers of a response. Default: `xRateLimit`. */
  readonly read?: LimitReader | undefined;
  /** Rules whose budget all identities share. Default: `ip` and `client`. */
  readonly sharedRules?: ReadonlyArray<string> | undefined;
  /**
   * The limits of a service that sends no headers: `{ max: 10, period: "5 seconds" }`. A refusal
   * lowers them, and a response with headers replaces them.
   */
  readonly limits?:
    | ReadonlyArray<{ readonly max: number; readonly period: Duration.Input }>
    | undefined;
  /** A request whose turn is later fails at once. Default: 1 minute. */
  readonly maxWait?: Duration.Input | undefined;
  /** Maximum requests in flight. Bursts can trigger a firewall. Default: 8. */
  readonly maxInFlight?: number | undefined;
  /** Maximum requests in flight on a route without rate-limit headers. Default: 4. */
  readonly concurrencyWithoutHeaders?: number | undefined;
  /** A request without an outcome counts as lost after this time. Default: 90 seconds. */
  readonly inFlightTimeout?: Duration.Input | undefined;
  /**
   * The number of 401, 403 and 429 responses that blocks the client. From half of it on, all 4xx
   * responses slow their routes down. Default: 60 in 10 minutes.
   */
  readonly maxClientErrors?: number | undefined;
  readonly clientErrorWindow?: Duration.Input | undefined;
  /** The time for which nothing is sent after a firewall's block. Default: 15 minutes. */
  readonly firewallCooldown?: Duration.Input | undefined;
  /**
   * For a priority, the places of each window that requests of lower priorities never take.
   * Default: none.
   */
  readonly reserve?: Readonly<Record<number, number>> | undefined;
}

const check = (option: string, value: number, isValid: boolean, expected: string): number => {
  if (!isValid) throw new LimiterOptionInvalid({ option, expected });
  return value;
};

const count = (option: string, value: number, minimum = 1): number => {
  const isValid = Number.isInteger(value) && value >= minimum;
  return check(option, value, isValid, `an integer of at least ${minimum}`);
};

/** A forecast takes some 3 µs for each request, in which nothing else runs. */
const MAX_FORECAST = 10_000;

/** Returns the number of requests of a forecast. Throws `LimiterOptionInvalid`. */
export const forecastCount = (value: number): number => {
  const isValid = Number.isInteger(value) && value >= 1 && value <= MAX_FORECAST;
  return check("count", value, isValid, `an integer from 1 to ${MAX_FORECAST}`);
};

const millis = (option: string, input: Duration.Input, minimum = 1): number => {
  const duration = Duration.fromInput(input);
  const value = duration._tag === "Some" ? Duration.toMillis(duration.value) : Number.NaN;
  return check(option, value, value >= minimum, `a duration of at least ${minimum} ms`);
};

/** Returns the maximum wait of a request in milliseconds. Throws `LimiterOptionInvalid`. */
export const maxWaitMillis = (maxWait: Duration.Input): number => millis("maxWait", maxWait, 0);

/** Checked options, with their defaults; times in milliseconds. */
export type Settings = ReturnType<typeof resolveOptions>;

/** Checks options and adds the defaults. Throws `LimiterOptionInvalid` for the first invalid one. */
export const resolveOptions = (options: LimiterOptions) => {
  const { limits = [], read = xRateLimit, reserve = {}, sharedRules = ["ip", "client"] } = options;
  const { concurrencyWithoutHeaders: withoutHeaders = 4 } = options;
  const places = Object.entries(reserve).map(
    ([priority, value]) => [Number(priority), count(`reserve.${priority}`, value, 0)] as const,
  );
  return {
    read,
    /** Whether all identities share the budget of a rule. */
    isShared: (rule: string): boolean => sharedRules.includes(rule),
    limits: limits.map(({ max, period }, index) => ({
      max: count(`limits[${index}].max`, max),
      period: millis(`limits[${index}].period`, period),
    })),
    maxWait: maxWaitMillis(options.maxWait ?? "1 minute"),
    maxInFlight: count("maxInFlight", options.maxInFlight ?? 8),
    concurrencyWithoutHeaders: count("concurrencyWithoutHeaders", withoutHeaders),
    inFlightTimeout: millis("inFlightTimeout", options.inFlightTimeout ?? "90 seconds"),
    maxClientErrors: count("maxClientErrors", options.maxClientErrors ?? 60),
    clientErrorWindow: millis("clientErrorWindow", options.clientErrorWindow ?? "10 minutes"),
    firewallCooldown: millis("firewallCooldown", options.firewallCooldown ?? "15 minutes"),
    /** Returns the places that requests of a priority leave free. */
    reserveFor: (priority: number): number =>
      places.reduce((sum, [each, reserved]) => (each > priority ? sum + reserved : sum), 0),
  };
};
