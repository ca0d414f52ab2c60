/** Schemas of the control plane's requests and responses. */
import { scopes as SCOPES } from "@game-data/contract/Scope";
import * as Schema from "effect/Schema";
import { FaultMatch, FaultStatus } from "../faults/Fault.ts";
import { DurationText, Instant } from "../internal/instants.ts";
import { RatePolicies, RateProfile } from "../rates/RatePolicies.ts";
import { StoreSnapshot } from "../store/Store.ts";

const optional = Schema.optionalKey;
const Text = Schema.String;
const textOf = (description: string) => Text.annotate({ description });
const Natural = Schema.Natural;
const Json = Schema.Unknown;

export const ClockReading = Schema.Struct({ now: Instant, frozen: Schema.Boolean }).annotate({
  identifier: "ClockReading",
});
export type ClockReading = typeof ClockReading.Type;

/**
 * Changes to the clock. Members may be combined; they are applied in the order `reset`, `freeze`,
 * `set`, `advance`, `beforeHour`, `unfreeze`.
 */
export const ClockChange = Schema.Struct({
  set: optional(Instant),
  advance: optional(DurationText),
  /** Moves forward to this duration before the next full hour. */
  beforeHour: optional(DurationText),
  freeze: optional(Schema.Literal(true)),
  unfreeze: optional(Schema.Literal(true)),
  reset: optional(Schema.Literal(true)),
})
  .check(
    Schema.makeFilter(
      (change) =>
        Object.keys(change).length > 0 ||
        "name one of set, advance, beforeHour, freeze, unfreeze, reset",
    ),
    Schema.makeFilter(
      ({ freeze, unfreeze }) =>
        freeze === undefined ||
        unfreeze === undefined || {
          path: ["unfreeze"],
          issue: "it stands still or runs on, not both",
        },
    ),
  )
  .annotate({ identifier: "ClockChange" });
export type ClockChange = typeof ClockChange.Type;

export const PolicyChange = Schema.Union([
  RatePolicies,
  Schema.Struct({ profile: RateProfile }),
]).annotate({ identifier: "PolicyChange" });
export type PolicyChange = typeof PolicyChange.Type;

/** Body of `POST /control/authorize`. */
export const AuthorizeBody = Schema.Struct({
  url: textOf("The whole authorization URL that a browser would open"),
  account: optional(textOf("Name of the account; the first one by default")),
  deny: optional(Schema.Boolean),
});

const Scopes = Schema.Array(Schema.Literals(SCOPES));

/** Body of `POST /control/tokens`. */
export const TokensBody = Schema.Struct({
  clientId: Text,
  account: optional(textOf("Without one a confidential client gets client credentials")),
  scopes: optional(
    Scopes.check(Schema.isMinLength(1)).annotate({
      description: "All that a user can be asked for by default",
    }),
  ),
});

const ControlRequestDocument = Schema.Struct({
  method: Schema.Literals(["POST", "PUT", "DELETE"]),
  path: textOf("Below `controlUrl`"),
  body: optional(Json),
});

/** Body of `POST /control/scenarios`. */
export const ScenarioBody = Schema.Struct({
  name: textOf("As `game-data-sandbox scenarios` lists them"),
  setup: optional(
    Schema.Array(ControlRequestDocument).annotate({
      description: "In the place of the scenario's own",
    }),
  ),
  steps: optional(
    Schema.Array(
      Schema.Struct({
        after: Schema.Struct({
          endpoint: Text,
          count: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
        }),
        do: Schema.Array(ControlRequestDocument),
      }),
    ),
  ),
}).annotate({ identifier: "Scenario" });

/** Body of `POST /control/verify`: the expected requests, and their number. */
export const VerifyBody = Schema.Struct({
  match: FaultMatch,
  status: optional(Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 }))),
  exactly: optional(Natural),
  atLeast: optional(Natural),
  atMost: optional(Natural),
})
  .check(
    Schema.makeFilter(({ atLeast, atMost, exactly }) => {
      if (exactly === undefined && atLeast === undefined && atMost === undefined)
        return "name one of exactly, atLeast, atMost";
      const [least, most] = boundsOf({ atLeast, atMost, exactly });
      return (
        least <= most || {
          path: [atLeast === undefined ? "atMost" : "atLeast"],
          issue: "no number of requests is all of this",
        }
      );
    }),
  )
  .annotate({ identifier: "Verify" });
export type VerifyBody = typeof VerifyBody.Type;

interface Bounds {
  readonly exactly?: number | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** Returns the minimum and the maximum number of expected requests. */
export const boundsOf = ({ atLeast, atMost, exactly }: Bounds): readonly [number, number] => [
  Math.max(exactly ?? 0, atLeast ?? 0),
  Math.min(exactly ?? Infinity, atMost ?? Infinity),
];

/** The state of a sandbox: database, clock, rate limits and faults, as one JSON document. */
export const SandboxSnapshot = Schema.Struct({
  // Not a literal, because a wrong literal would hide the mistakes in other members.
  format: Schema.Int.check(Schema.makeFilter((format) => format === 1 || "Expected 1")),
  seed: Schema.Int,
  clock: ClockReading,
  store: StoreSnapshot,
  rates: Schema.Struct({
    policies: RatePolicies,
    counters: Schema.Array(
      Schema.Tuple([
        Text,
        Schema.Struct({
          expiries: Schema.Array(Schema.Finite),
          announcedUntil: Schema.Finite,
          restrictedUntil: Schema.Finite,
          latest: Schema.Finite,
        }),
      ]),
    ),
  }),
  faults: Schema.Array(FaultStatus),
}).annotate({
  identifier: "SandboxSnapshot",
  description: "Hand it back as it came. Tokens, codes and secrets are in it as hashes only",
});
export type SandboxSnapshot = typeof SandboxSnapshot.Type;
