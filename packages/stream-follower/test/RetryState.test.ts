/** What follows a failed response: the next event with its wait, or the decision of a policy. */
import { Clock, Duration, Effect, Random } from "effect";
import { expect, it } from "vitest";
import * as Errors from "../src/Errors.ts";
import { type FollowOptions, resolve } from "../src/Options.ts";
import type { PageEvent } from "../src/core/classifyPage.ts";
import type { PrefetchWindow } from "../src/core/PrefetchWindow.ts";
import { backoff } from "../src/core/backoff.ts";
import { RetryState } from "../src/core/RetryState.ts";
import { valueOf } from "./support/Run.ts";

type Failure = Parameters<RetryState["classify"]>[0];
const unavailable = (kind: Errors.PageUnavailable["kind"], seconds?: number) =>
  new Errors.PageUnavailable({
    kind,
    ...(seconds === undefined ? {} : { retryAfter: Duration.seconds(seconds) }),
  });
const malformed = (headId?: string) =>
  new Errors.MalformedPage({ detail: "no", raw: Buffer.from("raw"), headId });
const server = unavailable("server");
const blocked = unavailable("blocked");
const limited = unavailable("rateLimited");
const slow = new Errors.PageTimeout({ kind: "stall" });
const cut = new Errors.TruncatedBody({ received: 1, detail: "no" });
const garbled = new Errors.DecompressError({ encoding: "gzip", detail: "no" });
const unauthorized = new Errors.PageRefused({ kind: "unauthorized" });
const forbidden = new Errors.PageRefused({ kind: "forbidden" });
const stuck = new Errors.StuckStream({ id: "a", tries: 100 });
const rejected = new Errors.ChangeIdRejected({ id: "a", status: 404 });
const tooLarge = new Errors.PageTooLarge({ limit: 1, stage: "wire", head: Buffer.from("head") });

const transient = (waitMillis: number): PageEvent => ({ event: "transient", waitMillis });
const bad = (waitMillis: number): PageEvent => ({ event: "badPage", waitMillis });
const fatal = (error: Failure): PageEvent => ({ event: "fatal", error });
const rewind = (kind: "restarted" | "jumped", id?: string): PageEvent => ({
  ...{ event: "rewind", id, gap: { kind, from: "a", to: id ?? "" } },
});
const empty = new Uint8Array();
const setAside = (kind: "page" | "head", { _tag, message }: Failure, text: string): PageEvent => ({
  event: "data",
  page: {
    ...{ nextId: "b", wire: empty, raw: empty, rows: [], bounds: [] },
    checksum: "00000000-0",
  },
  quarantine: {
    ...{ kind, requestedId: "a", nextId: "b", errorTag: _tag, message, tries: 1 },
    bytes: Buffer.from(text),
  },
});

/** At once: no response is tried again before the policy decides. */
const ONCE = { badPageRetryDelays: [] };
const SKIP = { ...ONCE, onPageTooLarge: "skip" } as const;
const PAUSE = { ...ONCE, onMalformedPage: "pause" } as const;
const violation: PageEvent = { event: "violation" };

/** The window as the decisions see it. */
interface Seen {
  readonly visited?: string;
  readonly early?: string;
  readonly id?: string | undefined;
}

/** Half of what a wait may be longer. */
const halfway = Effect.provideService(Random.Random, {
  nextDoubleUnsafe: () => 0.5,
  nextIntUnsafe: () => 0,
});

/** The events of responses that failed, one after the other, and until when nothing is prefetched. */
const decided = (
  options: FollowOptions,
  failures: ReadonlyArray<Failure | "good">,
  { early, visited = "", ...seen }: Seen = {},
) => {
  const pauses: Array<number> = [];
  let clears = 0;
  const window = {
    clear: () => Effect.sync(() => void (clears += 1)),
    pausePrefetch: (until: number) => void pauses.push(until),
    wasVisited: (id: string) => id === visited,
    earlyNextIdOfHead: () => early,
  } as Partial<PrefetchWindow> as PrefetchWindow;
  const state = new RetryState(resolve(options), window);
  return valueOf(
    Effect.gen(function* () {
      yield* Effect.sleep("1 second");
      const events: Array<PageEvent> = [];
      for (const failure of failures) {
        if (failure === "good") state.reset();
        else events.push(yield* state.classify(failure, "id" in seen ? seen.id : "a"));
      }
      expect(yield* Clock.currentTimeMillis).toBe(1000);
      return { events, pauses, clears, state };
    }).pipe(halfway),
  );
};

it.each<[string, FollowOptions, ReadonlyArray<Failure | "good">, ReadonlyArray<PageEvent>, Seen?]>([
  [
    "faults that pass are retried after a part of a wait that doubles up to its cap",
    { backoff: { base: 500, cap: 1500 } },
    [server, slow, cut, garbled],
    [250, 500, 750, 750].map(transient),
  ],
  [
    "`Retry-After` is the least wait",
    {},
    [unavailable("server", 17), unavailable("blocked", 90), unavailable("blocked", 90)],
    [17_000, 90_000, 120_000].map(transient),
  ],
  [
    "a block is waited out for longer each time, which lengthens no other wait",
    {},
    [...[blocked, blocked, blocked, blocked, blocked, blocked], server],
    [60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 250].map(transient),
  ],
  [
    "a bound of the retries counts faults and blocks together",
    { maxRetries: 2 },
    [server, blocked, server],
    [transient(250), transient(60_000), fatal(server)],
  ],
  [
    "a good response forgets faults, blocks and bad responses before it",
    { maxRetries: 2, badPageRetryDelays: [1, 2] },
    [server, blocked, rejected, "good", server, blocked, rejected, rejected, rejected],
    [
      ...[transient(250), transient(60_000), bad(1)],
      ...[transient(250), transient(60_000), bad(1), bad(2), fatal(rejected)],
    ],
  ],
  [
    "a bad response is spaced out, then decided upon, and the next one has all of its tries",
    {},
    [rejected, tooLarge, malformed("b"), rejected, rejected],
    [bad(2000), bad(8000), bad(30_000), fatal(rejected), bad(2000)],
  ],
  ["a token without use ends the stream", PAUSE, [unauthorized], [fatal(unauthorized)]],
  ["a missing scope ends it", {}, [forbidden], [fatal(forbidden)]],
  ["a stuck stream ends it", {}, [stuck], [fatal(stuck)]],
  [
    "or waits, by the policy",
    PAUSE,
    [forbidden, stuck, malformed(), rejected],
    [violation, violation, violation, violation],
  ],
  ["a refused id ends it", ONCE, [rejected], [fatal(rejected)], { early: "b" }],
  [
    "or the stream starts over, for no other failure",
    { ...ONCE, onIdRejected: "restartFromStart" },
    [rejected, malformed()],
    [rewind("restarted"), fatal(malformed())],
  ],
  ["or jumps", { ...ONCE, onIdRejected: { jumpTo: "c" } }, [rejected], [rewind("jumped", "c")]],
  [
    "but not to the refused id",
    { ...ONCE, onIdRejected: { jumpTo: "a" } },
    [rejected],
    [fatal(rejected)],
  ],
  [
    "nor from the start",
    { ...ONCE, onIdRejected: { jumpTo: "c" } },
    [rejected],
    [fatal(rejected)],
    { id: undefined },
  ],
  [
    "a malformed page is set aside where it shows its next id",
    ONCE,
    [malformed("b")],
    [setAside("page", malformed(), "raw")],
    { early: "c" },
  ],
  ["but not where that is its own", ONCE, [malformed("a")], [fatal(malformed("a"))]],
  [
    "nor where that leads in a circle",
    ONCE,
    [malformed("b")],
    [fatal(malformed("b"))],
    { visited: "b" },
  ],
  ["a page too large ends it", ONCE, [tooLarge], [fatal(tooLarge)], { early: "b" }],
  [
    "or is set aside by the policy",
    SKIP,
    [tooLarge],
    [setAside("head", tooLarge, "head")],
    { early: "b" },
  ],
  ["but not without its next id", SKIP, [tooLarge], [fatal(tooLarge)]],
])("%s", async (_, options, failures, expected, seen) => {
  expect((await decided(options, failures, seen)).events).toEqual(expected);
});

it("a 429 holds back what is asked for ahead, for as long as the wait", async () => {
  const { events, pauses } = await decided({}, [limited, unavailable("rateLimited", 17), server]);
  expect(events).toEqual([
    ...[250, 17_000].map((waitMillis) => ({ event: "rateLimited", waitMillis })),
    transient(1000),
  ]);
  expect(pauses).toEqual([1250, 18_000]);
});

it("tells how many responses were bad, and whether one more is followed by a request", async () => {
  for (const [count, maySuspect] of [true, true, true, false].entries()) {
    const { clears, state } = await decided(
      {},
      Array.from({ length: count }, () => rejected),
    );
    expect([state.suspected, state.maySuspect, clears]).toEqual([count, maySuspect, 0]);
  }
  // What was asked for ahead goes with the stream.
  expect((await decided(ONCE, [rejected, stuck])).clears).toBe(2);
});

it("a store is tried again after three quarters, on average, of a wait that doubles up to its cap", async () => {
  const at: Array<number> = [];
  const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    at.push(now);
    return at.length > 5 ? Effect.void : Effect.fail("no");
  });
  await valueOf(Effect.retry(attempt, backoff(100, 500)).pipe(halfway));
  expect(at.slice(1).map((time, index) => time - at[index]!)).toEqual([75, 150, 300, 375, 375]);
});
