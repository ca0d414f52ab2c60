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

/** A window that has seen nothing yet has no restriction. */
const NEVER = 0;

export class WindowCounter {
  /**
   * Times at which the hits leave the window, oldest first; those before `#from` have left. They
   * ascend, for time does not run backwards in here.
   */
  #expiries: Array<number> = [];
  #from = 0;
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
    this.#expiries.push(bucketEnd(now, window.bucketMillis) + window.periodMillis);
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
    if (this.isRestricted) return this.#restrictedSeconds(now);
    // No restriction time: the window is free again when its hits have become fewer than the
    // maximum.
    const surplus = this.#size - window.maxHits;
    return surplus <= 0 ? 0 : secondsUntil(this.#at(surplus), now);
  }

  /** Returns the values of the state header for this window. */
  state(now: number): WindowState {
    const restrictedSeconds = this.isRestricted ? this.#restrictedSeconds(now) : 0;
    return { hits: this.#size, restrictedSeconds };
  }

  clear(): void {
    this.#expiries = [];
    this.#from = 0;
    this.#announcedUntil = NEVER;
    this.#restrictedUntil = NEVER;
  }

  snapshot(): WindowCounterSnapshot {
    return {
      expiries: this.#expiries.slice(this.#from),
      announcedUntil: this.#announcedUntil,
      restrictedUntil: this.#restrictedUntil,
    };
  }

  static restore(snapshot: WindowCounterSnapshot): WindowCounter {
    const counter = new WindowCounter();
    counter.#expiries = [...snapshot.expiries];
    counter.#announcedUntil = snapshot.announcedUntil;
    counter.#restrictedUntil = snapshot.restrictedUntil;
    return counter;
  }

  get #size(): number {
    return this.#expiries.length - this.#from;
  }

  /** What was announced, and then what a hidden bucket adds to it. */
  #restrictedSeconds(now: number): number {
    const isAnnounced = this.#announcedUntil > now;
    return secondsUntil(isAnnounced ? this.#announcedUntil : this.#restrictedUntil, now);
  }

  #at(index: number): number {
    return this.#expiries[this.#from + index] ?? NEVER;
  }

  /** Lets go of the oldest hit; the list is cut when more than half of it has left. */
  #drop(): void {
    this.#from += 1;
    if (this.#from <= 16 || this.#size > this.#from) return;
    this.#expiries = this.#expiries.slice(this.#from);
    this.#from = 0;
  }
}

/** The end of the bucket that holds `now`; `now` itself in a true sliding window. */
const bucketEnd = (now: number, bucketMillis: number): number =>
  bucketMillis === 0 ? now : (Math.floor(now / bucketMillis) + 1) * bucketMillis;

const secondsUntil = (then: number, now: number): number =>
  Math.max(0, Math.ceil((then - now) / 1000));
