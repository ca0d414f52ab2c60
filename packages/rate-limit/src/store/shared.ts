/**
 * A store for several processes: it decides about each reservation. This process keeps a copy of
 * the hits of all processes, to plan with and to learn from.
 */
import { cutoff, replace, REVIVE_MILLIS } from "../core/Belief.ts";
import type { Belief, Hypothesis } from "../core/Belief.ts";
import { NEVER } from "../core/basics.ts";
import { MEMORY, order } from "../core/Log.ts";
import type { Hit, Log, Reading, WindowState } from "../core/Log.ts";
import { windowKey } from "../core/learn.ts";
import { observe } from "../core/observe.ts";
import { claimOf } from "../core/opening.ts";
import type { Claim } from "../core/opening.ts";
import { creditOf } from "../core/plan.ts";
import type { Grant } from "../core/plan.ts";
import {
  isPlaceholder,
  logOf,
  namePolicy,
  newState,
  policiesOf,
  policyNamed,
} from "../core/State.ts";
import type { Backend, Store, StoreContext } from "../Store.ts";
import { freeze, thaw } from "./freeze.ts";
import type { FrozenState } from "./freeze.ts";

/** One window of one policy, for one identity or for all. */
export interface SharedWindow {
  readonly policy: string;
  readonly key: string;
  readonly scope: string;
  /** Requests whose responses came earlier do not matter any more. */
  readonly since: number;
}

/** A request of any process. */
export interface SharedHit {
  readonly id: string;
  readonly sent: number;
  /** `Infinity` in flight. */
  readonly received: number;
  readonly lostAt: number;
}

/** A reply of the server. */
export interface SharedReply {
  /** The server's time. */
  readonly now: number;
  readonly granted: boolean;
  /** After a loss of data nothing is granted before. */
  readonly opensAt: number;
  /** For each window all hits of all processes. */
  readonly hits: ReadonlyArray<ReadonlyArray<SharedHit>>;
  /** For each window the count that a response told last. */
  readonly readings: ReadonlyArray<Reading | undefined>;
  /** The knowledge of other processes, if it has changed, and its version. */
  readonly knowledge: string | undefined;
  readonly version: number;
  /** The server lost its data: tell it what is known. */
  readonly isEmpty: boolean;
}

/** The server of a shared store. Each function is one atomic round trip. */
export interface SharedServer {
  /** Adds a request to all windows if each has room for it. */
  readonly reserve: (
    key: string,
    version: number,
    request: { readonly id: string; readonly lease: number },
    windows: ReadonlyArray<SharedWindow & Claim>,
  ) => Promise<SharedReply>;
  /**
   * A request has its response, since `received` or now, or was not sent. `counts`: what the
   * response told of each window. Without a request it only asks for the hits.
   */
  readonly settle: (
    key: string,
    version: number,
    request: { readonly hit: SharedHit; readonly isSent: boolean } | undefined,
    windows: ReadonlyArray<SharedWindow>,
    counts?: ReadonlyArray<number | undefined>,
  ) => Promise<SharedReply>;
  /** Replaces what is known, unless it is not of this version any more. */
  readonly publish: (key: string, version: number, knowledge: string) => Promise<SharedReply>;
  /** Adds hits that the server does not have. */
  readonly restore: (
    key: string,
    windows: ReadonlyArray<SharedWindow & { readonly hits: ReadonlyArray<SharedHit> }>,
  ) => Promise<void>;
}

/** Waiters look again after this time: what another process has in flight may come back sooner. */
const POLL_MILLIS = 100;
/** Beliefs whose hypotheses were revived at the same time are of one generation. */
const SAME_MILLIS = 1000;

interface Booked extends SharedWindow {
  readonly window: WindowState;
  readonly log: Log;
}

/** A store over a server that decides about each reservation. */
export const sharedStore = (server: SharedServer): Store => ({
  open: (context) => replicaOf(server, context),
});

const bare = ({ key, policy, scope, since }: SharedWindow): SharedWindow => ({
  policy,
  key,
  scope,
  since,
});

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

const replicaOf = (
  remote: SharedServer,
  { clock, core: options, key, self }: StoreContext,
): Backend => {
  const state = newState();
  // Until the server has told its time.
  let offset = clock.wall() - clock.now();
  let isTold = false;
  /** The most that the difference can be, as the last reply told. */
  let latest = offset;
  /** Those whose generation is known. */
  const beliefs = new WeakSet<Belief>();
  let version = 0;
  let published = "";
  /** Own requests whose reservation is under way. */
  const pending = new Set<string>();
  /** The ids of each window in the server's last reply. */
  const told = new WeakMap<Log, ReadonlySet<string>>();
  /** Outcomes that the server could not be told. */
  let late: ReadonlyArray<() => Promise<SharedReply>> = [];

  const now = (): number => clock.now() + offset;

  const windowsOf = (policies: ReadonlyArray<string>, identity: string): ReadonlyArray<Booked> =>
    policies.flatMap((policy) =>
      (state.policies.get(policy)?.windows ?? []).map((window) => ({
        window,
        log: logOf(window, identity, options),
        policy,
        key: window.key,
        scope: options.isShared(window.rule) ? "" : identity,
        since: cutoff(window.belief, now() - MEMORY).safe,
      })),
    );

  /** The server's time was told between the sending of a command and its reply. */
  const timed =
    <A extends ReadonlyArray<unknown>>(call: (...args: A) => Promise<SharedReply>) =>
    async (...args: A): Promise<SharedReply> => {
      const sentAt = clock.now();
      const reply = await call(...args);
      const least = reply.now - clock.now();
      const most = reply.now + 1 - sentAt;
      // The clock that is behind is safe; clocks drift, and are set.
      offset = isTold ? Math.min(Math.max(offset, least), most) : least;
      latest = most;
      isTold = true;
      return reply;
    };
  const server = {
    ...remote,
    reserve: timed(remote.reserve),
    settle: timed(remote.settle),
    publish: timed(remote.publish),
  };

  const hear = (reply: SharedReply, windows: ReadonlyArray<Booked>): void => {
    for (const [index, hits] of reply.hits.entries()) {
      const window = windows[index];
      if (!window) continue;
      told.set(window.log, new Set(hits.map(({ id }) => id)));
      merge(window, hits);
      const reading = reply.readings[index];
      // Of older ones the hits are not told any more; own ones taught when they came.
      const since = Math.max(reply.now - MEMORY, window.log.reading?.sent ?? -NEVER);
      if (reading && reading.sent > since && !reading.id.startsWith(self))
        observe(window.window, window.log, reading);
    }
    if (reply.knowledge !== undefined) learn(reply.knowledge);
    version = reply.version;
  };

  /** Takes over the hits of all processes. */
  const merge = (window: Booked, hits: ReadonlyArray<SharedHit>): void => {
    const { log } = window;
    const known = new Map(log.hits.map((hit) => [hit.id, hit]));
    const ids = new Set(hits.map(({ id }) => id));
    log.hits = [
      // Others' hits that the server does not have were taken back or have left.
      ...log.hits.filter(({ id }) => id.startsWith(self) && !ids.has(id)),
      ...hits.map((hit) => {
        const own = known.get(hit.id);
        if (!own) return { ...hit };
        // Another process restored it from before its response.
        own.received = Math.min(own.received, hit.received);
        const landed = { ...hit, received: own.received };
        // The server keeps whole milliseconds.
        if (Math.ceil(own.received) < hit.received && hit.id.startsWith(self) && late.length === 0)
          late = [() => server.settle(key, version, { hit: landed, isSent: true }, [bare(window)])];
        return own;
      }),
    ];
    log.ordered = 0;
    order(log, now());
  };

  /**
   * Merges the knowledge of other processes: windows, beliefs and blocks; the hits come with each
   * reply.
   */
  const learn = (text: string): void => {
    const frozen = JSON.parse(text) as FrozenState;
    // Of the same time, which processes know but for a millisecond.
    const heardAt = Math.max(now(), frozen.savedAt);
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
        if (at > (state.routes.get(route)?.get(name) ?? -NEVER)) namePolicy(state, route, name, at);
    const { errors } = state;
    errors.firewallUntil = Math.max(errors.firewallUntil, theirs.errors.firewallUntil);
  };

  /** Beliefs that begin within the same time are of one generation. */
  const generationOf = (belief: Belief): Belief => {
    if (!beliefs.has(belief))
      belief.revivedAt = Math.floor(belief.revivedAt / REVIVE_MILLIS) * REVIVE_MILLIS;
    beliefs.add(belief);
    return belief;
  };

  /** Tells the server own requests that it does not have. */
  const restoreOwn = async (windows: ReadonlyArray<Booked>): Promise<void> => {
    const missing = windows
      .map((window) => {
        const ids = told.get(window.log) ?? new Set();
        const isMissing = ({ id, received }: Hit): boolean =>
          id.startsWith(self) && !ids.has(id) && !pending.has(id) && received >= window.since;
        return { ...bare(window), hits: window.log.hits.filter(isMissing) };
      })
      .filter(({ hits }) => hits.length > 0);
    if (missing.length > 0) await server.restore(key, missing);
  };

  /** After a loss of data: tells the server everything. */
  const restoreAll = async (): Promise<void> => {
    await server.restore(
      key,
      [...state.policies.values()].flatMap((policy) =>
        policy.windows.flatMap((window) =>
          [...window.logs].map(([scope, { hits }]) => ({
            policy: policy.name,
            key: window.key,
            scope,
            since: 0,
            hits: hits.filter(({ id }) => !pending.has(id)),
          })),
        ),
      ),
    );
    published = "";
    if (state.routes.size > 0) await publish();
  };

  const tellLate = async (): Promise<void> => {
    const outcomes = late;
    late = [];
    for (const tell of outcomes) await tell();
  };

  const sync = async ({ identity, route }: Pick<Grant, "identity" | "route">): Promise<void> => {
    await tellLate();
    const windows = windowsOf(policiesOf(state, route, now()), identity);
    const reply = await server.settle(key, version, undefined, windows.map(bare));
    if (reply.isEmpty) await restoreAll();
    else {
      hear(reply, windows);
      await restoreOwn(windows);
    }
  };

  const reserve = async (grant: Grant): Promise<number | undefined> => {
    if (!isTold) {
      await sync(grant);
      // Planned without knowing what others know.
      if (version > 0) return now();
    }
    await tellLate();
    const windows = windowsOf(grant.counted ? grant.policies : [], grant.identity);
    // The count that a probe reads is exact when it is alone; those who wait look again soon.
    const isBusy = ({ log }: Booked): boolean =>
      log.probe === grant.id &&
      log.hits.some(({ id, received }) => received === NEVER && id !== grant.id);
    if (windows.some(isBusy)) return NEVER;
    const at = now();
    const claims = windows.map((each) => {
      const { log, policy, window } = each;
      const spare = options.spare(window.max) + (grant.reserve ?? 0);
      const credit = creditOf(state.policies.get(policy)!);
      const claim = claimOf(window, log, at, credit, spare, log.probe === grant.id);
      return { ...bare(each), ...claim };
    });
    // Of a route that nobody knows, one request at a time goes, over all processes.
    const isBlind = grant.policies.some(isPlaceholder);
    if (isBlind)
      claims.push({ policy: grant.route, key: "?", scope: "", since: at, cut: at + 1, limit: 1 });
    const lease = options.inFlightTimeout;
    const ask = (): Promise<SharedReply> =>
      server.reserve(key, version, { id: grant.id, lease }, claims);
    let reply = await ask();
    if (reply.isEmpty) {
      await restoreAll();
      reply = await ask();
    }
    hear(reply, windows);
    await restoreOwn(windows);
    // The copy is fresh now: plan again.
    if (!reply.granted) return Math.max(reply.opensAt, now() + (isBlind ? POLL_MILLIS : 0));
    grant.hit.sent = reply.now;
    grant.hit.lostAt = reply.now + lease;
    return undefined;
  };

  /** Tells the other processes what the response to a request has taught. */
  const publish = async (): Promise<void> => {
    const at = now();
    for (const { windows } of state.policies.values())
      for (const { belief } of windows) generationOf(belief);
    // The server's time is the wall clock that all processes agree on.
    const frozen = freeze(state, at, at);
    const policies = frozen.policies
      .filter(({ name }) => !isPlaceholder(name))
      .map((policy) => ({
        ...policy,
        windows: policy.windows.map((window) => ({ ...window, logs: {} })),
      }));
    const digest = JSON.stringify(
      [...state.policies.values()].map(({ blockedUntil, name, windows }) => [
        name,
        Math.max(0, blockedUntil - at) && blockedUntil,
        windows.map(({ belief, key: each, max }) => [each, max, belief.living.length]),
      ]),
    );
    if (digest === published) return;
    published = digest;
    const reply = await server.publish(key, version, JSON.stringify({ ...frozen, policies }));
    hear(reply, []);
    // Another process was faster: what it knows and what this one knows, together.
    if (!reply.granted) {
      published = "";
      await publish();
    }
  };

  return {
    state,
    offset: () => offset,
    pollMillis: POLL_MILLIS,
    sync,
    reserve: async (grant) => {
      pending.add(grant.id);
      try {
        return await reserve(grant);
      } finally {
        pending.delete(grant.id);
      }
    },
    settle: async (grant, isSent, record, info) => {
      // The response has come by then, whenever the server hears of it.
      const hit = { ...grant.hit, received: clock.now() + latest };
      const windows = windowsOf(grant.policies, grant.identity);
      const blind = { policy: grant.route, key: "?", scope: "", since: now() };
      const settled = [
        ...windows.map(bare),
        ...(grant.policies.some(isPlaceholder) ? [blind] : []),
      ];
      const counts = windows.map(
        ({ key: each, policy }) =>
          info?.windows.find((window) => info.policy === policy && each === windowKey(window))
            ?.hits,
      );
      const tell = (): Promise<SharedReply> =>
        server.settle(key, version, { hit, isSent }, settled, grant.counted ? counts : []);
      let reply: SharedReply | undefined;
      try {
        await tellLate();
        reply = await tell();
        if (!reply.isEmpty) hear(reply, windows);
      } catch (cause) {
        late = [...late, tell];
        throw cause;
      } finally {
        record(hit.received);
      }
      if (reply.isEmpty) await restoreAll();
      // Windows that were learned only now, and what the server has lost.
      const policies = policiesOf(state, grant.route, now()).concat(grant.policies);
      const known = windowsOf([...new Set(policies)], grant.identity);
      const learned = known.filter((each) => !told.has(each.log));
      await restoreOwn(known);
      if (learned.length > 0) {
        // The first count was read without the requests of other processes.
        for (const { log } of learned) log.foreign = undefined;
        await sync(grant);
      }
      await publish();
    },
  };
};
