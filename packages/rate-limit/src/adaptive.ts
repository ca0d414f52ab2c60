/**
 * Finds the limits of services that tell none, by their refusals.
 *
 * After the first refusal requests go at the pace at which the service has served them: n in the
 * time from the first of them to the first success after the refusal. Twice as fast after 20
 * requests that had to wait, until the next refusal; from then on one step back, and small steps
 * after 320, 5,120 … requests. Each route has its own pace. Who knows the limits states them with
 * `limits`, and is never refused.
 *
 * ```ts
 * import { createLimiter } from "@game-data/rate-limit";
 * import { adaptive } from "@game-data/rate-limit/adaptive";
 *
 * const limiter = createLimiter({ adaptive });
 * await limiter.run({ route: "GET /users" }, () => ({ status: 200 }));
 * ```
 *
 * @packageDocumentation
 */
import { add } from "./core/Log.ts";
import type { WindowState } from "./core/Log.ts";
import { silentWindow } from "./core/plan.ts";
import { isPlaceholder, logOf } from "./core/State.ts";
import type { Adaptive, Lesson, Policy } from "./core/State.ts";

export type { Adaptive } from "./core/State.ts";

/** How a pace grows. */
interface Growth {
  readonly factor: number;
  /** After so many requests. */
  readonly patience: number;
}

const START: Growth = { factor: 2, patience: 20 };
const RAISED = 1.05;
/** A refusal makes patience this many times as long. */
const LONGER = 16;

/** The windows that are a found pace. One that was read from a file is as after a refusal. */
const growths = new WeakMap<WindowState, Growth & { readonly at: number }>();
const growthOf = (window: WindowState, now: number) => {
  const patience = LONGER * START.patience;
  return growths.get(window) ?? { factor: RAISED, patience, at: now + patience * window.period };
};

/** The option `adaptive` of a limiter. */
export const adaptive: Adaptive = (policy, lesson) => {
  const { at: now, grant, info, status } = lesson;
  if (!isPlaceholder(policy.name) || (info && info.windows.length > 0)) return;
  const [window] = policy.windows;
  if (status === 429) {
    policy.unplaced = policy.unplaced.filter(({ hit }) => hit.id !== grant.id);
    // Others of the same incident tell nothing new.
    if (!window || policy.blockedSince < now || window.seenAt === now) return;
    const { factor, patience } = growthOf(window, now);
    pace(policy, window.period * factor, { factor: RAISED, patience: LONGER * patience }, lesson);
  } else if (window) {
    const growth = growthOf(window, now);
    const isFull = policy.waitedAt + 2 * window.period > now;
    if (isFull && growth.at <= now) pace(policy, window.period / growth.factor, growth, lesson);
    else growths.set(window, growth);
  } else if (policy.recovering) find(policy, lesson);
};

/** The service has served so many in this time. Of all such times the one with the most counts. */
const find = (policy: Policy, lesson: Lesson): void => {
  const { at: now, grant } = lesson;
  const sent = policy.unplaced.flatMap(({ hit }) => (hit.id === grant.id ? [] : hit.sent));
  const gaps = sent
    .toSorted((a, b) => a - b)
    .map((since, index) => (now - since) / (sent.length - index));
  if (gaps.length > 0) pace(policy, Math.min(...gaps), START, lesson);
};

/** From now on one request goes in each `gap`. */
const pace = (
  policy: Policy,
  gap: number,
  { factor, patience }: Growth,
  { at: now, grant, options }: Lesson,
): void => {
  const window = silentWindow({ max: 1, period: gap }, now);
  growths.set(window, { factor, patience, at: now + patience * gap });
  add(window, logOf(window, grant.identity, options), grant.hit, now);
  Object.assign(policy, { limits: "learned", windows: [window], unplaced: [] });
};
