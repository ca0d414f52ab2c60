/**
 * The parts of a call: what it is made of, and what becomes of its answer.
 */
import type { EndpointInfo } from "@game-data/contract";
import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type * as HttpClient from "effect/http/HttpClient";
import type { ResponseInfo } from "../CallOptions.ts";
import type { CredentialsSource } from "../Credentials.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import type { PolicyLimiterService } from "@game-data/rate-limit/effect";
import type { RetrySettings } from "../Retry.ts";
import type { CircuitBreaker } from "./CircuitBreaker.ts";
import type { Received } from "./readBody.ts";

/** What a caller works with. */
export interface CallerSettings {
  readonly client: HttpClient.HttpClient;
  readonly limiter: PolicyLimiterService;
  readonly credentials: CredentialsSource | undefined;
  readonly userAgent: string;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly retry: RetrySettings;
  readonly maxBodyBytes: number;
  readonly breaker: CircuitBreaker | undefined;
  /** Asks for the limits of an unknown route with one HEAD, which the service does not count. */
  readonly probe: boolean;
}

/** A request that is ready but for its token. */
export interface PreparedCall {
  readonly operation: string;
  readonly info: Pick<EndpointInfo, "method" | "path" | "scopes">;
  readonly url: string;
  /** What belongs to one rate-limit policy. */
  readonly limitRoute: string;
  readonly body?: string | undefined;
}

/** What a handler gets of an answer that it accepts. */
export interface Answer {
  readonly received: Received;
  readonly about: CallInfo;
  readonly info: ResponseInfo;
  readonly text: Effect.Effect<string, GameApiError>;
}

/** How answers become values; `R`: what that needs. */
export interface Handler<A, R = never> {
  /** Which statuses are handed to `read`; others become errors. */
  readonly accepts: (status: number) => boolean;
  readonly read: (answer: Answer) => Effect.Effect<A, GameApiError, R>;
}

/** The same where the connection outlives the call: it belongs to the scope around it. */
export interface StreamingHandler<A> extends Handler<A, Scope.Scope> {
  readonly streams: true;
}

/** How far a call has come, over all its attempts. */
export interface Progress {
  attempts: number;
  /** Milliseconds spent waiting for the rate limit. */
  waited: number;
  policy: string | undefined;
}

/** What errors tell about a call. */
export const aboutOf = (
  { info, operation }: PreparedCall,
  { attempts, policy }: Progress,
): CallInfo => ({
  operation,
  route: routeOf(info),
  attempts,
  ...(policy !== undefined && { policy }),
});

/** The route of an endpoint, as metrics and errors name it. */
export const routeOf = ({ method, path }: Pick<EndpointInfo, "method" | "path">): string =>
  `${method} ${path}`;

/** What an attempt has seen of its answer so far. */
export interface Seen {
  sent: boolean;
  status: number | undefined;
  headers?: Readonly<Record<string, string | undefined>>;
  isFirewallBlock?: boolean;
}
