/**
 * One sliding window of one rule for one identity: the hits of the last period, and the restriction
 * that a violation began.
 *
 * Time is handed in, in milliseconds, so that the virtual clock alone decides. Memory is bounded by
 * `maxHits + 1` numbers: whether a window is full depends on its newest `maxHits + 1` hits only,
 * older ones cannot change an answer.
 *
 * In the hidden-bucket mode a hit leaves together with its bucket, up to one bucket later than its
 * period says, and a restriction ends with its bucket; what the headers report stays the plain
 * arithmetic, as on the wire.
 */
import type { CompiledWindow } from "./RatePolicy.ts";

/** State of a window: hits in the period and the seconds that are left of a restriction. */
export interface WindowState {
  readonly hits: number;
  readonly restrictedSeconds: number;
}

/** The state of a counter as plain JSON, for snapshots. */
export interface WindowCounterSnapshot {
  readonly expiries: ReadonlyArray<number>;
  readonly announcedUntil: number;
  readonly restrictedUntil: number;
}

const INITIAL_CAPACITY = 8;

/** A window that has seen nothing yet has no restriction. */
const NEVER = 0;

/** Counts the hits of one window. */
export class WindowCounter {
  /**
   * Times at which the hits leave the window, oldest first, as a ring. They ascend, for time does
   * not run backwards in here.
   */
  #expiries = new Float64Array(INITIAL_CAPACITY);
  #head = 0;
  #size = 0;
  #announcedUntil = NEVER;
  #restrictedUntil = NEVER;
  #latest = NEVER;

  /** Lets go of what is over. Has to be called before the window is asked or hit at `now`. */
  settle(window: CompiledWindow, now: number): void {
    // The virtual clock was set back: what was counted in the future that is no more cannot be
    // compared with now.
    if (now < this.#latest) this.clear();
    this.#latest = now;
    while (this.#size > 0 && this.#at(0) <= now) this.#drop();
    while (this.#size > window.maxHits + 1) this.#drop();
    if (this.#restrictedUntil <= now) this.#restrictedUntil = NEVER;
  }

  /** Whether a violation still keeps the identity out. */
  get isRestricted(): boolean {
    return this.#restrictedUntil !== NEVER;
  }

  /** Whether nothing is held any more, so that the counter may be forgotten. */
  get isIdle(): boolean {
    return this.#size === 0 && !this.isRestricted;
  }

  /**
   * Counts one hit and answers whether it was within the limit; one beyond it begins the
   * restriction.
   */
  hit(window: CompiledWindow, now: number): boolean {
    if (this.#size > window.maxHits) this.#drop();
    this.#push(bucketEnd(now, window.bucketMillis) + window.periodMillis);
    if (this.#size <= window.maxHits) return true;
    if (window.restrictMillis > 0) {
      this.#announcedUntil = now + window.restrictMillis;
      this.#restrictedUntil = bucketEnd(this.#announcedUntil, window.bucketMillis);
    }
    return false;
  }

  /**
   * Seconds after which a request may pass again, rounded up; what `Retry-After` says after a
   * refusal.
   */
  retryAfterSeconds(window: CompiledWindow, now: number): number {
    if (this.isRestricted) {
      const announced = this.#announcedUntil > now ? this.#announcedUntil : this.#restrictedUntil;
      return secondsUntil(announced, now);
    }
    if (this.#size <= window.maxHits) return 0;
    // No restriction time: the window is free again when its hits have become fewer than the
    // maximum.
    const surplus = this.#size - window.maxHits;
    return window.maxHits === 0
      ? secondsUntil(this.#at(this.#size - 1), now)
      : secondsUntil(this.#at(surplus), now);
  }

  /** Returns the values of the state header for this window. */
  state(now: number): WindowState {
    const restrictedSeconds = this.isRestricted
      ? secondsUntil(this.#announcedUntil > now ? this.#announcedUntil : this.#restrictedUntil, now)
      : 0;
    return { hits: this.#size, restrictedSeconds };
  }

  /** Forgets everything. */
  clear(): void {
    this.#head = 0;
    this.#size = 0;
    this.#announcedUntil = NEVER;
    this.#restrictedUntil = NEVER;
  }

  /** The counter as plain JSON. */
  snapshot(): WindowCounterSnapshot {
    const expiries = Array.from({ length: this.#size }, (_, index) => this.#at(index));
    return {
      expiries,
      announcedUntil: this.#announcedUntil,
      restrictedUntil: this.#restrictedUntil,
    };
  }

  /** A counter as it was when its snapshot was taken. */
  static restore(snapshot: WindowCounterSnapshot): WindowCounter {
    const counter = new WindowCounter();
    for (const expiry of snapshot.expiries) counter.#push(expiry);
    counter.#announcedUntil = snapshot.announcedUntil;
    counter.#restrictedUntil = snapshot.restrictedUntil;
    return counter;
  }

  #at(index: number): number {
    return this.#expiries[(this.#head + index) % this.#expiries.length] ?? NEVER;
  }

  #push(expiry: number): void {
    if (this.#size === this.#expiries.length) this.#grow();
    this.#expiries[(this.#head + this.#size) % this.#expiries.length] = expiry;
    this.#size += 1;
  }

  #drop(): void {
    this.#head = (this.#head + 1) % this.#expiries.length;
    this.#size -= 1;
  }

  #grow(): void {
    const larger = new Float64Array(this.#expiries.length * 2);
    for (let index = 0; index < this.#size; index++) larger[index] = this.#at(index);
    this.#expiries = larger;
    this.#head = 0;
  }
}

/** The end of the bucket that holds `now`; `now` itself in a true sliding window. */
const bucketEnd = (now: number, bucketMillis: number): number =>
  bucketMillis === 0 ? now : (Math.floor(now / bucketMillis) + 1) * bucketMillis;

const secondsUntil = (then: number, now: number): number =>
  Math.max(0, Math.ceil((then - now) / 1000));
