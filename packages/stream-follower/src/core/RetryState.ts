/**
 * Handling of failed responses: the wait before the same id is requested again, and the policy's
 * decision after the last try.
 *
 * It counts tries since the last good answer, and nothing else. The stream acts on the results.
 */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Random from "effect/Random";
import type {
  FetchError,
  FollowError,
  MalformedPage,
  PageTooLarge,
  StuckStream,
} from "../Errors.ts";
import type { Settings } from "../Options.ts";
import type { PageEvent } from "./classifyPage.ts";
import type { PrefetchWindow } from "./PrefetchWindow.ts";
import { doubled } from "./backoff.ts";
import { checksum } from "./checksum.ts";

/** Waits for a firewall that blocks us: more requests would prolong the block. */
const BLOCKED_MILLIS = 60_000;
const BLOCKED_CAP_MILLIS = 900_000;

/** An end with an error. */
const fatal = (error: FollowError): PageEvent => ({ event: "fatal", error });

/** The failures of one stream. */
export class RetryState {
  /** Passing faults since the last good answer. */
  private attempts = 0;
  /** Answers since then that may be bad for good. */
  private suspicions = 0;
  /** Responses of something in front of the service since then. */
  private blocks = 0;
  private readonly settings: Settings;
  private readonly window: PrefetchWindow;
  constructor(settings: Settings, window: PrefetchWindow) {
    this.settings = settings;
    this.window = window;
  }

  /** A good answer: what went wrong before it is forgotten. */
  reset(): void {
    this.attempts = 0;
    this.suspicions = 0;
    this.blocks = 0;
  }

  /** A failed answer to `id` as an event of the machine. */
  classify(error: FetchError | StuckStream, id: string | undefined): Effect.Effect<PageEvent> {
    return Effect.gen({ self: this }, function* () {
      if (error._tag === "PageRefused" && error.kind === "unauthorized") return fatal(error);
      if (error._tag === "PageRefused" || error._tag === "StuckStream")
        return yield* this.end(error);
      if (error.isRetryable) return yield* this.passing(error);
      const tries = this.suspicions;
      const waitMillis = this.settings.badPageRetryMillis[tries];
      if (waitMillis === undefined) return yield* this.giveUp(error, id, tries + 1);
      this.suspicions += 1;
      return { event: "badPage", waitMillis };
    });
  }

  /** Answers to the awaited request that were no whole page. */
  get suspected(): number {
    return this.suspicions;
  }

  /** Whether one more of them is followed by another request. */
  get maySuspect(): boolean {
    return this.suspicions < this.settings.badPageRetryMillis.length;
  }

  /** A fault that waiting may mend. */
  private passing(error: FetchError): Effect.Effect<PageEvent> {
    return Effect.gen({ self: this }, function* () {
      if (this.attempts + this.blocks >= this.settings.maxRetries) return fatal(error);
      const isUnavailable = error._tag === "PageUnavailable";
      const floor =
        isUnavailable && error.retryAfter !== undefined ? Duration.toMillis(error.retryAfter) : 0;
      if (isUnavailable && error.kind === "blocked") {
        this.blocks += 1;
        const waitMillis = doubled(BLOCKED_MILLIS, BLOCKED_CAP_MILLIS, this.blocks - 1);
        return { event: "transient", waitMillis: Math.max(floor, waitMillis) };
      }
      const { backoffBaseMillis, backoffCapMillis } = this.settings;
      const ceiling = doubled(backoffBaseMillis, backoffCapMillis, this.attempts);
      this.attempts += 1;
      const waitMillis = Math.max(floor, ceiling * (yield* Random.next));
      if (!isUnavailable || error.kind !== "rateLimited") return { event: "transient", waitMillis };
      this.window.pausePrefetch((yield* Clock.currentTimeMillis) + waitMillis);
      return { event: "rateLimited", waitMillis };
    });
  }

  /** The tries are used up: the policy decides. */
  private giveUp(
    error: FetchError,
    id: string | undefined,
    tries: number,
  ): Effect.Effect<PageEvent> {
    this.suspicions = 0;
    const rewind = error._tag === "ChangeIdRejected" ? this.elsewhere(id) : undefined;
    if (rewind !== undefined) return Effect.succeed(rewind);
    const kept =
      error._tag === "MalformedPage" || error._tag === "PageTooLarge"
        ? this.setAside(error, id, tries)
        : undefined;
    if (kept !== undefined) return Effect.succeed(kept);
    return this.end(error);
  }

  /** The end of the stream, or a pause of it, by `onMalformedPage`. */
  private end(error: FetchError | StuckStream): Effect.Effect<PageEvent> {
    const isPause = this.settings.onMalformedPage === "pause";
    return Effect.as(this.window.clear(), isPause ? { event: "violation" } : fatal(error));
  }

  /** Picks the id to continue with after the service rejected one, by `onIdRejected`. */
  private elsewhere(id: string | undefined): PageEvent | undefined {
    const { onIdRejected } = this.settings;
    if (onIdRejected === "halt" || id === undefined) return undefined;
    const to = onIdRejected === "restartFromStart" ? undefined : onIdRejected.jumpTo;
    if (to === id) return undefined;
    const kind = to === undefined ? "restarted" : "jumped";
    return { event: "rewind", id: to, gap: { kind, from: id, to: to ?? "" } };
  }

  /**
   * A page given up, its bytes on the way into the quarantine; nothing where it does not show a
   * usable next id.
   */
  private setAside(
    error: MalformedPage | PageTooLarge,
    id: string | undefined,
    tries: number,
  ): PageEvent | undefined {
    if (error._tag === "PageTooLarge" && this.settings.onPageTooLarge !== "skip") return undefined;
    const { kind, nextId, bytes } =
      error._tag === "MalformedPage"
        ? { kind: "page" as const, nextId: error.headId, bytes: error.raw }
        : { kind: "head" as const, nextId: this.window.earlyNextIdOfHead(), bytes: error.head };
    if (nextId === undefined || nextId === id || this.window.wasVisited(nextId)) return undefined;
    const { _tag: errorTag, message } = error;
    return {
      event: "data",
      page: {
        nextId,
        wire: NOTHING,
        raw: NOTHING,
        rows: [],
        bounds: [],
        checksum: checksum(NOTHING),
      },
      quarantine: { kind, requestedId: id, nextId, errorTag, message, bytes, tries },
    };
  }
}

/** A page given up has an empty `raw`. */
const NOTHING = new Uint8Array();
