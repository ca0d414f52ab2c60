/**
 * A store for several processes: it decides about each reservation. This process keeps a copy of
 * the hits of all processes, to plan with and to learn from.
 */
import { cutoff } from "../core/Belief.ts";
import { NEVER } from "../core/basics.ts";
import { MEMORY, order } from "../core/Log.ts";
import type { Hit, Log } from "../core/Log.ts";
import { observe } from "../core/observe.ts";
import { bare, claimedBy, countOf, excessOf } from "./booked.ts";
import type { Booked } from "./booked.ts";
import type { Grant } from "../core/State.ts";
import { isPlaceholder, logOf, newState, policiesOf } from "../core/State.ts";
import type { Backend, Store, StoreContext } from "../Store.ts";
import { ServerTime } from "./ServerTime.ts";
import type { RateLimitInfo } from "../RateLimitDialect.ts";
import { sharedKnowledge } from "./knowledge.ts";
import type { SharedKnowledge } from "./knowledge.ts";
import type { SharedHit, SharedReply, SharedServer } from "./SharedServer.ts";

/** Waiters look again after this time: what another process has in flight may come back sooner. */
const POLL_MILLIS = 100;
/** After a failed command the server is asked each so often, until it has answered for so long. */
const LOOK_MILLIS = 250;
const CALM_MILLIS = 2000;
/** Who has twice its share of a window that is nearly full lets others go first for so long. */
const YIELD_MILLIS = 5;

/** A store over a server that decides about each reservation. */
export const sharedStore = (server: SharedServer): Store => ({
  open: (context) => new Replica(server, context),
});

/** The copy of one process. */
class Replica implements Backend {
  readonly state = newState();
  readonly pollMillis = POLL_MILLIS;
  readonly #time: ServerTime;
  readonly #server: SharedServer;
  readonly #context: StoreContext;
  readonly #knowledge: SharedKnowledge;
  #version = 0;
  #published = "";
  /** Own requests whose reservation is under way. */
  readonly #pending = new Set<string>();
  /** The ids of each window in the server's last reply. */
  readonly #told = new WeakMap<Log, ReadonlySet<string>>();
  /** Outcomes that the server could not be told. */
  #late: ReadonlyArray<() => Promise<SharedReply>> = [];
  /** Own hits on the server that belong to no lease, until the server was told. */
  readonly #ghosts = new Set<string>();
  #isLooking = false;
  #isClosed = false;

  constructor(remote: SharedServer, context: StoreContext) {
    const { clock, core } = context;
    this.#context = context;
    this.#time = new ServerTime(clock);
    this.#knowledge = sharedKnowledge(this.state, core);
    this.#server = {
      ...remote,
      reserve: this.#time.timed(remote.reserve),
      settle: this.#time.timed(remote.settle),
      publish: this.#time.timed(remote.publish),
    };
  }

  offset(): number {
    return this.#time.offset;
  }

  async sync({ identity, route }: Pick<Grant, "identity" | "route">): Promise<void> {
    await this.#tellLate();
    const windows = this.#windowsOf(policiesOf(this.state, route, this.#now()), identity);
    const { key } = this.#context;
    const reply = await this.#server.settle(key, this.#version, undefined, windows.map(bare));
    if (reply.isEmpty) await this.#restoreAll();
    else {
      this.#hear(reply, windows);
      await this.#restoreOwn(windows);
    }
  }

  async reserve(grant: Grant): Promise<number | undefined> {
    this.#pending.add(grant.id);
    try {
      return await this.#reserve(grant);
    } catch (cause) {
      const { clock, core } = this.#context;
      if (!this.#isLooking) this.#lookAgain(grant, clock.now() + core.inFlightTimeout);
      throw cause;
    } finally {
      this.#pending.delete(grant.id);
    }
  }

  async settle(
    grant: Grant,
    isSent: boolean,
    record: (at?: number) => void,
    info: RateLimitInfo | undefined,
  ): Promise<void> {
    const { clock, key } = this.#context;
    // The response has come by then, whenever the server hears of it.
    const hit = { ...grant.hit, received: clock.now() + this.#time.latest };
    const windows = this.#windowsOf(grant.policies, grant.identity);
    const settled = windows.map(bare);
    if (grant.policies.some(isPlaceholder))
      settled.push({ policy: grant.route, key: "?", scope: "", since: this.#now() });
    const counts = windows.map((window) => countOf(window, info));
    const tell = (): Promise<SharedReply> =>
      this.#server.settle(key, this.#version, { hit, isSent, counts }, settled);
    let reply: SharedReply | undefined;
    try {
      await this.#tellLate();
      reply = await tell();
      if (!reply.isEmpty) this.#hear(reply, windows);
    } catch (cause) {
      this.#late = [...this.#late, tell];
      throw cause;
    } finally {
      record(hit.received);
    }
    if (reply.isEmpty) await this.#restoreAll();
    await this.#tellLearned(grant);
    await this.#publish();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #now(): number {
    return this.#context.clock.now() + this.#time.offset;
  }

  #windowsOf(policies: ReadonlyArray<string>, identity: string): ReadonlyArray<Booked> {
    const { core } = this.#context;
    return policies.flatMap((policy) =>
      (this.state.policies.get(policy)?.windows ?? []).map((window) => ({
        window,
        log: logOf(window, identity, core),
        policy,
        key: window.key,
        scope: core.isShared(window.rule) ? "" : identity,
        since: cutoff(window.belief, this.#now() - MEMORY).safe,
      })),
    );
  }

  #hear(reply: SharedReply, windows: ReadonlyArray<Booked>): void {
    for (const [index, hits] of reply.hits.entries()) {
      const window = windows[index];
      if (!window) continue;
      this.#told.set(window.log, new Set(hits.map(({ id }) => id)));
      this.#merge(window, hits);
      const reading = reply.readings[index];
      // Of older ones the hits are not told any more; own ones taught when they came.
      const since = Math.max(reply.now - MEMORY, window.log.reading?.sent ?? -NEVER);
      if (reading && reading.sent > since && !this.#isOwn(reading))
        observe(window.window, window.log, reading);
    }
    if (reply.knowledge !== undefined) this.#knowledge.learn(reply.knowledge, this.#now());
    this.#version = reply.version;
  }

  #isOwn({ id }: { readonly id: string }): boolean {
    return id.startsWith(this.#context.self);
  }

  /** Takes over the hits of all processes. */
  #merge(window: Booked, hits: ReadonlyArray<SharedHit>): void {
    const { log } = window;
    const known = new Map(log.hits.map((hit) => [hit.id, hit]));
    const ids = new Set(hits.map(({ id }) => id));
    const taken = hits.flatMap((hit) => {
      const own = known.get(hit.id);
      const isGhost = hit.received === NEVER && this.#isOwn(hit) && !this.state.leases.has(hit.id);
      if (isGhost && !own) this.#layGhost(window, hit);
      else if (own) this.#align(window, own, hit);
      return isGhost && !own ? [] : [own ?? { ...hit }];
    });
    // Others' hits that the server does not have were taken back or have left.
    log.hits = [...log.hits.filter((hit) => this.#isOwn(hit) && !ids.has(hit.id)), ...taken];
    log.ordered = 0;
    order(log, this.#now());
  }

  /** Compares a known hit with the server's. */
  #align(window: Booked, own: Hit, hit: SharedHit): void {
    // Another process restored it from before its response.
    own.received = Math.min(own.received, hit.received);
    // The server keeps whole milliseconds.
    if (Math.ceil(own.received) >= hit.received || !this.#isOwn(hit) || this.#late.length > 0)
      return;
    const landed = { ...hit, received: own.received };
    this.#late = [() => this.#retell(landed, true, window)];
  }

  /**
   * A command of which the reply was lost has booked a request that was never sent: gives its place
   * back.
   */
  #layGhost(window: Booked, hit: SharedHit): void {
    const name = `${hit.id} ${window.policy} ${window.key}`;
    if (this.#ghosts.has(name)) return;
    this.#ghosts.add(name);
    this.#late = [...this.#late, () => this.#retell(hit, false, window)];
  }

  #retell(hit: SharedHit, isSent: boolean, window: Booked): Promise<SharedReply> {
    const { key } = this.#context;
    return this.#server.settle(key, this.#version, { hit, isSent }, [bare(window)]);
  }

  /**
   * After a failed command one may still be under way: looks for what it leaves behind until the
   * server has answered for some time, or the lease has ended.
   */
  #lookAgain(grant: Grant, until: number, calmSince = NEVER): void {
    const { clock } = this.#context;
    this.#isLooking = true;
    clock.schedule(LOOK_MILLIS, () => {
      const at = clock.now();
      if (this.#isClosed || at > Math.min(until, calmSince + CALM_MILLIS)) {
        this.#isLooking = false;
        return;
      }
      this.sync(grant)
        .then(() => this.#tellLate())
        .then(
          () => this.#lookAgain(grant, until, Math.min(calmSince, at)),
          () => this.#lookAgain(grant, until),
        );
    });
  }

  /** Tells the server own requests that it does not have. */
  async #restoreOwn(windows: ReadonlyArray<Booked>): Promise<void> {
    const missing = windows
      .map((window) => {
        const ids = this.#told.get(window.log) ?? new Set();
        const isMissing = (hit: Hit): boolean =>
          this.#isOwn(hit) &&
          !ids.has(hit.id) &&
          !this.#pending.has(hit.id) &&
          hit.received >= window.since;
        return { ...bare(window), hits: window.log.hits.filter(isMissing) };
      })
      .filter(({ hits }) => hits.length > 0);
    if (missing.length > 0) await this.#server.restore(this.#context.key, missing);
  }

  /** After a loss of data: tells the server everything. */
  async #restoreAll(): Promise<void> {
    await this.#server.restore(
      this.#context.key,
      [...this.state.policies.values()].flatMap(({ name: policy, windows }) =>
        windows.flatMap(({ key, logs }) =>
          [...logs].map(([scope, log]) => {
            const hits = log.hits.filter(({ id }) => !this.#pending.has(id));
            return { policy, key, scope, since: 0, hits };
          }),
        ),
      ),
    );
    this.#published = "";
    if (this.state.routes.size > 0) await this.#publish();
  }

  async #tellLate(): Promise<void> {
    const outcomes = [...this.#late];
    this.#late = [];
    this.#ghosts.clear();
    while (outcomes.length > 0) {
      try {
        await outcomes[0]!();
      } catch (cause) {
        this.#late = [...outcomes, ...this.#late];
        throw cause;
      }
      outcomes.shift();
    }
  }

  async #reserve(grant: Grant): Promise<number | undefined> {
    if (!this.#time.isTold) {
      await this.sync(grant);
      // Planned without knowing what others know.
      if (this.#version > 0) return this.#now();
    }
    await this.#tellLate();
    const windows = this.#windowsOf(grant.policies, grant.identity);
    // The count that a probe reads is exact when it is alone; those who wait look again soon.
    const isBusy = ({ log }: Booked): boolean =>
      log.probe === grant.id &&
      log.hits.some(({ id, received }) => received === NEVER && id !== grant.id);
    const excess = excessOf(windows, this.#context.self);
    if (excess > 0) await this.#pass(Math.min(1, excess) * YIELD_MILLIS);
    if (windows.some(isBusy)) return NEVER;
    // Of a route that nobody knows, one request at a time goes, over all processes.
    const isBlind = grant.policies.some(isPlaceholder);
    const { core, key } = this.#context;
    const claims = windows.map((each) =>
      claimedBy(grant, each, this.state, { at: this.#now(), core }),
    );
    if (isBlind) {
      const at = this.#now();
      claims.push({ policy: grant.route, key: "?", scope: "", since: at, cut: at + 1, limit: 1 });
    }
    const request = { id: grant.id, lease: core.inFlightTimeout };
    const ask = (): Promise<SharedReply> =>
      this.#server.reserve(key, this.#version, request, claims);
    let reply = await ask();
    if (reply.isEmpty) {
      await this.#restoreAll();
      reply = await ask();
    }
    this.#hear(reply, windows);
    await this.#restoreOwn(windows);
    // The copy is fresh now: plan again.
    if (!reply.granted) return Math.max(reply.opensAt, this.#now() + (isBlind ? POLL_MILLIS : 0));
    grant.hit.sent = reply.now;
    grant.hit.lostAt = reply.now + request.lease;
    return undefined;
  }

  #pass(millis: number): Promise<void> {
    return new Promise((resolve) => {
      this.#context.clock.schedule(millis, resolve);
    });
  }

  /** Tells the windows that were learned only now, and what the server has lost. */
  async #tellLearned(grant: Grant): Promise<void> {
    const policies = policiesOf(this.state, grant.route, this.#now()).concat(grant.policies);
    const known = this.#windowsOf([...new Set(policies)], grant.identity);
    const learned = known.filter((each) => !this.#told.has(each.log));
    await this.#restoreOwn(known);
    if (learned.length === 0) return;
    // The first count was read without the requests of other processes.
    for (const { log } of learned) log.foreign = undefined;
    await this.sync(grant);
  }

  /** Tells the other processes what the response to a request has taught. */
  async #publish(): Promise<void> {
    const at = this.#now();
    const digest = this.#knowledge.digest(at);
    if (digest === this.#published) return;
    this.#published = digest;
    const { key } = this.#context;
    const reply = await this.#server.publish(key, this.#version, this.#knowledge.tell(at));
    this.#hear(reply, []);
    // Another process was faster: what it knows and what this one knows, together.
    if (reply.granted) return;
    this.#published = "";
    await this.#publish();
  }
}
