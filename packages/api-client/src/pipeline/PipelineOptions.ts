/**
 * The options of the pipeline.
 */
import type { PolicyLimiterService } from "@game-data/rate-limit/effect";
import type { ResponseCache } from "../cache.ts";
import type { Hooks } from "../CallOptions.ts";
import type { RetrySettings } from "../Retry.ts";
import type { Transport } from "../Transport.ts";
import type { Instruments } from "./Instruments.ts";

/** Options of the pipeline, with the defaults filled in. */
export interface PipelineOptions {
  readonly transport: Transport;
  readonly limiter: PolicyLimiterService;
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
  readonly instruments: Instruments;
}
