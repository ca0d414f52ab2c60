/**
 * Records the outcomes of granted requests in the state, and tells what happened: to the program's
 * listener, and to the queue, which then asks those who wait for it.
 */
import type { FaultSource, LimiterEvent, RequestOutcome } from "../Model.ts";
import type { PeriodOf, RateLimitDialect, RateLimitInfo } from "../RateLimitDialect.ts";
import { recordRejection } from "./ClientErrors.ts";
import type { ClientErrorOptions } from "./ClientErrors.ts";
import { settle } from "./learn.ts";
import { cancel } from "./plan.ts";
import { attempt, isRefusal, soundInfo, soundOutcome } from "./sound.ts";
import { realName, signatureOf } from "./State.ts";
import type { CoreOptions, Grant, State } from "./State.ts";
import type { Turns } from "./Turns.ts";

/** Options of what is recorded. */
interface OutcomeOptions {
  readonly dialect: RateLimitDialect;
  readonly core: CoreOptions;
  readonly errors: ClientErrorOptions;
  readonly onEvent?: ((event: LimiterEvent) => void) | undefined;
}

/** The policy that responses of the route have named; a guess is none. */
export const namedIn = ({ guestOf, policies }: Grant): string | undefined =>
  policies.findLast((name) => name !== guestOf && realName(name) !== undefined);

/** An outcome with what its headers told, and when it came. */
interface Told {
  readonly outcome: RequestOutcome;
  readonly info: RateLimitInfo | undefined;
  readonly at: number;
}

/** The outcomes of one queue. */
export class Outcomes {
  readonly #options: OutcomeOptions;

  constructor(options: OutcomeOptions) {
    this.#options = options;
  }

  /** Listeners are for metrics: one that throws harms no request. */
  tell(event: LimiterEvent): void {
    const { onEvent } = this.#options;
    if (onEvent)
      attempt(
        () => onEvent(event),
        () => undefined,
      );
  }

  /** The answer of the program's `report`. What it throws is told, and thrown. */
  reported<A>(report: () => A): A {
    try {
      return report();
    } catch (cause) {
      this.tell({ type: "fault", source: "report", cause });
      throw cause;
    }
  }

  /** What a program tells of a request; of what it cannot tell nothing is known. */
  outcomeOf(told: unknown): RequestOutcome {
    const known = this.ask("report", () => told);
    return this.ask("report", () => soundOutcome(known)) ?? soundOutcome(undefined);
  }

  /** What a dialect cannot read, or throws on, leaves everything as it was. */
  read(state: State, { headers, sent }: RequestOutcome, wall: number): RateLimitInfo | undefined {
    if (sent === false || !headers) return undefined;
    const periodOf: PeriodOf = (policy, rule) =>
      state.policies
        .get(policy)
        ?.windows.reduce(
          (most, each) => (each.rule === rule ? Math.max(most, each.period) : most),
          0,
        ) ?? 0;
    const { dialect } = this.#options;
    const answer = this.ask("dialect", () => dialect.read(headers, wall, periodOf));
    // Its members may throw as well.
    return this.ask("dialect", () => soundInfo(answer));
  }

  /** Learns from an outcome, and opens the turns of those who may go by it. */
  record(state: State, turns: Turns, grant: Grant, told: Told): void {
    const { at, info } = told;
    const { identity, policies, route } = grant;
    // Nobody waits for a change.
    if (turns.size === 0) {
      this.#learn(state, grant, told);
      return;
    }
    const names = [...new Set([...policies, ...(info?.policy ? [info.policy] : [])])];
    const before = names.map((name) => signatureOf(state, name));
    const known = state.routes.get(route)?.size;
    const wasHeard = state.isHeard;
    this.#learn(state, grant, told);
    if (state.routes.get(route)?.size !== known || state.isHeard !== wasHeard) turns.openAll(at);
    for (const [index, name] of names.entries())
      turns.openPolicy(name, at, signatureOf(state, name) === before[index] ? identity : undefined);
  }

  #learn(state: State, grant: Grant, { at, info, outcome }: Told): void {
    const { core, dialect, errors } = this.#options;
    const { isFirewallBlock } = outcome;
    if (outcome.sent === false) {
      cancel(state, grant, core);
      return;
    }
    const isRefused = this.ask("dialect", () => isRefusal(outcome.status, info, dialect));
    const status = isRefused ? 429 : outcome.status;
    settle(state, grant, { status, info, at }, core);
    const isCounted = (): boolean => status !== undefined && errors.counts(status);
    if (isFirewallBlock || this.ask("countsAsError", isCounted))
      recordRejection(state.errors, { route: grant.route, status, isFirewallBlock, at }, errors);
    if (status === 429) this.tell({ type: "violation", policy: info?.policy ?? namedIn(grant) });
  }

  /** Asks a callback of the program. */
  ask<A>(source: FaultSource, question: () => A): A | undefined {
    return attempt<A | undefined>(question, (cause) => {
      this.tell({ type: "fault", source, cause });
      return undefined;
    });
  }
}
