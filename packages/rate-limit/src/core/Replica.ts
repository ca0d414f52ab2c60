/**
 * A state that is shared through a store: the store decides about each reservation, this process
 * keeps a copy of the hits of all processes to plan with and to learn from.
 */
import type { SharedHit, SharedReply, SharedStore, SharedWindow } from "../Store.ts";
import type { EngineClock } from "./Engine.ts";
import { freeze, thaw } from "./freeze.ts";
import { logOf, policiesOf, policyNamed } from "./State.ts";
import type { CoreOptions, Grant, State } from "./State.ts";
import { replaceHits } from "./Window.ts";
import type { WindowState } from "./Window.ts";

/** See the module. */
export interface Replica {
  /** What to add to the own clock for the store's time. */
  readonly offset: () => number;
  /** Reserves a place; resolves with the time to look again if there is none. */
  readonly reserve: (grant: Grant) => Promise<number | undefined>;
  readonly settle: (grant: Grant, isSent: boolean) => Promise<void>;
  /** Tells the store what the response to a request has taught. */
  readonly publish: (grant: Grant) => Promise<void>;
  /** Asks for the hits of all processes in the windows of a route. */
  readonly sync: (route: string, identity: string) => Promise<void>;
}

/** Waiters look again after this time: what another process has in flight may come back sooner. */
export const POLL_MILLIS = 250;
/** More hypotheses than this are told as one flat pad. */
const MANY_HYPOTHESES = 24;
const JUMP_MILLIS = 1000;

interface Booked extends SharedWindow {
  readonly window: WindowState;
}

export const makeReplica = (
  store: SharedStore,
  key: string,
  state: State,
  options: CoreOptions,
  clock: EngineClock,
  isOwn: (id: string) => boolean,
): Replica => {
  // Until the store has told its time.
  let offset = clock.wall() - clock.now();
  let isTold = false;
  let knowledge = "";
  let isJoined = false;
  let published = "";
  const booked = new Map<string, ReadonlyArray<Booked>>();
  /** Requests whose windows were not known when they were sent. */
  const unbooked = new Set<string>();

  const windowsOf = (grant: Pick<Grant, "policies" | "identity">): ReadonlyArray<Booked> =>
    grant.policies.flatMap((policy) => {
      const known = state.policies.get(policy)?.windows ?? [];
      return known.map((window): Booked => {
        const { belief } = window;
        const living = belief.living.filter((h) => h.size > 0);
        const isMany = living.length > MANY_HYPOTHESES;
        const longest = living.reduce((most, h) => Math.max(most, h.size), 0);
        return {
          window,
          policy,
          key: window.key,
          scope: options.isShared(window.rule) ? "" : grant.identity,
          places: window.max,
          width:
            window.period + belief.slack + belief.pad + (isMany && belief.counts ? longest : 0),
          hypotheses: isMany || !belief.counts ? [] : living.map((h) => [h.size, h.from, h.to]),
        };
      });
    });

  const hear = (reply: SharedReply, windows: ReadonlyArray<Booked>, identity: string): void => {
    const seen = reply.now - clock.now();
    if (!isTold || seen > offset || seen < offset - JUMP_MILLIS) offset = seen;
    isTold = true;
    for (const [index, hits] of (reply.hits ?? []).entries()) {
      const booking = windows[index];
      if (booking)
        replaceHits(booking.window, logOf(booking.window, identity, options), hits, isOwn);
    }
    if (reply.knowledge !== undefined && reply.knowledge !== knowledge) learn(reply.knowledge);
  };

  /** What other processes know: windows, beliefs and blocks; the hits come with each reply. */
  const learn = (text: string): void => {
    knowledge = text;
    const now = clock.now() + offset;
    const told = thaw(JSON.parse(text), now, now, options);
    if (!told) return;
    for (const [name, theirs] of told.policies) {
      const policy = policyNamed(state, name);
      if (theirs.limits === "learned") policy.limits = "learned";
      policy.blockedUntil = Math.max(policy.blockedUntil, theirs.blockedUntil);
      for (const window of theirs.windows) {
        const known = policy.windows.find((each) => each.key === window.key);
        if (!known) policy.windows.push(window);
        else if (window.seenAt > known.seenAt) known.max = window.max;
        if (known && window.belief.living.length < known.belief.living.length) {
          known.belief.living = window.belief.living;
          known.belief.counts ||= window.belief.counts;
          known.belief.version++;
        }
      }
    }
    for (const [route, named] of told.routes) {
      const known = state.routes.get(route) ?? new Map<string, number>();
      for (const [name, at] of named) known.set(name, Math.max(at, known.get(name) ?? at));
      state.routes.set(route, known);
    }
    const { errors } = told;
    state.errors.firewallUntil = Math.max(state.errors.firewallUntil, errors.firewallUntil);
  };

  const bare = (windows: ReadonlyArray<Booked>): ReadonlyArray<SharedWindow> =>
    windows.map(({ hypotheses, key: name, places, policy, scope, width }) => ({
      policy,
      key: name,
      scope,
      places,
      width,
      hypotheses,
    }));

  const restore = (): Promise<void> => {
    const now = clock.now() + offset;
    return store.restore(
      key,
      [...state.policies.values()].flatMap((policy) =>
        policy.windows.flatMap((window) =>
          [...window.logs].map(([scope, log]) => ({
            policy: policy.name,
            key: window.key,
            scope,
            places: window.max,
            width: window.period,
            hypotheses: [],
            hits: log.hits
              .filter(({ weight }) => weight === undefined)
              .map(({ id, lostAt, received, sent }): SharedHit => ({
                id,
                sent,
                received: Math.min(received, Math.max(lostAt, now)),
                lostAt,
              })),
          })),
        ),
      ),
    );
  };

  const sync = async (route: string, identity: string): Promise<void> => {
    const now = clock.now() + offset;
    const windows = windowsOf({ policies: policiesOf(state, route, now), identity });
    const reply = await store.settle(key, "", bare(windows));
    hear(reply, windows, identity);
  };

  return {
    offset: () => offset,
    reserve: async (grant) => {
      if (!isJoined) {
        await sync(grant.route, grant.identity);
        isJoined = true;
        // Planned without knowing what others know.
        if (knowledge !== "") return clock.now() + offset;
      }
      const windows = windowsOf(grant);
      const lease = options.inFlightTimeout;
      let reply = await store.reserve(key, grant.id, lease, bare(windows));
      if (reply.isEmpty) {
        await restore();
        reply = await store.reserve(key, grant.id, lease, bare(windows));
      }
      hear(reply, windows, grant.identity);
      if (!reply.granted) {
        const now = clock.now() + offset;
        return Math.min(Math.max(reply.until, now + 1), now + POLL_MILLIS);
      }
      grant.hit.sent = reply.now;
      booked.set(grant.id, windows);
      return undefined;
    },
    settle: async (grant, isSent) => {
      const windows = booked.get(grant.id) ?? [];
      booked.delete(grant.id);
      if (isSent && grant.counted) unbooked.add(grant.id);
      if (!isSent) return store.release(key, grant.id, bare(windows));
      const reply = await store.settle(key, grant.id, bare(windows));
      hear(reply, windows, grant.identity);
      return undefined;
    },
    publish: async (grant) => {
      if (unbooked.delete(grant.id)) {
        const windows = new Set(windowsOf(grant).map(({ window }) => window));
        const named = [...state.policies.values()].filter((policy) =>
          policy.windows.some((window) =>
            logOf(window, grant.identity, options).hits.some(({ id }) => id === grant.id),
          ),
        );
        if (
          named.some((policy) => policy.windows.some((window) => !windows.has(window))) ||
          grant.policies.some((name) => name.startsWith("?"))
        )
          await restore();
      }
      const now = clock.now() + offset;
      // The store's time is the wall clock that all processes agree on.
      const frozen = freeze(state, now, now);
      const text = JSON.stringify({
        ...frozen,
        policies: frozen.policies
          .filter(({ name }) => !name.startsWith("?"))
          .map((policy) => ({
            ...policy,
            windows: policy.windows.map((window) => ({ ...window, logs: {} })),
          })),
      });
      const digest = JSON.stringify(
        [...state.policies.values()].map((policy) => [
          policy.name,
          policy.blockedUntil > now ? policy.blockedUntil : 0,
          policy.windows.map(({ belief, key: name, max }) => [name, max, belief.living.length]),
        ]),
      );
      if (digest === published) return;
      published = digest;
      knowledge = text;
      await store.publish(key, text);
    },
    sync,
  };
};
