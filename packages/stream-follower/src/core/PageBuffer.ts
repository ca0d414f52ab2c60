/**
 * Pages on their way from the stream to the sink: read and checked, not yet written.
 *
 * Bounded in pages and in bytes; what the sink is writing counts until it is written, so that one
 * large page at a time is held as objects: they are what the garbage collector pays for. A reader
 * that fails leaves the pages before it: they are committed, and only then does the run hear of the
 * failure.
 */
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import * as Latch from "effect/Latch";
import type { FollowError } from "../Errors.ts";
import type { PageCommit } from "../Model.ts";

/** Exit of the reader; `undefined` while it reads. */
type End = Exit.Exit<void, FollowError> | undefined;

/** One writer, one taker. */
export class PageBuffer {
  private pages: Array<PageCommit> = [];
  private bytes = 0;
  private writing = 0;
  private end: End;
  private readonly filled = Latch.makeUnsafe(false);
  private readonly drained = Latch.makeUnsafe(true);
  private readonly maxPages: number;
  private readonly maxBytes: number;
  constructor(maxPages: number, maxBytes: number) {
    this.maxPages = maxPages;
    this.maxBytes = maxBytes;
  }

  /** Waits until there is room for another page, however large it is. */
  readonly room: Effect.Effect<void> = Effect.suspend(() => this.drained.await);

  /** Adds a page. */
  put(commit: PageCommit): void {
    this.pages.push(commit);
    this.bytes += commit.page.raw.length;
    this.measure();
    this.filled.openUnsafe();
  }

  /** Nothing more will come. */
  finish(end: Exit.Exit<void, FollowError>): void {
    this.end = end;
    this.filled.openUnsafe();
  }

  /**
   * All pages that are there, at least one; `undefined` at the end. Fails as the reader failed,
   * after its last page.
   */
  readonly take: Effect.Effect<ReadonlyArray<PageCommit> | undefined, FollowError> = Effect.gen(
    { self: this },
    function* () {
      yield* this.filled.await;
      const taken = this.pages;
      if (taken.length === 0) {
        yield* this.end!;
        return undefined;
      }
      this.pages = [];
      this.writing = this.bytes;
      if (this.end === undefined) this.filled.closeUnsafe();
      this.measure();
      return taken;
    },
  );

  /** Releases the bytes of the pages that were taken last: they are written. */
  written(): void {
    this.bytes -= this.writing;
    this.writing = 0;
    this.measure();
  }

  private measure(): void {
    if (this.pages.length >= this.maxPages || this.bytes >= this.maxBytes) {
      this.drained.closeUnsafe();
    } else this.drained.openUnsafe();
  }
}
