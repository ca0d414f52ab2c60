/** Options of a run, and their defaults. */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import type { ExchangeRealm, PageCommit, StashRealm } from "./Model.ts";

/** Options that both streams have. */
export interface FollowOptions {
  /**
   * Starting point. `checkpoint` is the position of the sink, or the beginning of the history if the
   * sink is empty. Any other starting point is used once and stores the skipped history as a gap.
   * Default `checkpoint`.
   */
  readonly from?: "checkpoint" | "start" | { readonly id: string };
  /** `caughtUp` ends the run at the end of the stream. Default `forever`. */
  readonly until?: "caughtUp" | "forever";
  /** Largest page, on the wire and inflated. Default 64 MiB. */
  readonly maxPageBytes?: number;
  /** Longest wait for the status line. Default 15 seconds. */
  readonly responseTimeout?: Duration.Input;
  /** Longest wait between two pieces of a body. Default 15 seconds. */
  readonly stallTimeout?: Duration.Input;
  /** Longest time for one body. Default 5 minutes. */
  readonly totalTimeout?: Duration.Input;
  /** Waits between polls at the end of the stash stream. Default 1 second, doubling to 4. */
  readonly pollInterval?: { readonly min: Duration.Input; readonly max: Duration.Input };
  /** Waits after transport faults, with jitter. Default 500 ms, doubling to 15 seconds. */
  readonly backoff?: { readonly base: Duration.Input; readonly cap: Duration.Input };
  /** Retries of one page after transport faults before its error ends the run. Default: no limit. */
  readonly maxRetries?: number;
  /**
   * Waits after responses that may never become valid. A page with damaged rows is requested once
   * more only. Default 2, 8, 30 seconds.
   */
  readonly badPageRetryDelays?: ReadonlyArray<Duration.Input>;
  /**
   * Reaction to an id that the service refuses for good. `restartFromStart` and `jumpTo` store a
   * gap. Default `halt`.
   */
  readonly onIdRejected?: "halt" | "restartFromStart" | { readonly jumpTo: string };
  /** Reaction to a lost lease, or to a newer follower. Default `standby`. */
  readonly onLeaseLost?: "standby" | "fail";
  /** Ends the run gracefully when it completes. */
  readonly stopWhen?: Effect.Effect<unknown>;
  /** Called after each commit with the committed page. */
  readonly onCommitted?: (pages: ReadonlyArray<PageCommit>) => void;
}

/** A run over the stash stream of one realm. */
export interface StashRun extends FollowOptions {
  readonly source: "stashes";
  /** Default `pc`. */
  readonly realm?: StashRealm;
}

/** A run over the exchange history of one realm. */
export interface ExchangeRun extends FollowOptions {
  readonly source: "exchange";
  /** Default `pc`. */
  readonly realm?: ExchangeRealm;
}

/** The options of a run with their defaults. Times are milliseconds. */
export type Settings = ReturnType<typeof resolveOptions>;

/** Returns the settings of a run. Throws `ConfigurationInvalid` with the name of an invalid option. */
export const resolveOptions = (options: StashRun | ExchangeRun) => {
  checkOptions(VALIDATOR, options);
  return {
    from: options.from ?? "checkpoint",
    until: options.until ?? "forever",
    maxPageBytes: options.maxPageBytes ?? 64 * 1024 * 1024,
    responseTimeoutMillis: millis(options.responseTimeout, 15_000),
    stallTimeoutMillis: millis(options.stallTimeout, 15_000),
    totalTimeoutMillis: millis(options.totalTimeout, 300_000),
    pollMinMillis: millis(options.pollInterval?.min, 1000),
    pollMaxMillis: millis(options.pollInterval?.max, 4000),
    backoffBaseMillis: millis(options.backoff?.base, 500),
    backoffCapMillis: millis(options.backoff?.cap, 15_000),
    maxRetries: options.maxRetries ?? Infinity,
    badPageRetryMillis: (options.badPageRetryDelays ?? [2000, 8000, 30_000]).map((delay) =>
      millis(delay, 0),
    ),
    onIdRejected: options.onIdRejected ?? "halt",
    onLeaseLost: options.onLeaseLost ?? "standby",
  };
};

const millis = (value: Duration.Input | undefined, fallback: number): number =>
  value === undefined ? fallback : Duration.toMillis(value);

/** Throws `ConfigurationInvalid` with the name of an invalid option. */
export const checkOptions = (
  validator: ReturnType<typeof streamOptions>,
  options: unknown,
): void => {
  const result = validator.validate(options);
  if (result instanceof Promise || result.issues === undefined) return;
  const { message, path = [] } = result.issues[0]!;
  // An unknown `source` fails without a path, because it selects the member of the union.
  const whole = typeof options === "object" && options !== null ? "source" : "options";
  const option = path.map(String).join(".") || whole;
  throw new ConfigurationInvalid({ option, reason: `is invalid: ${message}` });
};

const Wait = Schema.Unknown.check(
  Schema.makeFilter((value) => {
    const wait = Duration.fromInput(value as Duration.Input);
    const isWait = Option.isSome(wait) && Duration.toMillis(wait.value) >= 0;
    return isWait || 'must be a duration of at least 0, such as "30 seconds"';
  }),
);

const RUN = {
  from: Schema.optional(
    Schema.Union([
      Schema.Literals(["checkpoint", "start"]),
      Schema.Struct({ id: Schema.NonEmptyString }),
    ]),
  ),
  until: Schema.optional(Schema.Literals(["caughtUp", "forever"])),
  maxPageBytes: Schema.optional(Schema.Int.check(Schema.isGreaterThan(0))),
  responseTimeout: Schema.optional(Wait),
  stallTimeout: Schema.optional(Wait),
  totalTimeout: Schema.optional(Wait),
  pollInterval: Schema.optional(Schema.Struct({ min: Wait, max: Wait })),
  backoff: Schema.optional(Schema.Struct({ base: Wait, cap: Wait })),
  maxRetries: Schema.optional(Schema.Number.check(Schema.isGreaterThanOrEqualTo(0))),
  badPageRetryDelays: Schema.optional(Schema.Array(Wait)),
  onIdRejected: Schema.optional(
    Schema.Union([
      Schema.Literals(["halt", "restartFromStart"]),
      Schema.Struct({ jumpTo: Schema.NonEmptyString }),
    ]),
  ),
  onLeaseLost: Schema.optional(Schema.Literals(["standby", "fail"])),
  stopWhen: Schema.optional(Schema.Unknown),
  onCommitted: Schema.optional(Schema.Unknown),
};

const REALMS = ["pc", "console_a", "console_b"] as const;

/** Makes a validator of options that name a stream. An unknown option is invalid. */
export const streamOptions = (fields: Schema.Struct.Fields) =>
  Schema.toStandardSchemaV1(
    Schema.Union([
      Schema.Struct({
        ...fields,
        source: Schema.Literal("stashes"),
        realm: Schema.optional(Schema.Literals(REALMS)),
      }),
      Schema.Struct({
        ...fields,
        source: Schema.Literal("exchange"),
        realm: Schema.optional(Schema.Literals([...REALMS, "game2"])),
      }),
    ]) as unknown as Schema.Codec<unknown>,
    { parseOptions: { onExcessProperty: "error" } },
  )["~standard"];

const VALIDATOR = streamOptions(RUN);
