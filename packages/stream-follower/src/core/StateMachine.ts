/**
 * The follower's state machine as one table: what a stream does next, for every state and every
 * event.
 *
 * The follower runs on this table, `docs/follower-states.md` prints it, and a missing cell does not
 * compile. Every cell that leads back to a request for the *same* id says in `why` what has changed
 * since: that is the loop guard's proof.
 */

/** State of a stream. */
export type StateName =
  /** The answer to the current id is awaited. */
  | "requesting"
  /** A page is with the consumer. */
  | "delivering"
  /** The end of the stream: polling again with the same id. */
  | "tail"
  /** A transient fault: waiting before the same id is asked for again. */
  | "backingOff"
  /** An answer that may be bad for good: a few spaced tries. */
  | "retryingBadPage"
  /** The service broke its rules and the policy is to wait. */
  | "paused"
  /** A policy ended the stream with an error. */
  | "halted"
  /** The program ended the stream. */
  | "stopped";

/** Event of a stream. Policies are applied before: an event carries their decision. */
export type EventName =
  /** A whole page to hand out (rows, a quarantined page, or an empty page that moves the id on). */
  | "data"
  /**
   * A whole page without news: no rows and the same id, or the same rows under the same id again.
   */
  | "tail"
  /**
   * The stream led backwards or in a circle, or nothing readable came, and the policy is `pause`.
   */
  | "violation"
  /** Transport fault, timer, 5xx, cut or undecodable body, a decoding thread that ended. */
  | "transient"
  /** HTTP 429. */
  | "rateLimited"
  /** 4xx for an id, malformed or pageTooLarge page, with tries left. */
  | "badPage"
  /** Nothing helps, or the policy is `halt`. */
  | "fatal"
  /** The policy sends the stream to another id. */
  | "rewind"
  /** The wait is over. */
  | "timer"
  /** The consumer comes back, and the page led to another id. */
  | "consumed"
  /** The consumer comes back, and the page stood at the end of the stream. */
  | "consumedAtTail"
  /** The program ends the stream. */
  | "stop";

/** Action of the follower on a step to the next state. */
export type Action =
  | "deliver"
  | "requestNext"
  | "requestSame"
  | "requestElsewhere"
  | "waitIdle"
  | "waitBackoff"
  | "waitSpaced"
  | "waitPause"
  | "fail"
  | "end"
  | "nothing";

/** One cell that can be reached. */
interface Step {
  /** The next state. */
  readonly to: StateName;
  /** Action of this step. */
  readonly action: Action;
  /** For a request of the same id: what has changed. For an end: nothing is owed. */
  readonly why: string;
}

/** One cell: a step, or the reason why the event cannot come in this state. */
export type Cell = Step | { readonly impossible: string };

const step = (to: StateName, action: Action, why: string): Step => ({ to, action, why });
const impossible = (reason: string): Cell => ({ impossible: reason });

const noRequest = impossible("no answer is awaited");
const noConsumer = impossible("the consumer waits for a page and has none to come back from");
const noTimer = impossible("no wait is running");
const stop = step(
  "stopped",
  "end",
  "nothing durable is owed: the page in flight is asked for again later",
);

/** The same cell for every answer to a request. */
const answers = (cell: Cell) => ({
  data: cell,
  tail: cell,
  violation: cell,
  transient: cell,
  rateLimited: cell,
  badPage: cell,
  fatal: cell,
  rewind: cell,
});

/** The cells of a state that only waits for its timer. */
const waiting = (why: string) =>
  ({
    ...answers(noRequest),
    timer: step("requesting", "requestSame", why),
    consumed: noConsumer,
    consumedAtTail: noConsumer,
    stop,
  }) satisfies Record<EventName, Cell>;

/** The cells of a state that nothing leaves. */
const ended = (to: StateName) => {
  const cell = impossible("the stream has ended");
  return {
    ...answers(cell),
    timer: cell,
    consumed: cell,
    consumedAtTail: cell,
    stop: step(to, "nothing", "already ended"),
  } satisfies Record<EventName, Cell>;
};

/** The whole machine. */
export const table: Readonly<Record<StateName, Readonly<Record<EventName, Cell>>>> = {
  requesting: {
    data: step("delivering", "deliver", "the page is whole and decided upon"),
    tail: step("tail", "waitIdle", "the end of the stream is reached (§4.2)"),
    violation: step("paused", "waitPause", "nothing is applied while the rules are broken"),
    transient: step("backingOff", "waitBackoff", "the page may come next time"),
    rateLimited: step("backingOff", "waitBackoff", "Retry-After is the floor of the wait"),
    badPage: step("retryingBadPage", "waitSpaced", "a bad answer may be a passing one"),
    fatal: step("halted", "fail", "a person must decide"),
    rewind: step("requesting", "requestElsewhere", "another id than the one refused"),
    timer: noTimer,
    consumed: noConsumer,
    consumedAtTail: noConsumer,
    stop,
  },
  delivering: {
    ...answers(noRequest),
    timer: noTimer,
    consumed: step("requesting", "requestNext", "the next id differs from the one just answered"),
    consumedAtTail: step("tail", "waitIdle", "the page said that nothing follows yet"),
    stop,
  },
  tail: waiting("the idle wait has passed, at least a second: new results may be there"),
  backingOff: waiting("the backoff has passed: the fault may be over"),
  retryingBadPage: waiting("a spaced wait has passed, and the tries are counted"),
  paused: waiting("the pause has passed: the service may have mended its stream"),
  halted: ended("halted"),
  stopped: ended("stopped"),
};
