/**
 * What the pipeline is made of: its options, and the limiter as it asks it.
 */
import type { NotSentReason, Outcome, Permit } from "@game-data/rate-limit";
import type { ResponseCache } from "../cache.ts";
import type { Hooks } from "../CallOptions.ts";
import type { RetrySettings } from "../Retry.ts";
import type { Transport } from "../Transport.ts";

/** Tells the outcome of a permitted request, once; its promise never rejects. */
export type Settle = (outcome: Outcome) => Promise<void> | undefined;

/** The reason why the limiter let a request not go. `store`: its store failed. */
export interface NotSent {
  readonly kind: NotSentReason | "store";
  readonly policy?: string | undefined;
  readonly retryAfterMillis?: number | undefined;
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

/** Asks the limiter for a permit. It calls back once; returns what takes the request back. */
export type Submit = (
  request: {
    readonly route: string;
    readonly identity: string | undefined;
    readonly priority: number | undefined;
    readonly maxWait: number;
  },
  answer: {
    readonly granted: (permit: Permit, settle: Settle) => void;
    readonly refused: (why: NotSent) => void;
  },
) => () => void;

/** Options of the pipeline, with the defaults filled in. */
export interface PipelineOptions {
  readonly transport: Transport;
  readonly submit: Submit;
  readonly userAgent: string;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxWait: number;
  readonly retry: RetrySettings;
  readonly maxBodyBytes: number;
  readonly cache: ResponseCache | undefined;
  /** Whether identical GETs in flight share one request. */
  readonly dedupe: boolean;
  readonly hooks: Hooks;
}
