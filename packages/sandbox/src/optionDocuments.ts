/** The documents of options, as JSON files and as arguments. Loaded only where one is checked. */
import { ClientBody } from "./control/documents.ts";
import {
  anyOf,
  dictionary,
  flag,
  formatIssues,
  integer,
  issuesOf,
  list,
  object,
  optional,
  text,
  words,
} from "./internal/document.ts";
import { RatePolicies } from "./rates/RatePolicy.ts";

const size = (maximum: number) => optional(integer({ minimum: 0, maximum }));

/** Sizes of the generated world. The bounds keep an answer from holding the process for long. */
export const Sizes = object({
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

const profile = words("generous", "realistic", "off");

const host = text({ pattern: "^[^\\s/?#@]+$", description: "a name of a host" });
const origin = text({ pattern: "^https?://[^\\s/?#@]+$", description: "scheme, host and port" });

/** Options that make sense without a host. */
const web = {
  seed: optional(integer()),
  now: optional(text()),
  rates: optional(anyOf(profile, RatePolicies)),
  world: optional(Sizes),
  clients: optional(list(ClientBody)),
  tokenOrigins: optional(list(origin)),
  issuer: optional(flag),
  throttle: optional(flag),
  refreshGraceMillis: optional(integer({ minimum: 0 })),
  journal: optional(integer({ minimum: 1 })),
};
const options = {
  ...web,
  port: optional(integer()),
  singlePort: optional(flag),
  host: optional(text()),
  allowRemote: optional(flag),
  controlKey: optional(text({ minLength: 16 })),
  publicUrl: optional(text()),
  hosts: optional(list(host)),
  file: optional(text()),
  words: optional(dictionary(text())),
};

/** `SandboxOptions`, also as the document of `--config`. */
export const ConfigDocument = object(options);
/** `WebSandboxOptions`. */
export const WebDocument = object(web);

/** Why a value is not of a kind of options, or undefined. */
export const misfitOf = (
  value: unknown,
  kind: "ConfigDocument" | "WebDocument",
): string | undefined => {
  const issues = issuesOf({ ConfigDocument, WebDocument }[kind], value);
  return issues.length === 0 ? undefined : formatIssues(issues);
};

export const WordsDocument = dictionary(text());
export const ClientsDocument = list(ClientBody);
export { RatePolicies } from "./rates/RatePolicy.ts";
