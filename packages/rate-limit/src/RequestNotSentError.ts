/**
 * The errors of the limiter for programs without Effect.
 */
import { helpOf } from "./core/basics.ts";
import type { ClientErrorsSnapshot, NotSentReason } from "./Model.ts";

/** Requests that were sent and have no response. */
export interface InFlight {
  readonly count: number;
  /** The time since the oldest of them was sent. */
  readonly oldestMillis: number;
}

/** The reason why a request was not sent. */
export interface NotSentDetails {
  readonly kind: NotSentReason;
  /** After this time the request can be sent, as far as the limiter knows. */
  readonly retryAfterMillis: number;
  readonly policy?: string | undefined;
  readonly rule?: string | undefined;
  /** The requests without a response, where they are the reason. */
  readonly inFlight?: InFlight | undefined;
  /** The rejected requests, where they are the reason: of a block, or of spreading. */
  readonly clientErrors?: ClientErrorsSnapshot | undefined;
}

const WHY: Readonly<Record<NotSentReason, string>> = {
  "wait-too-long": "the rate limit permits it only later than its maximum wait",
  firewall: "a firewall has blocked this client",
  "too-many-errors": "too many requests were rejected",
  paused: "the limiter was paused",
  closed: "the limiter was closed",
  cleared: "the waiting requests were cleared",
};

/** A sentence for people. */
export const describeNotSent = ({
  clientErrors,
  inFlight,
  kind,
  policy,
  retryAfterMillis,
  rule,
}: NotSentDetails): string => {
  const where = policy === undefined ? "" : ` (policy ${policy}${rule ? `, rule ${rule}` : ""})`;
  const why = clientErrors
    ? describeRejected(kind, clientErrors)
    : `${inFlight ? describeInFlight(inFlight) : WHY[kind]}${where}`;
  const advice = retryAfterMillis > 0 ? ` Try again in ${describeSpan(retryAfterMillis)}.` : "";
  return `The request was not sent: ${why}.${advice}`;
};

/** A block of the client, or the spreading before it. */
const describeRejected = (
  kind: NotSentReason,
  { blocking, count, max, windowMillis }: ClientErrorsSnapshot,
): string => {
  const isSpread = kind === "wait-too-long";
  const why = isSpread
    ? "its turn comes later than its maximum wait, since requests are spread after rejected ones"
    : WHY[kind];
  return `${why} (${isSpread ? count : blocking} of ${max} in ${describeSpan(windowMillis)})`;
};

const HOUR = 3_600_000;

/** A time span, rounded up: in seconds up to two minutes, then in minutes, then in hours. */
const describeSpan = (millis: number): string => {
  if (millis >= 2 * HOUR) return `${Math.ceil(millis / HOUR)} h`;
  return millis > 120_000 ? `${Math.ceil(millis / 60_000)} min` : `${Math.ceil(millis / 1000)} s`;
};

/** Whether waiting does not help. */
export const isFinal = (kind: NotSentReason): boolean => kind === "closed" || kind === "cleared";

const describeInFlight = ({ count, oldestMillis }: InFlight): string => {
  const subject = count === 1 ? "1 request is" : `${count} requests are`;
  const oldest = `the oldest for ${Math.round(oldestMillis / 1000)} s`;
  return `${subject} in flight, ${oldest}, and none ended within its maximum wait`;
};

/**
 * The limiter did not send a request. Nothing reached the service.
 *
 * What to do: try again after `retryAfterMillis`, or raise `maxWait`.
 */
export class RequestNotSentError extends Error {
  override readonly name = "RequestNotSentError";
  declare readonly kind: NotSentReason;
  declare readonly retryAfterMillis: number;
  declare readonly policy: string | undefined;
  declare readonly rule: string | undefined;
  declare readonly inFlight: InFlight | undefined;
  declare readonly clientErrors: ClientErrorsSnapshot | undefined;

  constructor(details: NotSentDetails) {
    super(describeNotSent(details));
    Object.assign(this, details);
  }

  /** The details with the message, for structured logs. */
  toJSON(): object {
    return { ...this, message: this.message, help: this.help };
  }

  /** The address of the error's page. */
  get help(): string {
    return helpOf(this.name);
  }

  /** Whether the request succeeds later: not after `close` or `clear` of the limiter. */
  get isRetryable(): boolean {
    return !isFinal(this.kind);
  }
}

/**
 * The store of the limiter failed, so no request is sent.
 *
 * What to do: look at `cause`; make the file or the server reachable and try again.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  /** What failed, without a full stop. */
  readonly detail: string;

  constructor(detail: string, cause: unknown) {
    const short = detail.replace(/\.$/u, "");
    super(`The store of the rate limiter failed: ${short}.`, { cause });
    this.detail = short;
  }

  /** The address of the error's page. */
  get help(): string {
    return helpOf(this.name);
  }

  /** Always `true`: nothing was sent. */
  get isRetryable(): boolean {
    return true;
  }
}
