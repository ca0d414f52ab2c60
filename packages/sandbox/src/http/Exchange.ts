/**
 * A request on its way through the steps of the pipeline, and what the steps say to it.
 *
 * Both are read-only: what a step learns is in the exchange that it hands on, or in the answer that
 * it returns. Only `facts`, which handlers fill for the journal, is written while it travels.
 */
import type { Credentials } from "../oauth/TokenVerifier.ts";
import type { RateDecision } from "../rates/RateLimits.ts";
import type { ResponseOutput } from "./messages.ts";
import { withoutWords } from "./Listener.ts";
import type { RequestContext, Route, RouteMatch } from "./Router.ts";

/** The names of a route: only endpoints of the contract have any. */
interface RouteNames {
  /** `group.endpoint`. */
  readonly name?: string;
  readonly group?: string;
  readonly endpoint?: string;
  /** The path template, without the words of its parameters. */
  readonly template?: string;
}

/** A route with its names. */
export interface NamedRoute extends Route {
  readonly names: RouteNames;
}

/** A request, and what is known of it. */
export interface Exchange extends RequestContext {
  readonly listener: "auth" | "data";
  /** Whether the path belongs to the listener that the request came to. */
  readonly isHere: boolean;
  readonly match: RouteMatch<NamedRoute> | undefined;
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

/** The same route, with its names. */
export const named = (route: Route): NamedRoute => {
  const { name, template } = route;
  if (name === undefined) return { ...route, names: UNNAMED };
  const [group, endpoint] = name.split(".") as [string, string];
  return { ...route, names: { name, group, endpoint, template: withoutWords(template) } };
};

/** The names of what no route is for. */
export const UNNAMED: RouteNames = {};
