/**
 * Protects a client from being revoked, because services block clients that send many errors.
 *
 * Once 4xx responses reach half of the limit, requests on their routes are spread over the rest of
 * the window. At the limit, 401, 403 and 429 responses stop everything, and so does a firewall.
 */
import { type ClientErrors, routeKey } from "./Documents.ts";
import type { Settings } from "./LimiterOptions.ts";
import { type Grant, plan, type PlanContext, type PlannedRequest, type Wait } from "./plan.ts";

const BLOCKING = new Set([401, 403, 429]);

const expire = (errors: ClientErrors, now: number, { clientErrorWindow }: Settings): void => {
  const isOld = (at: number): boolean => at + clientErrorWindow <= now;
  if (errors.times.length === 0 || !isOld(errors.times[0]!)) return;
  errors.times = errors.times.filter((at) => !isOld(at));
  errors.blocking = errors.blocking.filter((at) => !isOld(at));
  for (const [key, at] of Object.entries(errors.routes)) if (isOld(at)) delete errors.routes[key];
};

/** Forgets old errors. Returns the wait of a request that earlier rejections demand. */
export const waitForErrors = (
  errors: ClientErrors,
  route: string,
  now: number,
  options: Settings,
): Wait | undefined => {
  const { clientErrorWindow, maxClientErrors } = options;
  expire(errors, now, options);
  if (errors.firewallUntil > now)
    return { until: errors.firewallUntil, block: "firewall", isShared: true };
  const oldest = errors.blocking.at(-maxClientErrors);
  if (oldest !== undefined)
    return { until: oldest + clientErrorWindow, block: "too-many-errors", isShared: true };
  const remaining = maxClientErrors - errors.times.length;
  if (remaining * 2 > maxClientErrors || !(routeKey(route) in errors.routes)) return undefined;
  const opensAt = remaining > 0 ? now : errors.times[-remaining]! + clientErrorWindow;
  const until = Math.max(opensAt, errors.pacedAt + clientErrorWindow / Math.max(1, remaining));
  return until > now ? { until, isShared: true } : undefined;
};

/** Grants a request, or returns the wait that rejections or the rate limits demand. */
export const planWithErrors = (context: PlanContext, request: PlannedRequest): Grant | Wait => {
  const { documents, now, options } = context;
  const errors = documents.clientErrors();
  const wait = waitForErrors(errors, request.route, now, options);
  if (wait) return wait;
  const decision = plan(context, request);
  if (!("until" in decision) && routeKey(request.route) in errors.routes) errors.pacedAt = now;
  return decision;
};

export const recordError = (
  errors: ClientErrors,
  route: string,
  status: number,
  now: number,
): void => {
  errors.times.push(now);
  if (BLOCKING.has(status)) errors.blocking.push(now);
  errors.routes[routeKey(route)] = now;
};
