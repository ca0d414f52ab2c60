/**
 * Reports where responses deviate from the specification: unknown members and words, other types
 * than documented.
 *
 * An inspection takes a few times as long as decoding, so use `sample` on busy clients.
 *
 * @example
 * ```ts
 * import { driftInspector } from "@game-data/api-client/drift";
 * import { createGameApi } from "@game-data/api-client/promise";
 * import { fixtureTransport } from "@game-data/api-client/testing";
 *
 * const seen: Array<string> = [];
 * const api = createGameApi({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   inspect: driftInspector({ onDrift: ({ operation }) => seen.push(operation) }),
 *   transport: fixtureTransport({
 *     "profile.get": { body: { uuid: "0", name: "n", shoeSize: 44 } },
 *   }),
 * });
 * await api.profile.get();
 * if (seen[0] !== "profile.get") throw new Error("drift was missed");
 * await api.close();
 * ```
 */
import { bodies } from "@game-data/contract/results";
import { routes } from "@game-data/contract/routes";
import type { Route, RouteName } from "@game-data/contract/routes";
import { callback, finite } from "@game-data/rate-limit/options";
import * as Drift from "@game-data/schemas/Drift";
import type { InspectBody } from "./Model.ts";
import { checkExtra } from "./operations/checkOptions.ts";

/** The places where a response deviates from the specification. */
export interface DriftReport {
  /** The call, e.g. `stashes.get`. */
  readonly operation: RouteName;
  readonly deviations: ReturnType<typeof Drift.report>;
}

/** Options of the inspector. */
export interface DriftOptions {
  /** Called for every response with drift. If it throws, the call succeeds and logs a warning. */
  readonly onDrift: (report: DriftReport) => void;
  /** Share of the responses that are inspected. Default: 1, all of them. */
  readonly sample?: number | undefined;
  /** Uniform in [0, 1). Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** An inspector for `GameApiOptions.inspect`. */
export const driftInspector = (options: DriftOptions): InspectBody => {
  checkExtra(options, { onDrift: callback, sample: finite, random: callback });
  const { onDrift, random = Math.random, sample = 1 } = options;
  return (body, operation, status) => {
    if (sample < 1 && random() >= sample) return 0;
    const { results }: Route = routes[operation];
    const name = results[status] ?? results[200];
    const deviations = name === undefined ? [] : Drift.report(bodies[name], body);
    if (deviations.length > 0) onDrift({ operation, deviations });
    return deviations.length;
  };
};
