/**
 * Guards a client against being revoked: services count the responses that are errors of the
 * client, and block those that keep sending rejected requests.
 *
 * It paces before it blocks. From half of the limit on, requests on routes that were rejected
 * lately are spread over the window. Only 401, 403 and 429 stop everything; so does a firewall.
 */
import type { ClientErrorsSnapshot } from "../Model.ts";
import { NEVER } from "./basics.ts";

/** The strictness of the guard; times in milliseconds. */
export interface ClientErrorOptions {
  readonly max: number;
  readonly window: number;
  readonly firewallCooldown: number;
  /** Whether a status counts. */
  readonly counts: (status: number) => boolean;
}

/** The rejected requests of the last window, oldest first. */
export interface ClientErrors {
  times: Array<number>;
  /** 401, 403 and 429 among them. */
  blocking: Array<number>;
  /** The time at which each route was rejected for the last time, oldest first. */
  readonly routes: Map<string, number>;
  firewallUntil: number;
  /** The time at which the last request on a rejected route was permitted. */
  pacedAt: number;
}

/** A request that was rejected. */
interface Rejection {
  readonly route: string;
  readonly status: number | undefined;
  readonly isFirewallBlock: boolean | undefined;
  readonly at: number;
}

const BLOCKING: ReadonlySet<number | undefined> = new Set([401, 403, 429]);

export const newClientErrors = (): ClientErrors => ({
  times: [],
  blocking: [],
  routes: new Map(),
  firewallUntil: -NEVER,
  pacedAt: -NEVER,
});

const trim = (times: Array<number>, after: number): void => {
  while (times[0]! <= after) times.shift();
};

/** Forgets what lies before the window. */
const expire = (errors: ClientErrors, now: number, { window }: ClientErrorOptions): void => {
  trim(errors.times, now - window);
  trim(errors.blocking, now - window);
  for (const [route, at] of errors.routes) {
    if (at > now - window) return;
    errors.routes.delete(route);
  }
};

/** What is counted now, for people. */
export const clientErrorsOf = (
  errors: ClientErrors,
  now: number,
  options: ClientErrorOptions,
): ClientErrorsSnapshot => {
  expire(errors, now, options);
  const { blocking, times } = errors;
  const { max, window: windowMillis } = options;
  return { count: times.length, blocking: blocking.length, max, windowMillis };
};

/** The block of the whole client, if there is one. */
export const blockOf = (
  errors: ClientErrors,
  now: number,
  options: ClientErrorOptions,
): { readonly kind: "firewall" | "too-many-errors"; readonly until: number } | undefined => {
  if (errors.firewallUntil > now) return { kind: "firewall", until: errors.firewallUntil };
  expire(errors, now, options);
  const oldest = errors.blocking.at(-options.max);
  return oldest === undefined
    ? undefined
    : { kind: "too-many-errors", until: oldest + options.window };
};

/** The time at which a request of the route may go, for all that was rejected. */
export const pacedUntil = (
  errors: ClientErrors,
  route: string,
  now: number,
  options: ClientErrorOptions,
): number => {
  expire(errors, now, options);
  const left = options.max - errors.times.length;
  if (left * 2 > options.max || !errors.routes.has(route)) return now;
  const opens = left > 0 ? now : errors.times[-left]! + options.window;
  return Math.max(opens, errors.pacedAt + options.window / Math.max(1, left));
};

/** Remembers a rejected request. */
export const recordRejection = (
  errors: ClientErrors,
  { at, isFirewallBlock, route, status }: Rejection,
  options: ClientErrorOptions,
): void => {
  if (isFirewallBlock) {
    errors.firewallUntil = Math.max(errors.firewallUntil, at + options.firewallCooldown);
    return;
  }
  errors.times.push(at);
  if (BLOCKING.has(status)) errors.blocking.push(at);
  errors.routes.delete(route);
  errors.routes.set(route, at);
};
