/**
 * A store for several processes: it decides about each reservation. This process keeps a copy of
 * the hits of all processes, to plan with and to learn from.
 */
import { cutoff } from "../core/Belief.ts";
import { NEVER } from "../core/basics.ts";
import { MEMORY, order } from "../core/Log.ts";
import type { Hit, Log, WindowState } from "../core/Log.ts";
import { windowKey } from "../core/learn.ts";
import { observe } from "../core/observe.ts";
import { claimOf } from "../core/opening.ts";
import { creditOf } from "../core/plan.ts";
import type { Grant } from "../core/State.ts";
import { isPlaceholder, logOf, newState, policiesOf } from "../core/State.ts";
import type { Backend, Store, StoreContext } from "../Store.ts";
import { sharedKnowledge } from "./sharedKnowledge.ts";
import type { SharedHit, SharedReply, SharedServer, SharedWindow } from "./SharedServer.ts";

/** Waiters look again after this time: what another process has in flight may come back sooner. */
const POLL_MILLIS = 100;
/** After a failed command the server is asked each so often, until it has answered for so long. */
const LOOK_MILLIS = 250;
const CALM_MILLIS = 2000;

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
  const knowledge = sharedKnowledge(state, options);
  let version = 0;
  let published = "";
  /** Own requests whose reservation is under way. */
  const pending = new Set<string>();
  /** The ids of each window in the server's last reply. */
  const told = new WeakMap<Log, ReadonlySet<string>>();
  /** Outcomes that the server could not be told. */
  let late: ReadonlyArray<() => Promise<SharedReply>> = [];

  /** Own hits on the server that belong to no lease, until the server was told. */
  const ghosts = new Set<string>();
  let isLooking = false;
  let isClosed = false;

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
    if (reply.knowledge !== undefined) knowledge.learn(reply.knowledge, now());
    version = reply.version;
  };

  /** Takes over the hits of all processes. */
  const merge = (window: Booked, hits: ReadonlyArray<SharedHit>): void => {
    const { log } = window;
    const known = new Map(log.hits.map((hit) => [hit.id, hit]));
    const ids = new Set(hits.map(({ id }) => id));
    const isGhost = ({ id, received }: SharedHit): boolean =>
      received === NEVER && id.startsWith(self) && !state.leases.has(id) && !known.has(id);
    for (const hit of hits) if (isGhost(hit)) layGhost(window, hit);
    log.hits = [
      // Others' hits that the server does not have were taken back or have left.
      ...log.hits.filter(({ id }) => id.startsWith(self) && !ids.has(id)),
      ...hits.flatMap((hit) => {
        if (isGhost(hit)) return [];
        const own = known.get(hit.id);
        if (!own) return [{ ...hit }];
        // Another process restored it from before its response.
        own.received = Math.min(own.received, hit.received);
        const landed = { ...hit, received: own.received };
        // The server keeps whole milliseconds.
        if (Math.ceil(own.received) < hit.received && hit.id.startsWith(self) && late.length === 0)
          late = [() => server.settle(key, version, { hit: landed, isSent: true }, [bare(window)])];
        return [own];
      }),
    ];
    log.ordered = 0;
    order(log, now());
  };

  /**
   * A command of which the reply was lost has booked a request that was never sent: gives its place
   * back.
   */
  const layGhost = (window: Booked, hit: SharedHit): void => {
    const name = `${hit.id} ${window.policy} ${window.key}`;
    if (ghosts.has(name)) return;
    ghosts.add(name);
    const tell = (): Promise<SharedReply> =>
      server.settle(key, version, { hit, isSent: false }, [bare(window)]);
    late = [...late, tell];
  };

  /**
   * After a failed command one may still be under way: looks for what it leaves behind until the
   * server has answered for some time, or the lease has ended.
   */
  const lookAgain = (grant: Grant, until: number, calmSince = NEVER): void => {
    isLooking = true;
    clock.schedule(LOOK_MILLIS, () => {
      const at = clock.now();
      if (isClosed || at > Math.min(until, calmSince + CALM_MILLIS)) {
        isLooking = false;
        return;
      }
      sync(grant)
        .then(tellLate)
        .then(
          () => lookAgain(grant, until, Math.min(calmSince, at)),
          () => lookAgain(grant, until),
        );
    });
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
    const outcomes = [...late];
    late = [];
    ghosts.clear();
    while (outcomes.length > 0) {
      try {
        await outcomes[0]!();
      } catch (cause) {
        late = [...outcomes, ...late];
        throw cause;
      }
      outcomes.shift();
    }
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
    const digest = knowledge.digest(at);
    if (digest === published) return;
    published = digest;
    const reply = await server.publish(key, version, knowledge.tell(at));
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
    close: async () => {
      isClosed = true;
    },
    reserve: async (grant) => {
      pending.add(grant.id);
      try {
        return await reserve(grant);
      } catch (cause) {
        if (!isLooking) lookAgain(grant, clock.now() + options.inFlightTimeout);
        throw cause;
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
