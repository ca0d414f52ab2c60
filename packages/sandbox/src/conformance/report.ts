/**
 * The report of an examination: for each endpoint its deviations from the contract, and the checks
 * that could not be made.
 */

/** A response as it arrived, with its JSON parsed. */
export interface Exchange {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of its body; undefined if it is not JSON. */
  readonly body: unknown;
}

/** A deviation from the contract, and the number of times that it occurred. */
export interface ContractDeviation {
  /** The first request whose response has the deviation. */
  readonly request: string;
  readonly in: "status" | "header" | "body";
  /** JSON pointer in the body, or name of the header. */
  readonly at: string;
  /** Kind of the record's deviation, or name of the check. */
  readonly kind: string;
  readonly expected: string;
  /** Describes what was received. Never a value of the body. */
  readonly actual: string;
  readonly count: number;
}

/** Result of one endpoint: its deviations, and the checks that were not made. */
export interface EndpointReport {
  /** Name in the contract, such as `leagues.get`, or `errors.…` for responses to bad requests. */
  readonly endpoint: string;
  readonly result: "conforms" | "deviates" | "not asked";
  readonly deviations: ReadonlyArray<ContractDeviation>;
  /** Checks that could not be made, and why. */
  readonly notAsked: ReadonlyArray<string>;
}

/** Results of the examination of a deployment, for all endpoints. */
export interface ConformanceReport {
  /** Number of deviations, each counted once. */
  readonly deviations: number;
  readonly endpoints: ReadonlyArray<EndpointReport>;
}

export type Found = Omit<ContractDeviation, "request" | "count"> & {
  /** Member by which equal deviations are counted together. Default: `at`. */
  readonly member?: string;
};

/** Compares a body with its request, and returns the deviations. */
export type BodyCheck = (body: unknown) => ReadonlyArray<Found>;

/** Makes a deviation from a part of the response and the place in this part. */
export const foundAt = (
  [part, at]: readonly [part: Found["in"], at: string],
  kind: string,
  expected: string,
  actual: string,
): Found => ({ in: part, at, kind, expected, actual });

/** The outcome of a request: the deviations of its response, or why it was not sent. */
export type Observed = { readonly endpoint: string } & (
  | { readonly request: string; readonly found: ReadonlyArray<Found> }
  | { readonly notAsked: string }
);

/** Groups the outcomes by endpoint, in the order of the first requests. */
export const endpointsOf = (observed: ReadonlyArray<Observed>): ReadonlyArray<EndpointReport> =>
  [...Map.groupBy(observed, ({ endpoint }) => endpoint)].map(([endpoint, all]) => {
    const asked = all.filter((one) => "found" in one);
    const deviations = new Map<string, ContractDeviation>();
    for (const { found, request } of asked)
      for (const { member, ...deviation } of found) {
        const { at, expected, in: part, kind } = deviation;
        const key = `${part} ${kind} ${member ?? at} ${expected}`;
        const known = deviations.get(key) ?? { request, ...deviation, count: 0 };
        deviations.set(key, { ...known, count: known.count + 1 });
      }
    return {
      endpoint,
      result: asked.length === 0 ? "not asked" : deviations.size === 0 ? "conforms" : "deviates",
      notAsked: [...new Set(all.flatMap((one) => ("notAsked" in one ? [one.notAsked] : [])))],
      deviations: [...deviations.values()],
    };
  });
