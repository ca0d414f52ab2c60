/** Checks the options of a follower by their names, before anything is opened or requested. */
import {
  amount,
  callback,
  checkEach,
  checkOption,
  checkOptions,
  type Expected,
  having,
  list,
  oneOf,
  positiveInteger,
  text,
} from "./options.ts";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { StreamKey } from "../Model.ts";
import type { ExchangeRun, StashRun } from "../Options.ts";

const duration: Expected = {
  is: 'a duration of at least 0, such as "30 seconds"',
  fits: (value) => {
    const read = Duration.fromInput(value as Duration.Input);
    return read._tag === "Some" && Duration.toMillis(read.value) >= 0;
  },
};
const atLeast = (least: number): Expected => ({
  is: `a number of at least ${least}`,
  fits: (value) => typeof value === "number" && value >= least,
});
const or = (words: Expected, member: string): Expected => ({
  is: `${words.is} or an object with ${member}`,
  fits: (value) => words.fits(value) || text.fits((value as Record<string, unknown>)?.[member]),
});

/** The options that name a stream. */
export const STREAM = {
  source: oneOf("stashes", "exchange"),
  realm: oneOf("pc", "console_a", "console_b", "game2"),
};
/** A position in the log. */
export const position: Expected = {
  is: "a bigint of at least 0n, or an object with it as version and the page's nextId",
  fits: (value) => {
    if (typeof value === "bigint") return value >= 0n;
    const { nextId, version } = (value ?? {}) as Record<string, unknown>;
    return typeof version === "bigint" && version >= 0n && text.fits(nextId);
  },
};

const until = oneOf("caughtUp", "forever");
const SUBSCRIBE: Readonly<Record<keyof SubscribeOptions | "apply", Expected>> = {
  apply: callback,
  key: having(),
  after: position,
  shards: having(),
  until: {
    is: `${until.is} or a function`,
    fits: (value) => until.fits(value) || callback.fits(value),
  },
  maxPages: positiveInteger,
  maxBytes: atLeast(1),
  pollInterval: duration,
};

/** The options of `Changes.subscribe`. */
interface SubscribeOptions {
  readonly key: StreamKey;
  readonly after?: unknown;
  readonly shards?: { readonly count: number; readonly mine: unknown } | undefined;
  readonly until?: unknown;
  readonly maxPages?: unknown;
  readonly maxBytes?: unknown;
  readonly pollInterval?: unknown;
}

/** Throws where a consumer of changes would read nothing, or not what it means to. */
export const checkSubscribeOptions = (options: SubscribeOptions): void => {
  checkOptions(options, SUBSCRIBE);
  checkOptions(options.key ?? null, STREAM, "key");
  checkStream(options.key);
  const { shards } = options;
  if (shards === undefined) return;
  checkOption("shards.count", shards.count, positiveInteger);
  checkOption("shards.mine", shards.mine, {
    is: `a set of shards below ${shards.count}`,
    fits: (mine) =>
      mine instanceof Set &&
      mine.size > 0 &&
      [...mine].every((each) => amount.fits(each) && each < shards.count),
  });
};

const RUN: Readonly<Record<keyof StashRun | keyof ExchangeRun, Expected>> = {
  ...STREAM,
  from: or(oneOf("checkpoint", "start"), "id"),
  until,
  prefetch: oneOf("early", "afterBody", "none"),
  window: positiveInteger,
  maxBufferedBytes: atLeast(1),
  maxPageBytes: positiveInteger,
  responseTimeout: duration,
  stallTimeout: duration,
  totalTimeout: duration,
  pollInterval: having(),
  backoff: having(),
  maxRetries: atLeast(0),
  badPageRetryDelays: list,
  onIdRejected: or(oneOf("halt", "restartFromStart"), "jumpTo"),
  onCycle: oneOf("pause", "accept", "halt"),
  onMalformedPage: oneOf("halt", "pause"),
  onPageTooLarge: oneOf("halt", "skip"),
  onGap: oneOf("continue", "halt"),
  hourJitter: duration,
  decode: oneOf("envelope", "items", "full"),
  batchPages: positiveInteger,
  stopWhen: { is: "an effect", fits: Effect.isEffect },
  commitTimeout: duration,
  shutdownTimeout: duration,
  onLeaseLost: oneOf("standby", "fail"),
  onCommitted: callback,
};

/** In less, an indexer that starts finds the first pages of a new log deleted. */
const LEAST_KEPT_BYTES = 100_000_000;

/** Throws where a log would keep so little that pages go before a reader has seen them. */
export const checkRetention = (
  limits: Readonly<Partial<Record<"keepBytes" | "keepMillis" | "keepPages", unknown>>>,
): void => {
  checkOption("keepBytes", limits.keepBytes, atLeast(LEAST_KEPT_BYTES));
  for (const name of ["keepMillis", "keepPages"] as const)
    checkOption(name, limits[name], atLeast(1));
};

/** Throws `ConfigurationInvalid`, which names the option, where a stream cannot be followed so. */
export const checkRunOptions = (options: Partial<StashRun> | Partial<ExchangeRun>): void => {
  checkOptions(options, RUN);
  checkStream(options);
  const { backoff, badPageRetryDelays, pollInterval } = options;
  checkEach("badPageRetryDelays", badPageRetryDelays, duration);
  if (pollInterval) checkOptions(pollInterval, { min: duration, max: duration }, "pollInterval");
  if (backoff) checkOptions(backoff, { base: duration, cap: duration }, "backoff");
};

/** Checks the name of a stream, which needs a source; the stash stream has a realm less. */
export const checkStream = ({
  realm,
  source,
}: {
  source?: string;
  realm?: string | undefined;
}): void => {
  checkOption("source", source ?? null, STREAM.source);
  if (source !== "exchange") checkOption("realm", realm, oneOf("pc", "console_a", "console_b"));
};
