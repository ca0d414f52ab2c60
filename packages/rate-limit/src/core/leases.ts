/**
 * The leases of a limiter: the requests that were granted and have no outcome, the oldest first.
 *
 * A lease is opened by a grant and closed once: by its outcome, its return, or its deadline. What
 * is in flight stands here and in the sets of the policies, which nobody else writes. A response
 * that comes after the deadline closes nothing a second time.
 */
import { NEVER } from "./basics.ts";
import type { Grant } from "./State.ts";
import type { Policy, State } from "./State.ts";

/** A request without a response is overdue after so many mean round trips, or after this time. */
const OVERDUE_TRIPS = 8;
const OVERDUE_MILLIS = 5000;

/** Opens the lease of a grant. `policies`: those in which the request counts. */
export const openLease = (state: State, grant: Grant, policies: ReadonlyArray<Policy>): void => {
  state.leases.set(grant.id, grant);
  for (const { inFlight } of policies) inFlight.set(grant.id, grant.grantedAt);
};

/** Closes a lease; `false`: it was closed before. */
export const closeLease = (state: State, { id, policies }: Grant): boolean => {
  for (const name of policies) state.policies.get(name)?.inFlight.delete(id);
  return state.leases.delete(id);
};

/** The time at which the oldest lease ends; `Infinity` without one. */
export const firstDeadline = ({ leases }: State): number => {
  for (const { hit } of leases.values()) return hit.lostAt;
  return NEVER;
};

/** Closes the leases whose deadlines have passed, and returns their grants. */
export const expireLeases = (state: State, now: number): ReadonlyArray<Grant> => {
  const expired: Array<Grant> = [];
  for (const grant of state.leases.values()) {
    if (grant.hit.lostAt > now) break;
    expired.push(grant);
  }
  for (const grant of expired) closeLease(state, grant);
  return expired;
};

/**
 * The time at which fewer than `most` requests of a policy are in flight, if no response comes.
 * Those that are overdue are not lost, but nobody waits for them.
 */
export const busyUntil = ({ inFlight, roundTrip }: Policy, most: number, now: number): number => {
  let late = inFlight.size - most;
  if (late < 0) return now;
  const overdue = Math.max(OVERDUE_MILLIS, OVERDUE_TRIPS * roundTrip);
  for (const grantedAt of inFlight.values())
    if (late-- <= 0 || grantedAt + overdue > now) return Math.max(now, grantedAt + overdue);
  return now;
};
