/**
 * The report of an examination: one entry per endpoint, with the deviations from the
 * contract and with what could not be asked.
 */

/** A response as it arrived. */
export interface Exchange {
  /** Method, path and query, in the deployment's words. */
  readonly request: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A deviation, and how often it occurred. */
export interface ContractDeviation {
  /** The request whose response shows it first. */
  readonly request: string;
  /** The part of the response. */
  readonly in: "status" | "header" | "body";
  /** JSON pointer in the body, or name of the header. */
  readonly at: string;
  /** The kind: that of a record's deviation, or the name of the check. */
  readonly kind: string;
  readonly expected: string;
  /** Describes what was received. Never a value of the body. */
  readonly actual: string;
  readonly count: number;
}

/** An endpoint. */
export interface EndpointReport {
  /** Name in the contract, such as `leagues.get`, or `errors.…` for responses to bad requests. */
  readonly endpoint: string;
  readonly result: "conforms" | "deviates" | "not asked";
  /** Number of requests. */
  readonly requests: number;
  /** The rate-limit policy that the responses name. */
  readonly policy: string | null;
  readonly deviations: ReadonlyArray<ContractDeviation>;
  /** Checks that could not be made, and why. */
  readonly notAsked: ReadonlyArray<string>;
}

/** All endpoints of a deployment. */
export interface ConformanceReport {
  readonly baseUrl: string;
  readonly realm: string;
  readonly requests: number;
  /** Number of deviations, each counted once. */
  readonly deviations: number;
  readonly endpoints: ReadonlyArray<EndpointReport>;
}

/** A deviation that a check found. */
export type Found = Omit<ContractDeviation, "request" | "count"> & {
  /** Deviations of the same member are counted together. Default: `at`. */
  readonly member?: string;
};

/** A deviation at a place: the part of the response, and where in it. */
export const foundAt = (
  [part, at]: readonly [part: Found["in"], at: string],
  kind: string,
  expected: string,
  actual: string,
): Found => ({ in: part, at, kind, expected, actual });

/** Collects exchanges and reasons, endpoint by endpoint. */
export class ReportBuilder {
  readonly #endpoints = new Map<string, Collected>();

  #of(endpoint: string): Collected {
    let collected = this.#endpoints.get(endpoint);
    if (collected === undefined) {
      collected = { requests: 0, policy: null, deviations: new Map(), notAsked: [] };
      this.#endpoints.set(endpoint, collected);
    }
    return collected;
  }

  /** Adds a request and what was found in its response. */
  asked(
    endpoint: string,
    request: string,
    policy: string | null,
    found: ReadonlyArray<Found>,
  ): void {
    const collected = this.#of(endpoint);
    collected.requests += 1;
    collected.policy ??= policy;
    for (const { member, ...deviation } of found) {
      const { at, expected, in: part, kind } = deviation;
      const key = `${part} ${kind} ${member ?? at} ${expected}`;
      const known = collected.deviations.get(key);
      collected.deviations.set(
        key,
        known === undefined
          ? { request, ...deviation, count: 1 }
          : { ...known, count: known.count + 1 },
      );
    }
  }

  /** Adds something that could not be asked. */
  notAsked(endpoint: string, reason: string): void {
    this.#of(endpoint).notAsked.push(reason);
  }

  /** Number of requests so far. */
  get requests(): number {
    return [...this.#endpoints.values()].reduce((sum, { requests }) => sum + requests, 0);
  }

  /** Returns the endpoints in the order in which they were begun. */
  build(): ReadonlyArray<EndpointReport> {
    return [...this.#endpoints].map(([endpoint, { deviations, ...collected }]) => ({
      endpoint,
      result:
        collected.requests === 0 ? "not asked" : deviations.size === 0 ? "conforms" : "deviates",
      ...collected,
      deviations: [...deviations.values()],
    }));
  }
}

interface Collected {
  requests: number;
  policy: string | null;
  readonly deviations: Map<string, ContractDeviation>;
  readonly notAsked: Array<string>;
}
