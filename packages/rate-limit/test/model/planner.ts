/** The planning core with its table of requests in flight, for the regimes. */
import { loseRequestsInFlight, mapDocuments } from "../../src/Documents.ts";
import type { LimitInfo } from "../../src/Headers.ts";
import { InFlightTable } from "../../src/InFlightTable.ts";
import { learn } from "../../src/learn.ts";
import { resolveOptions } from "../../src/LimiterOptions.ts";
import type { LimiterOptions, Settings } from "../../src/LimiterOptions.ts";
import { plan } from "../../src/plan.ts";
import type { Grant, Wait } from "../../src/plan.ts";

/** Options of a run. `reserved` places of each window stay free. */
export interface PlannerOptions extends LimiterOptions {
  readonly reserved?: number;
}

export class Planner {
  readonly settings: Settings;
  readonly #reserved: number;
  #documents = new Map<string, unknown>();
  #inFlight = new InFlightTable("p");

  constructor({ reserved = 0, ...options }: PlannerOptions = {}) {
    this.settings = resolveOptions(options);
    this.#reserved = reserved;
  }

  get size(): number {
    return this.#inFlight.size;
  }

  /** The time at which the oldest request in flight is lost. */
  get firstDeadline(): number {
    return this.#inFlight.oldest() + this.settings.inFlightTimeout;
  }

  /** Starts the program again, with or without what it knew. */
  restart(keeps: boolean, now: number): void {
    this.#documents = new Map(keeps ? JSON.parse(JSON.stringify([...this.#documents])) : []);
    loseRequestsInFlight(this.#documents, now);
    this.#inFlight = new InFlightTable(`p${now}`);
  }

  /** Grants a request; a wait without a request in flight always ends. */
  acquire(request: { readonly route: string; readonly identity: string }, now: number) {
    const inFlight = this.#inFlight;
    inFlight.begin();
    const decision: Grant | Wait = plan(this.#context(now), {
      ...request,
      id: inFlight.nextId(),
      reserve: this.#reserved,
    });
    if ("until" in decision) {
      if (this.size === 0 && !Number.isFinite(decision.until))
        throw new Error(`waits for ever at ${now}`);
      return decision;
    }
    inFlight.add(decision);
    inFlight.commit();
    return decision;
  }

  settle(grant: Grant, status: number | undefined, info: LimitInfo, now: number): void {
    if (this.#inFlight.remove(grant)) this.#inFlight.observe(grant, now - grant.sent);
    learn(this.#context(now), grant, { status, info });
  }

  /** Gives up the requests whose outcome did not arrive in time. */
  expire(now: number): void {
    for (const grant of this.#inFlight.expired(now, this.settings.inFlightTimeout)) {
      learn(this.#context(now), grant, { status: undefined, info: { windows: [] } });
      this.#inFlight.remove(grant);
    }
  }

  #context(now: number) {
    const documents = mapDocuments(this.#documents);
    return { documents, now, options: this.settings, inFlight: this.#inFlight };
  }
}
