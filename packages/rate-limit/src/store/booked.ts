/** Windows as a shared store books requests in them. */
import { windowKey } from "../core/learn.ts";
import { firstFrom, MEMORY } from "../core/Log.ts";
import type { Log, WindowState } from "../core/Log.ts";
import { claimOf } from "../core/opening.ts";
import type { Claim } from "../core/opening.ts";
import { creditOf } from "../core/plan.ts";
import type { CoreOptions, Grant, State } from "../core/State.ts";
import type { RateLimitInfo } from "../RateLimitDialect.ts";
import type { SharedWindow } from "./SharedServer.ts";

/** A window with what this process knows of it. */
export interface Booked extends SharedWindow {
  readonly window: WindowState;
  readonly log: Log;
}

/** The window as the server knows it. */
export const bare = ({ key, policy, scope, since }: SharedWindow): SharedWindow => ({
  policy,
  key,
  scope,
  since,
});

/** The window, and the room in it that a request asks for. */
export const claimedBy = (
  grant: Grant,
  each: Booked,
  state: State,
  { at, core }: { readonly at: number; readonly core: CoreOptions },
): SharedWindow & Claim => {
  const { log, policy, window } = each;
  const spare = core.spare(window.max) + (grant.reserve ?? 0);
  const credit = creditOf(state.policies.get(policy)!);
  const isProbe = log.probe === grant.id;
  return { ...bare(each), ...claimOf(window, log, at, { credit, spare, isProbe }) };
};

/** The count that a response told of a window. */
export const countOf = (
  { key, policy }: Booked,
  info: RateLimitInfo | undefined,
): number | undefined =>
  info?.windows.find((window) => info.policy === policy && key === windowKey(window))?.hits;

/**
 * How much more than its share of a window that is nearly full a process has, as a part of that
 * share. Who asks first once would be first each time, so whoever has much lets others ask first.
 */
export const excessOf = (windows: ReadonlyArray<Booked>, self: string): number =>
  windows.reduce((most, { log, since, window }) => {
    const ids = log.hits.slice(firstFrom(log.hits, since + MEMORY)).map(({ id }) => id);
    const processes = new Set(ids.map((id) => id.slice(0, self.length))).size;
    if (ids.length + processes <= window.max) return most;
    const own = ids.filter((id) => id.startsWith(self)).length;
    return Math.max(most, (own * processes) / ids.length - 1);
  }, 0);
