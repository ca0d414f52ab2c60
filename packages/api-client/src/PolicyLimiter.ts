/**
 * Lets requests go when the service's limits allow it, instead of bumping into them.
 *
 * Limits are learned from the answers' headers (`RateLimitDialect`), never configured: policies,
 * rules, windows, the server's own counts, restrictions. Routes that name the same policy share its
 * counters. A route of which nothing is known goes one request at a time. `run` sends one request;
 * `forecast` tells when the next ones would go. What is known lives in a `LimiterStore`.
 *
 * A 429 holds back the whole policy, a firewall's block holds back everything, and when too many
 * requests were refused lately nothing is sent either: services end the access of applications that
 * knock on.
 */
import * as Context from "effect/Context";
import * as Layer from "effect/Layer";
import type * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import { makePolicyLimiter } from "./internal/makePolicyLimiter.ts";
import type { NotLetGo } from "./NotLetGo.ts";
import type { LimiterStore, LimiterStoreError } from "./LimiterStore.ts";
import type { RateLimitDialect } from "./RateLimitDialect.ts";

/** How the limiter behaves. Limits themselves are not configured but learned. */
export interface PolicyLimiterOptions {
  /** Reader of the rate-limit headers. Default: `multiWindow`. */
  readonly dialect?: RateLimitDialect | undefined;
  /**
   * Whom the service counts: client, account, or shared pool. Budgets of different identities are
   * separate. Default: `default`.
   */
  readonly identity?: string | undefined;
  /** Requests in flight at once, whatever the policies say: bursts alarm firewalls. Default: 8. */
  readonly maxInFlight?: number | undefined;
  /** Requests in flight at once on routes whose answers carry no rate headers. Default: 4. */
  readonly silentConcurrency?: number | undefined;
  /**
   * The bucket that a server may round its hit times with, by length of the window. Nothing is
   * added for it until the server's own counts show one. Default: 5 s for windows under a minute,
   * 60 s for longer ones.
   */
  readonly suspectedBucket?: ((period: Duration.Duration) => Duration.Input) | undefined;
  /**
   * 4xx answers allowed within `invalidPeriod`, before nothing is sent any more. Default: 60 in 10
   * minutes.
   */
  readonly invalidLimit?: number | undefined;
  /** See `invalidLimit`. */
  readonly invalidPeriod?: Duration.Input | undefined;
  /** How long nothing is sent after a firewall's block. Default: 15 minutes. */
  readonly edgeCooldown?: Duration.Input | undefined;
  /**
   * An unanswered request is believed in for this long; then its process is taken for dead.
   * Default: 90 seconds.
   */
  readonly lease?: Duration.Input | undefined;
}

/** A request that wants to go. */
export interface LimiterCall {
  /** What it asks for, as a template: requests of one route belong to one policy. */
  readonly route: string;
  /** Higher goes first. Default: 0. */
  readonly priority?: number | undefined;
  /** Gives up at once when its turn comes later than this. Default: waits as long as it takes. */
  readonly maxWait?: Duration.Input | undefined;
  /** `false` for a HEAD probe, which the service does not count. */
  readonly counted?: boolean | undefined;
}

/** What became of a request. */
export interface LimiterReport {
  /** `undefined`: no answer. */
  readonly status: number | undefined;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Answered by a firewall in front of the service. */
  readonly edge?: boolean | undefined;
  /** `false`: it never left, so its permit is free again. */
  readonly sent?: boolean | undefined;
}

/** When requests would go. */
export interface Forecast {
  /** Milliseconds from now for each request, ascending. */
  readonly startsIn: ReadonlyArray<number>;
  /** Until the last one goes. */
  readonly duration: Duration.Duration;
  /** `false`: the route's limits are not known yet, so this is only a guess. */
  readonly known: boolean;
  readonly policy: string | undefined;
}

/** What the limiter knows about a policy, for people. */
export interface PolicySnapshot {
  readonly name: string;
  readonly knowledge: "unknown" | "silent" | "learned";
  readonly heldUntil: number | undefined;
  readonly inFlight: number;
  readonly windows: ReadonlyArray<{
    readonly rule: string;
    readonly max: number;
    readonly period: number;
    readonly used: number;
    /** Milliseconds that hits were seen to stay counted beyond the period. */
    readonly excess: number;
  }>;
}

/** The functions of the limiter. */
export interface PolicyLimiterService {
  /**
   * Runs `attempt` when its turn has come. `report` says what became of it; an interrupted attempt
   * counts as sent, unless `report` knows better. The permit handed to `attempt` tells how long it
   * waited and under which policy.
   */
  readonly run: <A, E, R>(
    call: LimiterCall,
    attempt: (permit: Permit) => Effect.Effect<A, E, R>,
    report: (exit: Exit.Exit<A, E>) => LimiterReport,
  ) => Effect.Effect<A, E | NotLetGo | LimiterStoreError, R>;
  /** When the next `count` requests of `route` would go, if nobody else sent any. */
  readonly forecast: (route: string, count: number) => Effect.Effect<Forecast, LimiterStoreError>;
  /** What is known about the policy of `route`. */
  readonly snapshot: (route: string) => Effect.Effect<PolicySnapshot, LimiterStoreError>;
  /** Requests that wait for their turn in this process. */
  readonly waiting: Effect.Effect<number>;
}

/** Leave to send one request. */
export interface Permit {
  readonly id: string;
  readonly at: number;
  readonly policy: string | undefined;
  readonly waited: number;
}

/** The limiter. */
export class PolicyLimiter extends Context.Service<PolicyLimiter, PolicyLimiterService>()(
  "@game-data/api-client/PolicyLimiter",
) {
  /** A limiter over the given store. */
  static layer(options?: PolicyLimiterOptions): Layer.Layer<PolicyLimiter, never, LimiterStore> {
    return Layer.effect(PolicyLimiter, makePolicyLimiter(options));
  }
}
