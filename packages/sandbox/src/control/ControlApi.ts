/**
 * The control plane as an HttpApi: everything about a running sandbox that a test may want to
 * change or see.
 *
 * It is served at an address of its own, so that the API under test stays clean, and has no
 * authentication: it answers on loopback only, to requests that no web page of another site can
 * make (`ControlGuard`).
 */
import * as Schema from "effect/Schema";
import * as HttpApi from "effect/http-api/HttpApi";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
import * as OpenApi from "effect/http-api/OpenApi";
import { FaultRule, FaultStatus } from "../faults/Fault.ts";
import { JournalEntry } from "../journal/Journal.ts";
import { RatePolicies } from "../rates/RatePolicy.ts";

/** A request to the control plane that makes no sense, and why. */
export class ControlRejected extends Schema.Error<ControlRejected>("ControlRejected")(
  { reason: Schema.String },
  { httpApiStatus: 400 },
) {
  readonly _tag = "ControlRejected";
}

/** A name that nothing has. */
export class ControlNotFound extends Schema.Error<ControlNotFound>("ControlNotFound")(
  { reason: Schema.String },
  { httpApiStatus: 404 },
) {
  readonly _tag = "ControlNotFound";
}

/** Says what was wrong with a request, where HttpApi alone would answer 400 without a word. */
export class ControlErrors extends HttpApiMiddleware.Service<ControlErrors>()(
  "@game-data/sandbox/ControlErrors",
  { error: ControlRejected },
) {}

/** Where the clock stands. */
const ClockReading = Schema.Struct({
  now: Schema.String.annotate({ description: "ISO 8601" }),
  frozen: Schema.Boolean,
}).annotate({ identifier: "ClockReading" });

const DurationText = Schema.String.annotate({
  description: "A number and a unit, such as `31 seconds`, `5 minutes`, `28 days`",
});
const Instant = Schema.String.annotate({ description: "ISO 8601" });

/**
 * What to do with the clock. Members may be combined; they work in the order `reset`, `freeze`,
 * `set`, `advance`, `unfreeze`.
 */
export const ClockChange = Schema.Struct({
  set: Schema.optionalKey(Instant),
  advance: Schema.optionalKey(DurationText),
  freeze: Schema.optionalKey(Schema.Literal(true)),
  unfreeze: Schema.optionalKey(Schema.Literal(true)),
  reset: Schema.optionalKey(Schema.Literal(true)),
}).annotate({ identifier: "ClockChange" });
/** What to do with the clock. */
export interface ClockChange extends Schema.Schema.Type<typeof ClockChange> {}

const ClockGroup = HttpApiGroup.make("clock")
  .add(
    HttpApiEndpoint.get("read", "/control/clock", { success: ClockReading }).annotate(
      OpenApi.Summary,
      "Where the virtual clock stands",
    ),
    HttpApiEndpoint.post("change", "/control/clock", {
      payload: ClockChange,
      success: ClockReading,
      error: ControlRejected,
    }).annotate(OpenApi.Summary, "Advance, set, freeze or unfreeze the virtual clock"),
  )
  .annotate(
    OpenApi.Description,
    "One clock stands behind every timestamp: lifetimes, the stream's delay, the exchange's hours, rate windows.",
  );

const FaultsGroup = HttpApiGroup.make("faults")
  .add(
    HttpApiEndpoint.get("list", "/control/faults", {
      success: Schema.Struct({ faults: Schema.Array(FaultStatus) }),
    }).annotate(OpenApi.Summary, "The rules in force, and how often each has fired"),
    HttpApiEndpoint.post("add", "/control/faults", {
      payload: Schema.Union([FaultRule, Schema.Array(FaultRule)]),
      success: Schema.Struct({ faults: Schema.Array(FaultStatus) }),
      error: ControlRejected,
    }).annotate(OpenApi.Summary, "Add one rule or several; a rule of the same id is replaced"),
    HttpApiEndpoint.delete("clear", "/control/faults", {
      success: HttpApiSchema.NoContent,
    }).annotate(OpenApi.Summary, "Remove all rules"),
    HttpApiEndpoint.delete("remove", "/control/faults/:id", {
      params: { id: Schema.String },
      success: HttpApiSchema.NoContent,
      error: ControlNotFound,
    }).annotate(OpenApi.Summary, "Remove one rule"),
  )
  .annotate(
    OpenApi.Description,
    "What goes wrong, for whom, and when. A rule without `match` and `when` hits every request to the OAuth server and the data API.",
  );

/** Policies, or the name of ready-made ones. */
export const PolicyChange = Schema.Union([
  RatePolicies,
  Schema.Struct({ profile: Schema.Literals(["generous", "realistic", "off"]) }),
]).annotate({ identifier: "PolicyChange" });
/** Policies, or the name of ready-made ones. */
export type PolicyChange = typeof PolicyChange.Type;

const PoliciesGroup = HttpApiGroup.make("policies")
  .add(
    HttpApiEndpoint.get("read", "/control/policies", { success: RatePolicies }).annotate(
      OpenApi.Summary,
      "The rate policies in force",
    ),
    HttpApiEndpoint.put("replace", "/control/policies", {
      payload: PolicyChange,
      success: RatePolicies,
      error: ControlRejected,
    }).annotate(
      OpenApi.Summary,
      "Put other rate policies in force, or a ready-made document by its name",
    ),
    HttpApiEndpoint.post("replaceByPost", "/control/policies", {
      payload: PolicyChange,
      success: RatePolicies,
      error: ControlRejected,
    }).annotate(OpenApi.Summary, "The same, for whoever changes everything else here by POST"),
  )
  .annotate(
    OpenApi.Description,
    "Rate limits are data, and may be changed while the sandbox runs.",
  );

const JournalGroup = HttpApiGroup.make("journal")
  .add(
    HttpApiEndpoint.get("read", "/control/journal", {
      query: {
        since: Schema.optionalKey(Schema.NumberFromString),
        limit: Schema.optionalKey(Schema.NumberFromString),
        endpoint: Schema.optionalKey(Schema.String),
        clientId: Schema.optionalKey(Schema.String),
        status: Schema.optionalKey(Schema.NumberFromString),
      },
      success: Schema.Struct({ entries: Schema.Array(JournalEntry) }),
    }).annotate(OpenApi.Summary, "The newest requests, without any secret"),
    HttpApiEndpoint.delete("clear", "/control/journal", {
      success: HttpApiSchema.NoContent,
    }).annotate(OpenApi.Summary, "Forget the journal"),
  )
  .annotate(OpenApi.Description, "What was asked and how it was answered.");

const StoreRows = Schema.Struct({
  format: Schema.Int,
  tables: Schema.Record(
    Schema.String,
    Schema.Array(
      Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Null])),
    ),
  ),
});

const RatesState = Schema.Struct({
  policies: RatePolicies,
  counters: Schema.Array(
    Schema.Tuple([
      Schema.String,
      Schema.Finite,
      Schema.Struct({
        expiries: Schema.Array(Schema.Finite),
        announcedUntil: Schema.Finite,
        restrictedUntil: Schema.Finite,
      }),
    ]),
  ),
});

/** The state of a sandbox: database, clock and rate limits, as one JSON document. */
const SandboxSnapshot = Schema.Struct({
  format: Schema.Literal(1),
  seed: Schema.Int,
  clock: ClockReading,
  store: StoreRows,
  rates: RatesState,
}).annotate({
  identifier: "SandboxSnapshot",
  description: "Hand it back as it came. Tokens, codes and secrets are in it as hashes only",
});
const StateGroup = HttpApiGroup.make("state")
  .add(
    HttpApiEndpoint.post("reset", "/control/reset", { success: ClockReading }).annotate(
      OpenApi.Summary,
      "Back to the first start: world, tokens, clock, policies; no faults, no journal",
    ),
    HttpApiEndpoint.post("snapshot", "/control/snapshot", { success: SandboxSnapshot }).annotate(
      OpenApi.Summary,
      "Everything that changes, as one document",
    ),
    HttpApiEndpoint.post("restore", "/control/restore", {
      payload: SandboxSnapshot,
      success: ClockReading,
      error: ControlRejected,
    }).annotate(OpenApi.Summary, "Continue from a snapshot of a sandbox with the same seed"),
  )
  .annotate(OpenApi.Description, "Everything that changes, at once.");

const HealthGroup = HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("ready", "/control/ready", {
      success: Schema.Struct({
        ready: Schema.Boolean,
        seed: Schema.Int,
        authUrl: Schema.String,
        baseUrl: Schema.String,
        controlUrl: Schema.String,
      }),
    }).annotate(OpenApi.Summary, "Whether requests are answered, and where"),
    HttpApiEndpoint.get("health", "/control/health", {
      success: Schema.Struct({ status: Schema.Literal("ok") }),
    }).annotate(OpenApi.Summary, "Whether the process lives"),
  )
  .annotate(OpenApi.Description, "For whoever waits until the sandbox has started.");

/** The control plane, as far as it is served from here. */
export const ControlApi = HttpApi.make("ControlApi")
  .add(ClockGroup, FaultsGroup, PoliciesGroup, JournalGroup, StateGroup, HealthGroup)
  .middleware(ControlErrors)
  .annotateMerge(
    OpenApi.annotations({
      title: "Game Data sandbox: control plane",
      version: "1",
      description:
        "Clock, faults, rate policies, journal and state of a running sandbox. For development and tests only.",
    }),
  );
