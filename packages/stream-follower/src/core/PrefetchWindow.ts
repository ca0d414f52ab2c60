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
import { isIdOf } from "./readPage.ts";

/** One request of the window. */
interface PendingPage {
  readonly id: string | undefined;
  readonly done: Deferred.Deferred<Exit.Exit<FetchedPage, FetchError>>;
  earlyNextId: string | undefined;
  bytes: number;
  fiber: Fiber.Fiber<unknown> | undefined;
}

/** What a window is made of. */
interface WindowOptions {
  readonly source: PageSourceService;
  readonly key: StreamKey;
  readonly settings: Settings;
  readonly scope: Scope.Scope;
}

/**
 * The window of one stream. All methods are called by the one fiber that owns the stream, or by its
 * fetches.
 */
export class PrefetchWindow {
  private pending: Array<PendingPage> = [];
  private buffered = 0;
  /** Ids whose answers were read lately: where the next id must not lead. */
  private readonly visited = new Set<string>();
  /** Time of the last request of each id, for `waitMinInterval`. */
  private readonly requestedAt = new Map<string, number>();
  private notBefore = 0;
  private readonly room = Latch.makeUnsafe(true);
  private readonly options: WindowOptions;
  constructor(options: WindowOptions) {
    this.options = options;
  }

  /** Bytes that wait in the window, and pages in flight or waiting. */
  get gauges(): { readonly bytes: number; readonly pages: number } {
    return { bytes: this.buffered, pages: this.pending.length };
  }

  /** The answer to `id`: of the request in flight for it, or of a new one. */
  await(id: string | undefined): Effect.Effect<Exit.Exit<FetchedPage, FetchError>> {
    return Effect.gen({ self: this }, function* () {
      const head = this.pending[0];
      if (head === undefined || head.id !== id) {
        yield* this.clear();
        yield* this.waitMinInterval(id);
        yield* this.append(id);
      }
      return yield* Deferred.await(this.pending[0]!.done);
    });
  }

  /** The id that the current answer's head gave, where the stream may go on with it. */
  earlyNextIdOfHead(): string | undefined {
    const id = this.pending[0]?.earlyNextId;
    return id !== undefined && isIdOf(this.options.key.source, id) ? id : undefined;
  }

  /**
   * The current page is read and leaves the window; what follows stays if it is what the page
   * really named.
   */
  advance(nextId: string, keepSuccessors: boolean): Effect.Effect<{ readonly mismatch: boolean }> {
    return Effect.gen({ self: this }, function* () {
      const read = this.pending.shift();
      this.release(read);
      if (read !== undefined) trim(this.visited.add(read.id ?? ""));
      const successor = this.pending[0];
      const mismatch = successor !== undefined && successor.id !== nextId;
      if (mismatch || !keepSuccessors) yield* this.clear();
      else yield* this.prefetchNext();
      return { mismatch };
    });
  }

  /**
   * The current request failed: a new one for the same id takes its place, and what was asked for
   * after it stays.
   */
  retryHead(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const failed = this.pending[0];
      if (failed === undefined) return;
      yield* this.waitMinInterval(failed.id);
      this.release(failed);
      const page = yield* this.start(failed.id, (fresh) => {
        this.pending[0] = fresh;
      });
      page.earlyNextId ??= failed.earlyNextId;
    });
  }

  /**
   * Starts the request for `id` now if the window has room: the look-ahead when the body is whole.
   */
  prefetch(id: string): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.pending.length === 0 &&
      !this.visited.has(id) &&
      this.options.settings.prefetch !== "none"
        ? this.append(id)
        : Effect.void,
    );
  }

  /** Throws away every request: a rewind, a mismatch, the end of the stream. */
  clear(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { pending } = this;
      this.pending = [];
      for (const page of pending) this.release(page);
      const fibers = pending.flatMap((page) => (page.fiber === undefined ? [] : [page.fiber]));
      return fibers.length === 0 ? Effect.void : Fiber.interruptAll(fibers);
    });
  }

  /** After a 429 nothing is asked for ahead of time until then. */
  pausePrefetch(until: number): void {
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
  private waitMinInterval(id: string | undefined): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const last = this.requestedAt.get(id ?? "");
      const wait = last === undefined ? 0 : last + LOOP_GUARD_MILLIS - now;
      return wait > 0 ? Effect.sleep(Math.min(wait, LOOP_GUARD_MILLIS)) : Effect.void;
    });
  }

  private append(id: string | undefined): Effect.Effect<void> {
    return Effect.asVoid(this.start(id, (page) => this.pending.push(page)));
  }

  private start(
    id: string | undefined,
    place: (page: PendingPage) => void,
  ): Effect.Effect<PendingPage> {
    return Effect.gen({ self: this }, function* () {
      const page: PendingPage = {
        id,
        done: Deferred.makeUnsafe(),
        earlyNextId: undefined,
        bytes: 0,
        fiber: undefined,
      };
      place(page);
      this.requestedAt.delete(id ?? "");
      trim(this.requestedAt.set(id ?? "", yield* Clock.currentTimeMillis));
      const { responseTimeoutMillis } = this.options.settings;
      const fetch = fetchPage(
        this.options.source,
        { ...this.options.key, id, responseTimeoutMillis },
        this.options.settings,
        {
          admit: Effect.suspend(() => this.admit(page)),
          received: (bytes) => this.received(page, bytes),
          foundNextId: (earlyNextId) => {
            page.earlyNextId = earlyNextId;
            return this.prefetchNext();
          },
        },
      );
      page.fiber = yield* Effect.exit(fetch).pipe(
        Effect.flatMap((exit) => Deferred.succeed(page.done, exit)),
        Effect.forkIn(this.options.scope),
      );
      return page;
    });
  }

  /**
   * Asks for the page after the last of the window, if its id is visible, new and there is room.
   */
  private prefetchNext(): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const last = this.pending.at(-1);
      const id = last?.earlyNextId;
      if (last === undefined || id === undefined || this.visited.has(id)) return Effect.void;
      // Never prefetch the page's own id: that is the end of the stream, and only
      // the whole page can say so.
      if (this.pending.some((page) => page.id === id)) return Effect.void;
      if (this.options.settings.prefetch !== "early" || now < this.notBefore) return Effect.void;
      if (this.pending.length >= this.options.settings.window) return Effect.void;
      if (this.buffered >= this.options.settings.maxBufferedBytes) return Effect.void;
      return this.append(id);
    });
  }

  private admit(page: PendingPage): Effect.Effect<void> {
    if (page === this.pending[0] || this.buffered < this.options.settings.maxBufferedBytes)
      return Effect.void;
    this.room.closeUnsafe();
    return Effect.andThen(
      this.room.await,
      Effect.suspend(() => this.admit(page)),
    );
  }

  private received(page: PendingPage, bytes: number): void {
    if (!this.pending.includes(page)) return;
    page.bytes += bytes;
    this.buffered += bytes;
  }

  private release(page: PendingPage | undefined): void {
    if (page === undefined) return;
    this.buffered -= page.bytes;
    page.bytes = 0;
    this.room.openUnsafe();
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
