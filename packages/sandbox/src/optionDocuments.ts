/** Reads the JSON files that options name. Loaded only where one is named. */
import { readFileSync } from "node:fs";
import type { SandboxOptions } from "./Config.ts";
import { ClientBody } from "./control/documents.ts";
import {
  anyOf,
  dictionary,
  type Document,
  flag,
  formatIssues,
  integer,
  issuesOf,
  list,
  nearestOf,
  object,
  optional,
  text,
  words,
} from "./internal/document.ts";
import { RatePolicies } from "./rates/RatePolicy.ts";

const size = optional(integer({ minimum: 0 }));

/** Sizes of the generated world. */
const Sizes = object({
  streamStashes: size,
  streamPageSize: size,
  streamItems: size,
  streamHistoryPages: size,
  streamChangesPerMinute: size,
  exchangeHistoryHours: size,
  exchangeKeepHours: size,
  exchangePairs: size,
  ladderSize: size,
});

const profile = words("generous", "realistic", "off");

/** The document of `--config`: `SandboxOptions` as JSON. */
export const ConfigDocument = object({
  port: optional(integer()),
  singlePort: optional(flag),
  host: optional(text()),
  allowRemote: optional(flag),
  controlKey: optional(text({ minLength: 16 })),
  publicUrl: optional(text()),
  hosts: optional(list(text())),
  seed: optional(integer()),
  file: optional(text()),
  now: optional(text()),
  words: optional(dictionary(text())),
  replay: optional(text()),
  replayMissing: optional(words("refuse", "world")),
  rates: optional(anyOf(profile, RatePolicies)),
  world: optional(Sizes),
  nulls: optional(words("absent", "null", "mixed")),
  clients: optional(list(ClientBody)),
  tokenOrigins: optional(list(text())),
  issuer: optional(flag),
  throttle: optional(flag),
  refreshGraceMillis: optional(integer({ minimum: 0 })),
  journal: optional(integer({ minimum: 1 })),
});

/** Body of `PUT /worlds/KEY`. */
export const WorldDocument = object({
  seed: optional(integer()),
  now: optional(text()),
  world: optional(Sizes),
});

/** Words of a deployment. */
export const WordsDocument = dictionary(text());
/** Clients to register. */
export const ClientsDocument = list(ClientBody);
/** Rate policies. */
export { RatePolicies } from "./rates/RatePolicy.ts";

/** Reads a file. Throws an `Error` that says what is wrong with it. */
export const readDocument = <A>(file: string, document: Document<A>): A => {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch (cause) {
    throw new Error(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  const issues = issuesOf(document, value);
  if (issues.length > 0) throw new Error(`${file}: ${formatIssues(issues)}`);
  return value as A;
};

/** Sizes of the world from `name=value` pairs. */
export const worldOf = (pairs: ReadonlyArray<string>): SandboxOptions["world"] => {
  const names = Object.keys(Sizes.schema.properties ?? {});
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", value = ""] = pair.split("=");
      if (!names.includes(name)) {
        const nearest = nearestOf(name, names);
        throw new Error(
          `--world: there is no ${name}${nearest === undefined ? `, only ${names.join(", ")}` : `; did you mean ${nearest}?`}`,
        );
      }
      return [name, wholeNumber(`--world ${name}`, value)];
    }),
  );
};

const wholeNumber = (name: string, value: string): number => {
  if (!/^\d{1,15}$/u.test(value)) throw new Error(`${name} ${value} is not a whole number`);
  return Number(value);
};
