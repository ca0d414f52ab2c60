/** Options of a run, and their defaults. */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import type { ExchangeRealm, PageCommit, StashRealm } from "./Model.ts";

/** Options of a run over either stream. */
export interface FollowOptions {
  /**
   * Starting point. `checkpoint` is the position of the sink, or the beginning of the history if the
   * sink is empty. Any other starting point is used once and stores the skipped history as a gap.
   * Default `checkpoint`.
   */
  readonly from?: "checkpoint" | "start" | { readonly id: string };
  /** `caughtUp` ends the run at the end of the stream. Default `forever`. */
  readonly until?: "caughtUp" | "forever";
  /** Largest page in bytes, on the wire and inflated. Default 64 MiB. */
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
  /** Reaction to an id that stays refused. Default `halt`. Other reactions store a gap. */
  readonly onIdRejected?: "halt" | "restartFromStart" | { readonly jumpTo: string };
  /** Reaction to a lost lease, or to a newer follower. Default `standby`. */
  readonly onLeaseLost?: "standby" | "fail";
  /** The run ends gracefully when this effect completes. */
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

const DEFAULTS = {
  from: "checkpoint",
  until: "forever",
  maxPageBytes: 64 * 1024 * 1024,
  responseTimeout: "15 seconds",
  stallTimeout: "15 seconds",
  totalTimeout: "5 minutes",
  pollInterval: { min: "1 second", max: "4 seconds" },
  backoff: { base: "500 millis", cap: "15 seconds" },
  maxRetries: Infinity,
  badPageRetryDelays: ["2 seconds", "8 seconds", "30 seconds"],
  onIdRejected: "halt",
  onLeaseLost: "standby",
} as const satisfies FollowOptions;

/** The options of a run with their defaults. */
export type Settings = FollowOptions & Required<Pick<FollowOptions, keyof typeof DEFAULTS>>;

/** Returns the settings of a run. Throws `ConfigurationInvalid` with the name of an invalid option. */
export const resolveOptions = (options: StashRun | ExchangeRun): Settings => {
  checkOptions(VALIDATOR, options);
  return { ...DEFAULTS, ...options };
};

/** Validates options. Throws `ConfigurationInvalid` with the name of an invalid option. */
export const checkOptions = (
  validator: ReturnType<typeof streamOptions>,
  options: unknown,
): void => {
  const result = validator.validate(options);
  if (result instanceof Promise || result.issues === undefined) return;
  const { message, path = [] } = result.issues[0]!;
  const option = path.map(String).join(".") || "options";
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
  from: Schema.optionalKey(
    Schema.Union([
      Schema.Literals(["checkpoint", "start"]),
      Schema.Struct({ id: Schema.NonEmptyString }),
    ]),
  ),
  until: Schema.optionalKey(Schema.Literals(["caughtUp", "forever"])),
  maxPageBytes: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))),
  responseTimeout: Schema.optionalKey(Wait),
  stallTimeout: Schema.optionalKey(Wait),
  totalTimeout: Schema.optionalKey(Wait),
  pollInterval: Schema.optionalKey(Schema.Struct({ min: Wait, max: Wait })),
  backoff: Schema.optionalKey(Schema.Struct({ base: Wait, cap: Wait })),
  maxRetries: Schema.optionalKey(Schema.Number.check(Schema.isGreaterThanOrEqualTo(0))),
  badPageRetryDelays: Schema.optionalKey(Schema.Array(Wait)),
  onIdRejected: Schema.optionalKey(
    Schema.Union([
      Schema.Literals(["halt", "restartFromStart"]),
      Schema.Struct({ jumpTo: Schema.NonEmptyString }),
    ]),
  ),
  onLeaseLost: Schema.optionalKey(Schema.Literals(["standby", "fail"])),
  stopWhen: Schema.optionalKey(Schema.Unknown),
  onCommitted: Schema.optionalKey(Schema.Unknown),
};

/** Makes a validator of options that name a stream. An unknown option is invalid. */
export const streamOptions = (fields: Schema.Struct.Fields) =>
  Schema.toStandardSchemaV1(
    Schema.Struct({
      ...fields,
      source: Schema.Literals(["stashes", "exchange"]),
      realm: Schema.optionalKey(Schema.Literals(["pc", "console_a", "console_b", "game2"])),
    }).check(
      Schema.makeFilter(({ realm, source }) =>
        source === "stashes" && realm === "game2"
          ? { path: ["realm"], issue: "only the exchange has game2" }
          : undefined,
      ),
    ) as unknown as Schema.Codec<unknown>,
    { parseOptions: { onExcessProperty: "error" } },
  )["~standard"];

const VALIDATOR = streamOptions(RUN);
