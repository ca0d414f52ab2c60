/**
 * Processes with a common store tell each other about a service: its windows, the hypotheses about
 * hidden buckets that are left, and blocks. The store itself tells them the requests.
 */
import { replace, REVIVE_MILLIS } from "../core/Belief.ts";
import type { Belief, Hypothesis } from "../core/Belief.ts";
import { NEVER } from "../core/basics.ts";
import { isPlaceholder, namePolicy, policyNamed } from "../core/State.ts";
import type { CoreOptions, State } from "../core/State.ts";
import { freeze, thaw } from "./freeze.ts";
import type { FrozenState } from "./freeze.ts";

/** Beliefs whose hypotheses were revived at the same time are of one generation. */
const SAME_MILLIS = 1000;

/** Boundaries are told in the server's time, as multiples of eighths. */
const keyOf = ({ from, size }: Hypothesis): number => size * 1e6 + Math.round(from * 8);

/**
 * Takes over the refutations of another process. When a process has revived hypotheses, its newer
 * generation replaces the older one.
 */
const mergeBelief = (own: Belief, theirs: Belief): void => {
  if (theirs.counts && !own.counts) {
    own.counts = true;
    own.version++;
  }
  const newer = theirs.revivedAt - own.revivedAt;
  if (newer < -SAME_MILLIS) return;
  if (newer > SAME_MILLIS) {
    const { living, pad, padSince, revivedAt } = theirs;
    Object.assign(own, { pad, padSince, revivedAt });
    replace(own, living);
    return;
  }
  const alive = new Set(theirs.living.map(keyOf));
  const both = own.living.filter((h) => alive.has(keyOf(h)));
  if (both.length < own.living.length) replace(own, both);
};

/** The knowledge of a process, which it tells to others and learns from them. */
export interface SharedKnowledge {
  /** Adds what others know; the server's time now, in milliseconds. */
  readonly learn: (text: string, now: number) => void;
  /** The text that others learn from. */
  readonly tell: (now: number) => string;
  /** A digest of the blocks, the limits, and how many hypotheses live: a change of it is told. */
  readonly digest: (now: number) => string;
}

/** The knowledge in `state`, whose times are those of the server. */
export const sharedKnowledge = (state: State, options: CoreOptions): SharedKnowledge => {
  /** Those whose generation is known. */
  const beliefs = new WeakSet<Belief>();

  /** Beliefs that begin within the same time are of one generation. */
  const generationOf = (belief: Belief): Belief => {
    if (!beliefs.has(belief))
      belief.revivedAt = Math.floor(belief.revivedAt / REVIVE_MILLIS) * REVIVE_MILLIS;
    beliefs.add(belief);
    return belief;
  };

  return {
    learn: (text, now) => {
      const frozen = JSON.parse(text) as FrozenState;
      // Of the same time, which processes know but for a millisecond.
      const heardAt = Math.max(now, frozen.savedAt);
      const theirs = thaw(frozen, heardAt, heardAt, options);
      if (!theirs) return;
      for (const [name, each] of theirs.policies) {
        const policy = policyNamed(state, name);
        if (each.limits === "learned") policy.limits = "learned";
        policy.blockedUntil = Math.max(policy.blockedUntil, each.blockedUntil);
        for (const window of each.windows) {
          const known = policy.windows.find((candidate) => candidate.key === window.key);
          if (!known) {
            policy.windows = [...policy.windows, window];
            beliefs.add(window.belief);
          } else if (window.seenAt > known.seenAt) known.max = window.max;
          if (known) mergeBelief(generationOf(known.belief), window.belief);
        }
      }
      for (const [route, named] of theirs.routes)
        for (const [name, at] of named)
          if (at > (state.routes.get(route)?.get(name) ?? -NEVER))
            namePolicy(state, route, name, at);
      const { errors } = state;
      errors.firewallUntil = Math.max(errors.firewallUntil, theirs.errors.firewallUntil);
    },
    tell: (now) => {
      for (const { windows } of state.policies.values())
        for (const { belief } of windows) generationOf(belief);
      // The server's time is the wall clock that all processes agree on.
      const frozen = freeze(state, now, now);
      const policies = frozen.policies
        .filter(({ name }) => !isPlaceholder(name))
        .map((policy) => ({
          ...policy,
          windows: policy.windows.map((window) => ({ ...window, logs: {} })),
        }));
      return JSON.stringify({ ...frozen, policies });
    },
    digest: (now) =>
      JSON.stringify(
        [...state.policies.values()].map(({ blockedUntil, name, windows }) => [
          name,
          Math.max(0, blockedUntil - now) && blockedUntil,
          windows.map(({ belief, key, max }) => [key, max, belief.living.length]),
        ]),
      ),
  };
};
