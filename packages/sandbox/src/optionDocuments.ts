/** The options as documents: what a program hands in, `--config`, and the files of flags. */
import * as Schema from "effect/Schema";
import { type SandboxOptions, validateOptions } from "./Config.ts";
import { ClientBody } from "./control/documents.ts";
import { RatePolicyInvalid, SandboxStartError } from "./Errors.ts";
import { formatIssues, issuesOf } from "./internal/issues.ts";
import { RatePolicies, RateProfile } from "./rates/RatePolicies.ts";

// A program may also hand in `undefined`.
const optional = Schema.optional;
const Text = Schema.String;
const Natural = Schema.Natural;

const size = (maximum: number) =>
  optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum })));

/** Sizes of the generated world. The bounds keep an answer from holding the process for long. */
export const Sizes = Schema.Struct({
  streamStashes: size(1_000_000),
  streamPageSize: size(10_000),
  streamItems: size(200),
  streamHistoryPages: size(1_000_000),
  streamChangesPerMinute: size(100_000),
  exchangeHistoryHours: size(100_000),
  exchangeKeepHours: size(100_000),
  exchangePairs: size(10_000),
  ladderSize: size(1_000_000),
});

const Host = Text.check(Schema.isPattern(/^[^\s/?#@]+$/u, { expected: "a name of a host" }));
const Origin = Text.check(
  Schema.isPattern(/^https?:\/\/[^\s/?#@]+$/u, { expected: "scheme, host and port" }),
);

/** `WebSandboxOptions`: the options that make sense without a host. */
export const WebDocument = Schema.Struct({
  seed: optional(Schema.Int),
  now: optional(Text),
  rates: optional(Schema.Union([RateProfile, RatePolicies])),
  world: optional(Sizes),
  clients: optional(Schema.Array(ClientBody)),
  tokenOrigins: optional(Schema.Array(Origin)),
  issuer: optional(Schema.Boolean),
  throttle: optional(Schema.Boolean),
  refreshGraceMillis: optional(Natural),
  journal: optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
});

export const WordsDocument = Schema.Record(Text, Text);
export const ClientsDocument = Schema.Array(ClientBody);
export { RatePolicies } from "./rates/RatePolicies.ts";

/** `SandboxOptions`, also as the document of `--config`. */
export const ConfigDocument = Schema.Struct({
  ...WebDocument.fields,
  port: optional(Schema.Int),
  singlePort: optional(Schema.Boolean),
  host: optional(Text),
  allowRemote: optional(Schema.Boolean),
  controlKey: optional(Text.check(Schema.isMinLength(16))),
  publicUrl: optional(Text),
  hosts: optional(Schema.Array(Host)),
  file: optional(Text),
  words: optional(WordsDocument),
});

/** Why a value cannot be the options of a sandbox, or undefined. */
export const misfitOf = (
  value: SandboxOptions,
  schema: typeof ConfigDocument | typeof WebDocument,
): SandboxStartError | RatePolicyInvalid | undefined => {
  const issues = issuesOf(schema, value);
  const [first] = issues;
  if (first !== undefined && issues.every(({ pointer }) => pointer.startsWith("/rates/")))
    return new RatePolicyInvalid({
      at: first.pointer.slice("/rates".length),
      reason: first.message,
    });
  const reason = first === undefined ? validateOptions(value) : formatIssues(issues);
  return reason === undefined ? undefined : new SandboxStartError({ reason });
};
