/**
 * The window of pages in flight: the current one and those that were asked for because their id was
 * visible early.
 *
 * Bounded twice: by a count, and by bytes as they came over the wire. A page that is not the
 * current one stops reading its socket while the bytes are used up, so the service feels the
 * back-pressure; the current page always goes on, so the window cannot lock itself.
 */
import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Latch from "effect/Latch";
import type * as Scope from "effect/Scope";
import type { FetchError } from "../Errors.ts";
import type { StreamKey } from "../Model.ts";
import type { Settings } from "../Options.ts";
import type { PageSourceService } from "../PageSource.ts";
import { type FetchedPage, fetchPage } from "./fetchPage.ts";

/** One request of the window. */
export interface Slot {
  readonly id: string | undefined;
  readonly done: Deferred.Deferred<Exit.Exit<FetchedPage, FetchError>>;
  hint: string | undefined;
  bytes: number;
  fiber: Fiber.Fiber<unknown> | undefined;
}

/** What the window tells its owner. */
export interface WindowObserver {
  /** Bytes that wait in the window. */
  readonly windowBytes: (bytes: number) => void;
  /** Pages in flight or waiting. */
  readonly windowPages: (pages: number) => void;
}

/**
 * The window of one stream. All methods are called by the one fiber that owns the stream, or by its
 * fetches.
 */
export class LookAhead {
  private slots: Array<Slot> = [];
  private buffered = 0;
  /** Ids whose answers were read lately: where the next id must not lead. */
  private readonly visited = new Set<string>();
  /** When an id was last asked for: the loop guard's memory. */
  private readonly askedAt = new Map<string, number>();
  private notBefore = 0;
  private readonly room = Latch.makeUnsafe(true);
  private readonly source: PageSourceService;
  private readonly key: StreamKey;
  private readonly settings: Settings;
  private readonly scope: Scope.Scope;
  private readonly observer: WindowObserver;
  constructor(options: {
    readonly source: PageSourceService;
    readonly key: StreamKey;
    readonly settings: Settings;
    readonly scope: Scope.Scope;
    readonly observer: WindowObserver;
  }) {
    this.source = options.source;
    this.key = options.key;
    this.settings = options.settings;
    this.scope = options.scope;
    this.observer = options.observer;
  }

  /** The answer to `id`: of the request in flight for it, or of a new one. */
  await(id: string | undefined): Effect.Effect<Exit.Exit<FetchedPage, FetchError>> {
    return Effect.gen({ self: this }, function* () {
      const head = this.slots[0];
      if (head === undefined || head.id !== id) {
        yield* this.clear();
        yield* this.guard(id);
        yield* this.append(id);
      }
      return yield* Deferred.await(this.slots[0]!.done);
    });
  }

  /** The hint that the current answer's head gave, to be compared with the parsed id. */
  hintOfHead(): string | undefined {
    return this.slots[0]?.hint;
  }

  /**
   * The current page is read and leaves the window; what follows stays if it is what the page
   * really named.
   */
  advance(nextId: string, keepSuccessors: boolean): Effect.Effect<{ readonly mismatch: boolean }> {
    return Effect.gen({ self: this }, function* () {
      const read = this.slots.shift();
      this.release(read);
      if (read !== undefined) trim(this.visited.add(read.id ?? ""));
      const successor = this.slots[0];
      const mismatch = successor !== undefined && successor.id !== nextId;
      if (mismatch || !keepSuccessors) yield* this.clear();
      else yield* this.extend();
      return { mismatch };
    });
  }

  /**
   * The current request failed: a new one for the same id takes its place, and what was asked for
   * after it stays.
   */
  replaceHead(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const failed = this.slots[0];
      if (failed === undefined) return;
      yield* this.guard(failed.id);
      this.release(failed);
      const slot = yield* this.start(failed.id, (fresh) => {
        this.slots[0] = fresh;
      });
      slot.hint ??= failed.hint;
    });
  }

  /**
   * Starts the request for `id` now if the window has room: the look-ahead when the body is whole.
   */
  prefetch(id: string): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.slots.length === 0 && !this.visited.has(id) && this.settings.lookAhead !== "none"
        ? this.append(id)
        : Effect.void,
    );
  }

  /** Throws away every request: a rewind, a mismatch, the end of the stream. */
  clear(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { slots } = this;
      this.slots = [];
      for (const slot of slots) this.release(slot);
      const fibers = slots.flatMap((slot) => (slot.fiber === undefined ? [] : [slot.fiber]));
      return fibers.length === 0 ? Effect.void : Fiber.interruptAll(fibers);
    });
  }

  /** After a 429 nothing is asked for ahead of time until then. */
  holdBack(until: number): void {
    this.notBefore = Math.max(this.notBefore, until);
  }

  /** Whether the answer to an id was read lately: a page that leads there leads in a circle. */
  wasVisited(id: string): boolean {
    return this.visited.has(id);
  }

  /** A rewind reads ids again on purpose. */
  forget(): void {
    this.visited.clear();
  }

  /** The same id is asked for less than twice a second, whatever the service answers. */
  private guard(id: string | undefined): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const last = this.askedAt.get(id ?? "");
      const wait = last === undefined ? 0 : last + LOOP_GUARD_MILLIS - now;
      return wait > 0 ? Effect.sleep(Math.min(wait, LOOP_GUARD_MILLIS)) : Effect.void;
    });
  }

  private append(id: string | undefined): Effect.Effect<void> {
    return Effect.asVoid(this.start(id, (slot) => this.slots.push(slot)));
  }

  private start(id: string | undefined, place: (slot: Slot) => void): Effect.Effect<Slot> {
    return Effect.gen({ self: this }, function* () {
      const slot: Slot = {
        id,
        done: Deferred.makeUnsafe(),
        hint: undefined,
        bytes: 0,
        fiber: undefined,
      };
      place(slot);
      this.askedAt.delete(id ?? "");
      trim(this.askedAt.set(id ?? "", yield* Clock.currentTimeMillis));
      this.report();
      const { ttfbMillis } = this.settings;
      const fetch = fetchPage(this.source, { ...this.key, id, ttfbMillis }, this.settings, {
        admit: Effect.suspend(() => this.admit(slot)),
        received: (bytes) => this.received(slot, bytes),
        hinted: (hint) => {
          slot.hint = hint;
          return this.settings.lookAhead === "early" ? this.extend() : Effect.void;
        },
      });
      slot.fiber = yield* Effect.exit(fetch).pipe(
        Effect.flatMap((exit) => Deferred.succeed(slot.done, exit)),
        Effect.forkIn(this.scope),
      );
      return slot;
    });
  }

  /**
   * Asks for the page after the last of the window, if its id is visible, new and there is room.
   */
  private extend(): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const last = this.slots.at(-1);
      const id = last?.hint;
      if (last === undefined || id === undefined || this.visited.has(id)) return Effect.void;
      // Least of all where the next id is the answer's own: that is the end of the stream, and only
      // the whole page can say so.
      if (this.slots.some((slot) => slot.id === id)) return Effect.void;
      if (this.settings.lookAhead !== "early" || now < this.notBefore) return Effect.void;
      if (this.slots.length >= this.settings.window) return Effect.void;
      if (this.buffered >= this.settings.maxBufferedBytes) return Effect.void;
      return this.append(id);
    });
  }

  private admit(slot: Slot): Effect.Effect<void> {
    if (slot === this.slots[0] || this.buffered < this.settings.maxBufferedBytes)
      return Effect.void;
    this.room.closeUnsafe();
    return Effect.andThen(
      this.room.await,
      Effect.suspend(() => this.admit(slot)),
    );
  }

  private received(slot: Slot, bytes: number): void {
    if (!this.slots.includes(slot)) return;
    slot.bytes += bytes;
    this.buffered += bytes;
    this.observer.windowBytes(this.buffered);
  }

  private release(slot: Slot | undefined): void {
    if (slot === undefined) return;
    this.buffered -= slot.bytes;
    slot.bytes = 0;
    this.room.openUnsafe();
    this.report();
  }

  private report(): void {
    this.observer.windowBytes(this.buffered);
    this.observer.windowPages(this.slots.length);
  }
}

const LOOP_GUARD_MILLIS = 500;

/**
 * Enough to see any circle that a page of history can make; ids further back are told apart by the
 * store alone.
 */
const REMEMBERED_IDS = 256;

const trim = (ids: Set<string> | Map<string, number>): void => {
  if (ids.size <= REMEMBERED_IDS) return;
  for (const oldest of ids.keys()) {
    ids.delete(oldest);
    break;
  }
};
