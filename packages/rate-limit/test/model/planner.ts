/** The planning core with its requests in flight. */
import { mapDocuments } from "../../src/Documents.ts";
import type { LimitInfo } from "../../src/Headers.ts";
import { learn } from "../../src/learn.ts";
import { type LimiterOptions, resolveOptions, type Settings } from "../../src/LimiterOptions.ts";
import { routeLimits } from "../../src/inspect.ts";
import { accountWindows, type Grant, plan, recentPolicies, type Wait } from "../../src/plan.ts";
import { loseRequestsInFlight } from "../../src/Store.ts";

/** Options of a run. `reserved` places of each window stay free. */
export interface PlannerOptions extends LimiterOptions {
  readonly reserved?: number;
}

export class Planner {
  readonly settings: Settings;
  readonly #reserved: number;
  #documents = new Map<string, unknown>();
  #inFlight = new Map<string, Grant>();
  #prefix = "p-";
  #serial = 0;

  constructor({ reserved = 0, ...options }: PlannerOptions = {}) {
    this.settings = resolveOptions(options);
    this.#reserved = reserved;
  }

  get size(): number {
    return this.#inFlight.size;
  }

  /** The time at which the oldest request in flight is lost. */
  get firstDeadline(): number {
    const [oldest] = this.#inFlight.values();
    return oldest ? oldest.sentAt + this.settings.inFlightTimeout : Number.POSITIVE_INFINITY;
  }

  /** Starts the program again, with or without what it knew. */
  restart(keeps: boolean, now: number): void {
    this.#documents = new Map(keeps ? JSON.parse(JSON.stringify([...this.#documents])) : []);
    loseRequestsInFlight(this.#documents, now);
    this.#inFlight = new Map();
    this.#prefix = `p${now}-`;
  }

  /** Grants a request; a wait without a request in flight always ends. */
  acquire(request: { readonly route: string; readonly identity: string }, now: number) {
    const decision: Grant | Wait = plan(this.#context(now), {
      ...request,
      id: `${this.#prefix}${this.#serial++}`,
      reserve: this.#reserved,
    });
    if (!("until" in decision)) this.#inFlight.set(decision.id, decision);
    else if (this.size === 0 && !Number.isFinite(decision.until))
      throw new Error(`waits for ever at ${now}`);
    return decision;
  }

  /** Sends a request whether or not there is room. */
  send(request: { readonly route: string; readonly identity: string }, now: number): Grant {
    const context = this.#context(now);
    const policies = recentPolicies(context, request.route);
    const id = `${this.#prefix}${this.#serial++}`;
    const grant: Grant = { ...request, id, reserve: 0, sentAt: now, policies };
    if (policies.length === 0) context.documents.newRoutes()[id] = now;
    for (const name of policies)
      for (const { log } of accountWindows(context, name, grant.identity)) log.inFlight[id] = now;
    this.#inFlight.set(id, grant);
    return grant;
  }

  limits(route: string, identity: string, now: number) {
    return routeLimits(this.#context(now), route, identity);
  }

  settle(grant: Grant, status: number | undefined, info: LimitInfo, now: number): void {
    learn(this.#context(now), grant, status, info);
    this.#inFlight.delete(grant.id);
  }

  /** Gives up the requests whose outcome did not arrive in time. */
  expire(now: number): void {
    for (const grant of this.#inFlight.values())
      if (grant.sentAt + this.settings.inFlightTimeout <= now)
        this.settle(grant, undefined, { windows: [] }, now);
  }

  #context(now: number) {
    const documents = mapDocuments(this.#documents);
    const inFlight = this.#inFlight;
    return { documents, now, options: this.settings, inFlight, prefix: this.#prefix };
  }
}
