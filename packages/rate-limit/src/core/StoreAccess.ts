/**
 * A queue's store: opened by the first request, asked with bounds, and the source of its time. A
 * store that throws, hangs or answers nonsense harms no request that does not need it.
 */
import type { LimitedRoute } from "../Model.ts";
import { StoreError } from "../RequestNotSentError.ts";
import type { Backend, Clock, Store } from "../Store.ts";
import { NEVER } from "./basics.ts";
import { attempt, bounded, isBackend, started } from "./sound.ts";
import type { CoreOptions, Grant } from "./State.ts";
import type { RateLimitInfo } from "../RateLimitDialect.ts";

/** A store that does not answer for this time fails. */
const STORE_MILLIS = 10_000;
/** An outcome that the store has not recorded by then is recorded here, and frees its place. */
const SETTLE_MILLIS = 2000;

/** The least time for which a waiter hears the store. */
export const STORE_GRACE = 250;
/** A store that leaves a question unanswered for this time is what everybody waits for. */
const SILENT_MILLIS = 1000;

/** The error of those who wait for a store that does not answer. */
export const silence = (): StoreError => new StoreError("it did not answer in time", undefined);

/** What is opened. */
interface Opening {
  readonly store: Store;
  readonly key: string;
  readonly core: CoreOptions;
}

/** The error of a store, with its cause. */
export const storeError = (cause: unknown): StoreError => {
  if (cause instanceof StoreError) return cause;
  const told = cause instanceof Error ? cause.message : cause;
  return new StoreError(typeof told === "string" && told ? told : "it gave no reason", cause);
};

/** The store. */
export class StoreAccess {
  /** `undefined` until it is opened. */
  backend: Backend | undefined;
  /** Of eight characters, as that of every process. */
  readonly self = Math.random().toString(36).slice(2, 10).padEnd(8, "0");
  readonly #options: Opening;
  readonly #clock: Clock;
  #opening: Promise<Backend> | undefined;
  /** When a store that takes its time was open. */
  #openedAt = -NEVER;
  /** The questions without an answer, by the times at which they were asked, the oldest first. */
  readonly #asked = new Map<string, number>();
  #offset = 0;

  constructor(options: Opening, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Monotonic milliseconds of the state. */
  now(): number {
    const offset = attempt(
      () => this.backend?.offset?.(),
      () => undefined,
    );
    // A time that is none would make every comparison false, and the queue spin.
    if (Number.isFinite(offset)) this.#offset = offset!;
    return this.#clock.now() + this.#offset;
  }

  /** Whether the store has answered nobody lately, or since a request came. */
  isSilent({ since }: { readonly since: number }, at: number): boolean {
    const [asked = NEVER] = this.#asked.values();
    const came = Math.max(since, this.#openedAt + STORE_GRACE);
    return asked + STORE_GRACE <= at && (asked <= came || asked + SILENT_MILLIS <= at);
  }

  /** An instant as milliseconds since 1970. */
  toWall(at: number): number {
    return Math.round(at - this.now() + this.#clock.wall());
  }

  /** Opens the store; `undefined`: it is open. Calls back when it has become so, or has failed. */
  open(opened: () => void, failed: (cause: unknown) => void): Promise<Backend> | undefined {
    if (this.backend || this.#opening) return this.#opening;
    const { core, key, store } = this.#options;
    const context = { key, core, clock: this.#clock, self: this.self };
    const opening = started<Backend | Promise<Backend>>(() => store.open(context));
    if (isBackend(opening)) {
      this.backend = opening;
      return undefined;
    }
    this.#opening = this.#within(Promise.resolve(opening)).then((ready) => {
      if (!isBackend(ready)) throw new StoreError("it opened nothing", undefined);
      this.backend = ready;
      this.#openedAt = this.now();
      opened();
      return ready;
    });
    this.#opening.catch((cause) => {
      // The next request tries again.
      this.#opening = undefined;
      failed(cause);
    });
    return this.#opening;
  }

  /** Brings the state up to date for a route. */
  sync({ identity = "default", route }: LimitedRoute): Promise<void> | undefined {
    const syncing = started(() => this.backend?.sync?.({ route, identity }));
    return syncing && this.#within(syncing);
  }

  /** Asks whether a request may go; `undefined`: it may. Calls `late` if it may after a failure. */
  reserve(grant: Grant, late: () => void): Promise<number | undefined> | undefined {
    const reserving = started(() => this.backend!.reserve?.(grant));
    if (!reserving) return undefined;
    let isOver = false;
    this.#asked.set(grant.id, this.now());
    const soundReply = (until: number | undefined): number | undefined => {
      if (until !== undefined && Number(until) !== until)
        throw new StoreError("its reply is not a time", undefined);
      if (isOver && until === undefined) late();
      return until;
    };
    return this.#within(Promise.resolve(reserving).then(soundReply)).finally(() => {
      this.#asked.delete(grant.id);
      isOver = true;
    });
  }

  /** Stores an outcome; `record` is called once, also if the store fails or hangs. */
  settle(
    grant: Grant,
    isSent: boolean,
    record: (at?: number) => void,
    info: RateLimitInfo | undefined,
  ): Promise<void> | undefined {
    const { settle } = this.backend!;
    const settling =
      settle && started(() => settle.call(this.backend, grant, isSent, record, info));
    if (!settling) record();
    return settling && this.#within(settling, SETTLE_MILLIS).finally(() => record());
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    // One that opens too late is closed then.
    if (!this.backend) this.#opening?.then((late) => late.close?.()).catch(() => undefined);
    await this.#within(started(() => this.backend?.close?.()));
  }

  #within<A>(promise: PromiseLike<A> | A, millis = STORE_MILLIS): Promise<A> {
    return bounded(promise, millis, this.#clock).catch((cause) => {
      throw storeError(cause);
    });
  }
}
