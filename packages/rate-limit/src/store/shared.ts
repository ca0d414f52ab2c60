/**
 * A store for several processes: it decides about each reservation. This process keeps a copy of
 * the hits of all processes, to plan with and to learn from.
 */
import { order } from "../core/Log.ts";
import type { Log, WindowState } from "../core/Log.ts";
import type { Grant } from "../core/plan.ts";
import { isPlaceholder, logOf, newState, policiesOf, policyNamed } from "../core/State.ts";
import type { Backend, Store, StoreContext } from "../Store.ts";
import { freeze, thaw } from "./freeze.ts";

/** One window of a reservation, as the server checks it. */
export interface SharedWindow {
  readonly policy: string;
  readonly key: string;
  readonly scope: string;
  /** Requests that may be counted in it, this one included. */
  readonly places: number;
  /** Hits are counted from the lowest cut-off on: each has a size and a phase. */
  readonly width: number;
  readonly hypotheses: ReadonlyArray<readonly [size: number, from: number, to: number]>;
}

/** A hit of any process. */
export interface SharedHit {
  readonly id: string;
  readonly sent: number;
  /** `Infinity` in flight. */
  readonly received: number;
  readonly lostAt: number;
}

/** What the server says to a reservation or a response. */
export interface SharedReply {
  /** The server's time. */
  readonly now: number;
  readonly granted: boolean;
  /** When the policy or a window may open, if not. */
  readonly until: number;
  /** For each window all hits of all processes, where the server tells them. */
  readonly hits: ReadonlyArray<ReadonlyArray<SharedHit>> | undefined;
  /** What other processes know: frozen beliefs, blocks. */
  readonly knowledge: string | undefined;
  /** The server lost its data: tell it what is known. */
  readonly isEmpty: boolean;
}

/** The server of a shared store. Each function is one atomic round trip. */
export interface SharedServer {
  readonly reserve: (
    key: string,
    id: string,
    lease: number,
    windows: ReadonlyArray<SharedWindow>,
  ) => Promise<SharedReply>;
  readonly release: (
    key: string,
    id: string,
    windows: ReadonlyArray<SharedWindow>,
  ) => Promise<void>;
  readonly settle: (
    key: string,
    id: string,
    windows: ReadonlyArray<SharedWindow>,
  ) => Promise<SharedReply>;
  readonly publish: (key: string, knowledge: string) => Promise<void>;
  readonly restore: (
    key: string,
    windows: ReadonlyArray<SharedWindow & { readonly hits: ReadonlyArray<SharedHit> }>,
  ) => Promise<void>;
}

/** Waiters look again after this time: what another process has in flight may come back sooner. */
const POLL_MILLIS = 250;
/** More hypotheses than this are told as one flat pad. */
const MANY_HYPOTHESES = 24;
const JUMP_MILLIS = 1000;

interface Booked extends SharedWindow {
  readonly window: WindowState;
}

/** A store over a server that decides about each reservation. */
export const sharedStore = (server: SharedServer): Store => ({
  open: (context) => replicaOf(server, context),
});

/** Takes over the hits of all processes. */
const replaceHits = (log: Log, hits: ReadonlyArray<SharedHit>, self: string): void => {
  const known = new Map(log.hits.map((hit) => [hit.id, hit]));
  const told = new Set(hits.map(({ id }) => id));
  log.hits = [
    // Others' hits that the server does not have were taken back or have left.
    ...log.hits.filter(
      ({ id, weight }) => weight !== undefined || (id.startsWith(self) && !told.has(id)),
    ),
    ...hits.map((hit) => {
      const own = known.get(hit.id);
      if (!own) return { ...hit };
      if (Number.isFinite(hit.received)) own.received = Math.min(own.received, hit.received);
      return own;
    }),
  ];
  order(log, 0);
};

const replicaOf = (
  store: SharedServer,
  { clock, core: options, key, self }: StoreContext,
): Backend => {
  const state = newState();
  // Until the server has told its time.
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
      if (booking) replaceHits(logOf(booking.window, identity, options), hits, self);
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
        if (!known) policy.windows = [...policy.windows, window];
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

  const sync = async ({ identity, route }: Pick<Grant, "identity" | "route">): Promise<void> => {
    const now = clock.now() + offset;
    const windows = windowsOf({ policies: policiesOf(state, route, now), identity });
    const reply = await store.settle(key, "", bare(windows));
    hear(reply, windows, identity);
  };

  const reserve = async (grant: Grant): Promise<number | undefined> => {
    if (!isJoined) {
      await sync(grant);
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
  };

  const release = async (grant: Grant, isSent: boolean): Promise<void> => {
    const windows = booked.get(grant.id) ?? [];
    booked.delete(grant.id);
    if (isSent && grant.counted) unbooked.add(grant.id);
    if (isSent) hear(await store.settle(key, grant.id, bare(windows)), windows, grant.identity);
    else await store.release(key, grant.id, bare(windows));
  };

  /** Tells the server what the response to a request has taught. */
  const publish = async (grant: Grant): Promise<void> => {
    if (unbooked.delete(grant.id)) {
      const windows = new Set(windowsOf(grant).map(({ window }) => window));
      const named = [...state.policies.values()].filter((policy) =>
        policy.windows.some((window) =>
          logOf(window, grant.identity, options).hits.some(({ id }) => id === grant.id),
        ),
      );
      if (
        named.some((policy) => policy.windows.some((window) => !windows.has(window))) ||
        grant.policies.some(isPlaceholder)
      )
        await restore();
    }
    const now = clock.now() + offset;
    // The server's time is the wall clock that all processes agree on.
    const frozen = freeze(state, now, now);
    const text = JSON.stringify({
      ...frozen,
      policies: frozen.policies
        .filter(({ name }) => !isPlaceholder(name))
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
  };

  return {
    state,
    offset: () => offset,
    pollMillis: POLL_MILLIS,
    sync,
    reserve,
    settle: async (grant, isSent, record) => {
      try {
        await release(grant, isSent);
      } finally {
        record();
      }
      await publish(grant);
    },
  };
};
