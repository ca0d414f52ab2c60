/**
 * The reasons that a request is told when it is not sent.
 */
import type { NotSentReason } from "../Model.ts";
import type { InFlight, NotSentDetails } from "../RequestNotSentError.ts";
import { NEVER } from "./basics.ts";
import { clientErrorsOf } from "./ClientErrors.ts";
import type { ClientErrorOptions } from "./ClientErrors.ts";
import { policiesOf, realName } from "./State.ts";
import type { State } from "./State.ts";
import type { Hold } from "./Waiter.ts";

/** The time at which a request of a held group may go at best, if that is after its deadline. */
export const tooLate = (
  { soonest, until, window }: Hold,
  deadline: number,
  before: number,
  at: number,
): number | undefined => {
  if (!(soonest > at && until > at && soonest < NEVER)) return undefined;
  // At best `max` requests go per period.
  const opens = soonest + (window ? Math.floor(before / window.max) * window.period : 0);
  return opens > deadline ? opens : undefined;
};

/** What held a request that is refused. */
interface Held {
  readonly hold: Hold | undefined;
  /** Whether nothing goes on any route. */
  readonly isFull: boolean;
  readonly route: string;
}

const WAITS_FOR_RESPONSES: ReadonlySet<string> = new Set(["in-flight", "learning"]);

/** The details of a refusal. */
export const refusalOf = (
  { at, kind, until }: { kind: NotSentReason; until: number; at: number },
  { hold, isFull, route }: Held,
  state: State | undefined,
  errors: ClientErrorOptions,
): NotSentDetails => {
  const named = state && policiesOf(state, route, at).at(-1);
  const isBusy = isFull || (hold && WAITS_FOR_RESPONSES.has(hold.reason));
  return {
    kind,
    retryAfterMillis: Math.max(0, until - at),
    policy: realName(hold?.policy ?? named),
    rule: hold?.window?.rule,
    inFlight: state && isBusy && kind === "wait-too-long" ? inFlightOf(state, at) : undefined,
    clientErrors:
      state && kind === "too-many-errors" ? clientErrorsOf(state.errors, at, errors) : undefined,
  };
};

const inFlightOf = ({ leases }: State, at: number): InFlight | undefined => {
  for (const { grantedAt } of leases.values())
    return { count: leases.size, oldestMillis: Math.max(0, at - grantedAt) };
  return undefined;
};
