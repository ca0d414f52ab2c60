/**
 * Protects a client from being revoked: services block clients that keep sending rejected requests.
 *
 * From half of the limit on, requests on routes that were rejected lately are spread over the rest
 * of the window. At the limit, 401, 403 and 429 responses stop everything, and so does a firewall.
 */
import type { ClientErrors } from "./Documents.ts";
import type { Settings } from "./LimiterOptions.ts";

const BLOCKING = new Set([401, 403, 429]);

const expire = (errors: ClientErrors, now: number, { clientErrorWindow }: Settings): void => {
  const isOld = (at: number): boolean => at + clientErrorWindow <= now;
  if (errors.times.length === 0 || !isOld(errors.times[0]!)) return;
  errors.times = errors.times.filter((at) => !isOld(at));
  errors.blocking = errors.blocking.filter((at) => !isOld(at));
  for (const [route, at] of Object.entries(errors.routes))
    if (isOld(at)) delete errors.routes[route];
};

/** Returns the reason and the end of a block of the whole client. */
export const clientBlock = (
  errors: ClientErrors,
  now: number,
  options: Settings,
): { readonly reason: "firewall" | "too-many-errors"; readonly until: number } | undefined => {
  if (errors.firewallUntil > now) return { reason: "firewall", until: errors.firewallUntil };
  expire(errors, now, options);
  const oldest = errors.blocking.at(-options.maxClientErrors);
  return oldest === undefined
    ? undefined
    : { reason: "too-many-errors", until: oldest + options.clientErrorWindow };
};

/** Returns the time at which the next request of a route may go, in view of rejected requests. */
export const pacedUntil = (
  errors: ClientErrors,
  route: string,
  now: number,
  options: Settings,
): number => {
  expire(errors, now, options);
  const { clientErrorWindow, maxClientErrors } = options;
  const remaining = maxClientErrors - errors.times.length;
  if (remaining * 2 > maxClientErrors || !(route in errors.routes)) return now;
  const opensAt = remaining > 0 ? now : errors.times[-remaining]! + clientErrorWindow;
  return Math.max(opensAt, errors.pacedAt + clientErrorWindow / Math.max(1, remaining));
};

/** Records a rejected request. */
export const recordError = (
  errors: ClientErrors,
  route: string,
  status: number,
  now: number,
): void => {
  errors.times.push(now);
  if (BLOCKING.has(status)) errors.blocking.push(now);
  errors.routes[route] = now;
};

/** Returns the numbers of rejected requests within the window. */
export const countErrors = (
  errors: ClientErrors,
  now: number,
  options: Settings,
): { readonly count: number; readonly blocking: number } => {
  expire(errors, now, options);
  return { count: errors.times.length, blocking: errors.blocking.length };
};
