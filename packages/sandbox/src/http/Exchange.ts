/**
 * A request on its way through the steps of the pipeline, and what the steps say to it.
 *
 * Both are read-only: what a step learns is in the exchange that it hands on, or in the answer that
 * it returns. Only `facts`, which handlers fill for the journal, is written while it travels.
 */
import type { Credentials } from "../oauth/TokenVerifier.ts";
import type { RateDecision } from "../rates/RateCounters.ts";
import type { ResponseOutput } from "./messages.ts";
import type { RequestContext, Route, RouteMatch } from "./Router.ts";

/** The names of a route: only endpoints of the contract have any. */
interface RouteNames {
  /** `group.endpoint`. */
  readonly name: string | undefined;
  readonly group: string | undefined;
  readonly endpoint: string | undefined;
  /** The path template, without the words of its parameters. */
  readonly template: string | undefined;
}

/** A request, and what is known of it. */
export interface Exchange extends RequestContext {
  readonly listener: "auth" | "data";
  /** Whether the path belongs to the listener that the request came to. */
  readonly isHere: boolean;
  readonly match: RouteMatch<Route> | undefined;
  readonly names: RouteNames;
}

/** A response, and who had a hand in it. */
export interface Answer {
  readonly response: ResponseOutput;
  /** Absent where the request was answered before anybody looked at its token. */
  readonly credentials?: Credentials;
  readonly decision?: RateDecision | undefined;
  /** Ids of the faults that fired. */
  readonly faults?: ReadonlyArray<string>;
}

/** Answers an exchange, or asks the next step. */
export type Step = (exchange: Exchange, next: (exchange: Exchange) => Answer) => Answer;

/** Chains steps in their order; `last` answers what none of them does. */
export const compose = (
  steps: ReadonlyArray<Step>,
  last: (exchange: Exchange) => Answer,
): ((exchange: Exchange) => Answer) =>
  steps.reduceRight<(exchange: Exchange) => Answer>(
    (next, step) => (exchange) => step(exchange, next),
    last,
  );

const UNNAMED: RouteNames = {
  name: undefined,
  group: undefined,
  endpoint: undefined,
  template: undefined,
};

/** Makes the reader of a match's names. */
export const makeNamesOf = (): ((match: RouteMatch<Route> | undefined) => RouteNames) => {
  const known = new Map<Route, RouteNames>();
  return (match) => {
    if (match === undefined) return UNNAMED;
    const names = known.get(match.route) ?? namesOfRoute(match.route);
    known.set(match.route, names);
    return names;
  };
};

const namesOfRoute = ({ name, template }: Route): RouteNames => {
  if (name === undefined) return UNNAMED;
  const at = name.indexOf(".");
  return {
    name,
    group: name.slice(0, at),
    endpoint: name.slice(at + 1),
    template: template.replace(/\([^()]*\)/gu, ""),
  };
};
