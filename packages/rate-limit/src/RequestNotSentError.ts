/**
 * The errors of the limiter for programs without Effect.
 */
import type { ClientErrorsSnapshot, NotSentReason } from "./Model.ts";

/** The reason why a request was not sent. */
export interface NotSentDetails {
  readonly kind: NotSentReason;
  /** After this time the request can be sent, as far as the limiter knows. */
  readonly retryAfterMillis: number;
  readonly policy?: string | undefined;
  readonly rule?: string | undefined;
  /** The rejected requests, where they are the reason. */
  readonly clientErrors?: ClientErrorsSnapshot | undefined;
}

const WHY: Readonly<Record<NotSentReason, string>> = {
  "wait-too-long": "the rate limit permits it only later than its maximum wait",
  firewall: "a firewall has blocked this client",
  "too-many-errors": "too many requests were rejected",
};

/** A sentence for people. */
export const describeNotSent = ({
  clientErrors,
  kind,
  policy,
  retryAfterMillis,
  rule,
}: NotSentDetails): string => {
  const where = policy === undefined ? "" : ` (policy ${policy}${rule ? `, rule ${rule}` : ""})`;
  const count = clientErrors
    ? ` (${clientErrors.blocking} of ${clientErrors.max} in ${clientErrors.windowMillis / 60_000} min)`
    : "";
  const seconds = Math.ceil(retryAfterMillis / 1000);
  return `The request was not sent: ${WHY[kind]}${where}${count}. Try again in ${seconds} s.`;
};

/**
 * The limiter did not send a request. Nothing reached the service.
 *
 * What to do: try again after `retryAfterMillis`, or raise `maxWait`.
 */
export class RequestNotSentError extends Error {
  override readonly name = "RequestNotSentError";
  readonly kind: NotSentReason;
  readonly retryAfterMillis: number;
  readonly policy: string | undefined;
  readonly rule: string | undefined;
  readonly clientErrors: ClientErrorsSnapshot | undefined;

  constructor(details: NotSentDetails) {
    super(describeNotSent(details));
    this.kind = details.kind;
    this.retryAfterMillis = details.retryAfterMillis;
    this.policy = details.policy;
    this.rule = details.rule;
    this.clientErrors = details.clientErrors;
  }

  /** Always `true`: the request succeeds later without a change by the caller. */
  get isRetryable(): boolean {
    return true;
  }
}

/**
 * The store of the limiter failed, so no request is sent.
 *
 * What to do: look at `cause`; make the file or the server reachable and try again.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  constructor(detail: string, cause: unknown) {
    super(`The store of the rate limiter failed: ${detail}.`, { cause });
  }

  /** Always `true`: nothing was sent. */
  get isRetryable(): boolean {
    return true;
  }
}
