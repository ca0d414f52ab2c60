/** The documents that the control plane takes, and those that it answers with. */
import { scopes as SCOPES } from "@game-data/contract/Scope";
import { FaultMatch, FaultStatus } from "../faults/Fault.ts";
import {
  anyOf,
  described,
  dictionary,
  type DocumentType,
  flag,
  integer,
  json,
  list,
  literal,
  number,
  object,
  optional,
  text,
  tuple,
  words,
  titled,
} from "../internal/document.ts";
import { RatePolicies } from "../rates/RatePolicy.ts";

const instant = text({ description: "ISO 8601" });

export const ClockReading = titled("ClockReading", { now: instant, frozen: flag });
export type ClockReading = DocumentType<typeof ClockReading>;

/**
 * Changes to the clock. Members may be combined; they work in the order `reset`, `freeze`, `set`,
 * `advance`, `beforeHour`, `unfreeze`.
 */
export const ClockChange = titled("ClockChange", {
  set: optional(instant),
  advance: optional(
    text({ description: "A number and a unit, such as `31 seconds`, `5 minutes`, `28 days`" }),
  ),
  beforeHour: optional(
    text({ description: "Forward to so long before a full hour, such as `3 seconds`" }),
  ),
  freeze: optional(literal(true)),
  unfreeze: optional(literal(true)),
  reset: optional(literal(true)),
});
export type ClockChange = DocumentType<typeof ClockChange>;

export const PolicyChange = described(
  anyOf(RatePolicies, object({ profile: words("generous", "realistic", "off") })),
  { title: "PolicyChange" },
);
export type PolicyChange = DocumentType<typeof PolicyChange>;

/** Body of `POST /control/authorize`. */
export const AuthorizeBody = object({
  url: text({ description: "The whole authorization URL that a browser would open" }),
  account: optional(text({ description: "Name of the account; the first one by default" })),
  deny: optional(flag),
});

/** Body of `POST /control/tokens`. */
export const TokensBody = object({
  clientId: text(),
  account: optional(
    text({ description: "Without one a confidential client gets client credentials" }),
  ),
  scopes: optional(
    described(list(words(...SCOPES), { minItems: 1 }), {
      description: "All that a user can be asked for by default",
    }),
  ),
});

/** Body of `POST /control/clients`. */
export const ClientBody = titled("ClientRegistration", {
  clientId: text(),
  name: optional(text()),
  kind: words("public", "confidential"),
  clientSecret: optional(text({ minLength: 1 })),
  redirectUris: list(text()),
  domains: optional(list(text())),
  scopes: optional(list(words(...SCOPES))),
  owner: optional(text()),
  grants: optional(list(words("authorization_code", "client_credentials", "refresh_token"))),
  refreshTokens: optional(flag),
});

const ControlRequestDocument = object({
  method: words("POST", "PUT", "DELETE"),
  path: text({ description: "Below `controlUrl`" }),
  body: optional(json),
});

/** Body of `POST /control/scenarios`. */
export const ScenarioBody = titled("Scenario", {
  name: text({ description: "As `game-data-sandbox scenarios` lists them" }),
  setup: optional(
    described(list(ControlRequestDocument), {
      description: "In the place of the scenario's own",
    }),
  ),
  steps: optional(
    list(
      object({
        after: object({ endpoint: text(), count: integer({ minimum: 1 }) }),
        do: list(ControlRequestDocument),
      }),
    ),
  ),
});

/** Body of `POST /control/verify`: which requests, and how many there have to be. */
export const VerifyBody = titled("Verify", {
  match: FaultMatch,
  status: optional(integer({ minimum: 100, maximum: 599 })),
  exactly: optional(integer({ minimum: 0 })),
  atLeast: optional(integer({ minimum: 0 })),
  atMost: optional(integer({ minimum: 0 })),
});
export type VerifyBody = DocumentType<typeof VerifyBody>;

const storeRows = object({
  format: integer(),
  tables: dictionary(list(dictionary(json))),
});

const ratesState = object({
  policies: RatePolicies,
  counters: list(
    tuple(
      text(),
      number(),
      object({
        expiries: list(number()),
        announcedUntil: number(),
        restrictedUntil: number(),
      }),
    ),
  ),
});

/** The state of a sandbox: database, clock, rate limits and faults, as one JSON document. */
export const SandboxSnapshot = described(
  object({
    format: literal(1),
    seed: integer(),
    clock: ClockReading,
    store: storeRows,
    rates: ratesState,
    faults: list(FaultStatus),
  }),
  {
    title: "SandboxSnapshot",
    description: "Hand it back as it came. Tokens, codes and secrets are in it as hashes only",
  },
);
export type SandboxSnapshot = DocumentType<typeof SandboxSnapshot>;
