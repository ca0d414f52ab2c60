/**
 * The control plane as one table: what a test may change or see of a sandbox, with the documents
 * that go in and out. The server, `/control/openapi.json` and the types of `controlOf` follow from it.
 */
import * as Schema from "effect/Schema";
import * as HttpApi from "effect/http-api/HttpApi";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
import * as OpenApi from "effect/http-api/OpenApi";
import { ClientBody } from "../clients/Registration.ts";
import { FaultRule, FaultStatus } from "../faults/Fault.ts";
import { TokenResponse } from "../oauth/payloads.ts";
import { RatePolicies } from "../rates/RatePolicies.ts";
import {
  AuthorizeBody,
  ClockChange,
  ClockReading,
  PolicyChange,
  SandboxSnapshot,
  ScenarioBody,
  TokensBody,
  VerifyBody,
} from "./documents.ts";

const { delete: del, get, post, put } = HttpApiEndpoint;
const Text = Schema.String;
const NoContent = HttpApiSchema.NoContent;
const Any = Schema.Unknown;

const IssueDocument = Schema.Struct({
  pointer: Text,
  message: Text,
  nearest: Schema.optionalKey(Text),
});

/** A request that the control plane refuses: every place that is wrong. */
export class Rejected extends Schema.Error<Rejected>("Rejected")(
  { reason: Text, issues: Schema.Array(IssueDocument) },
  { httpApiStatus: 400 },
) {}

export class NotThere extends Schema.Error<NotThere>("NotThere")(
  { reason: Text },
  { httpApiStatus: 404 },
) {}

const Seen = {
  isMet: Schema.Boolean,
  count: Schema.Natural,
  matched: Schema.Array(Any),
  nearest: Schema.Array(Any),
};

/** Other requests came than a test expected. */
export class NotMet extends Schema.Error<NotMet>("NotMet")(Seen, { httpApiStatus: 409 }) {}

/** Answers a document that does not fit with its places. */
export class Strict extends HttpApiMiddleware.Service<Strict>()(
  "@game-data/sandbox/control/Strict",
  { error: Rejected },
) {}

const summary = (text: string) => OpenApi.annotations({ summary: text });
const Faults = Schema.Struct({ faults: Schema.Array(FaultStatus) });
const Count = Schema.optionalKey(Schema.Natural);
const Word = Schema.optionalKey(Text);

const clock = HttpApiGroup.make("clock").add(
  get("read", "/clock", { success: ClockReading }).annotateMerge(
    summary("Where the virtual clock stands"),
  ),
  post("change", "/clock", {
    payload: ClockChange,
    success: ClockReading,
    error: Rejected,
  }).annotateMerge(summary("Advance, set, freeze or unfreeze the virtual clock")),
);

const state = HttpApiGroup.make("state").add(
  post("reset", "/reset", { success: ClockReading }).annotateMerge(
    summary("Back to the first start: world, tokens, clock, policies; no faults, no journal"),
  ),
  post("snapshot", "/snapshot", { success: Any }).annotateMerge(
    summary("Everything that changes, as one document"),
  ),
  post("restore", "/restore", {
    payload: SandboxSnapshot,
    success: ClockReading,
    error: Rejected,
  }).annotateMerge(summary("Continue from a snapshot of a sandbox with the same seed")),
);

const faults = HttpApiGroup.make("faults").add(
  get("list", "/faults", { success: Faults }).annotateMerge(
    summary("The rules in force, and how often each has fired"),
  ),
  post("add", "/faults", {
    payload: Schema.Union([FaultRule, Schema.Array(FaultRule)]),
    success: Faults,
    error: Rejected,
  }).annotateMerge(summary("Add one rule or several; a rule of the same id is replaced")),
  del("clear", "/faults", { success: NoContent }).annotateMerge(summary("Remove all rules")),
  del("remove", "/faults/:id", {
    params: { id: Text },
    success: NoContent,
    error: NotThere,
  }).annotateMerge(summary("Remove one rule")),
);

const replacement = { payload: PolicyChange, success: RatePolicies, error: Rejected };

const policies = HttpApiGroup.make("policies").add(
  get("read", "/policies", { success: RatePolicies }).annotateMerge(
    summary("The rate policies in force"),
  ),
  put("replace", "/policies", replacement).annotateMerge(
    summary("Put other rate policies in force, or a ready-made document by its name"),
  ),
  post("replaceByPost", "/policies", replacement).annotateMerge(summary("The same by POST")),
  get("limits", "/limits", { success: Any }).annotateMerge(
    summary("What is counted at present, by policy, rule, identity and window"),
  ),
);

const scenarios = HttpApiGroup.make("scenarios").add(
  get("list", "/scenarios", { success: Any }).annotateMerge(
    summary("Every scenario, and which of them run"),
  ),
  post("start", "/scenarios", {
    payload: ScenarioBody,
    success: Any.pipe(HttpApiSchema.status(201)),
    error: Rejected,
  }).annotateMerge(
    summary("Start a scenario: what it sets up now, and its steps as requests come"),
  ),
  del("stop", "/scenarios", { success: NoContent }).annotateMerge(
    summary("Stop the scenarios that run, and remove their faults"),
  ),
);

const journal = HttpApiGroup.make("journal").add(
  get("read", "/journal", {
    query: { since: Count, limit: Count, endpoint: Word, clientId: Word, status: Count },
    success: Any,
    error: Rejected,
  }).annotateMerge(summary("The newest requests, without any secret")),
  del("clear", "/journal", { success: NoContent }).annotateMerge(summary("Forget the journal")),
  get("stream", "/journal/stream", { success: Any }).annotateMerge(
    summary("New requests as server-sent events; resumes by Last-Event-ID"),
  ),
  post("verify", "/verify", {
    payload: VerifyBody,
    success: Schema.Struct(Seen),
    error: [Rejected, NotMet],
  }).annotateMerge(summary("Count requests: 200 where the number is met, 409 where it is not")),
  get("audit", "/audit", { success: Any }).annotateMerge(
    summary("The verdicts of the audit's rules on what the journal holds"),
  ),
);

const signIn = HttpApiGroup.make("signIn").add(
  post("authorize", "/authorize", {
    payload: AuthorizeBody,
    success: Schema.Struct({ redirect: Text }),
    error: Rejected,
  }).annotateMerge(summary("Consent, or deny, as an account: the code flow without a browser")),
  get("tokens", "/tokens", { success: Any }).annotateMerge(
    summary("Grants in force with their tokens' prefixes"),
  ),
  post("issue", "/tokens", {
    payload: TokensBody,
    success: TokenResponse,
    error: Rejected,
  }).annotateMerge(summary("Issue tokens without any flow, for tests of data endpoints")),
  del("revoke", "/grants/:id", {
    params: { id: Text },
    success: NoContent,
    error: NotThere,
  }).annotateMerge(summary("Revoke a grant and every token of it")),
  get("clients", "/clients", { success: Any }).annotateMerge(
    summary("The registered applications, without their secrets"),
  ),
  post("register", "/clients", {
    payload: ClientBody,
    success: Any.pipe(HttpApiSchema.status(201)),
    error: Rejected,
  }).annotateMerge(summary("Register an application")),
  get("accounts", "/accounts", { success: Any }).annotateMerge(
    summary("The accounts that can sign in"),
  ),
);

const world = HttpApiGroup.make("world").add(
  get("look", "/world", {
    query: { path: Word, account: Word },
    success: Any,
    error: [Rejected, NotThere],
  }).annotateMerge(
    summary("Any GET of the data API as an account, without token, limits, faults and journal"),
  ),
);

const health = HttpApiGroup.make("health").add(
  get("ready", "/ready", { success: Any }).annotateMerge(
    summary("Whether requests are answered, and where"),
  ),
  get("health", "/health", { success: Any }).annotateMerge(
    summary("Whether the process lives; needs no control key"),
  ),
);

export const ControlApi = HttpApi.make("control")
  .add(clock, state, faults, policies, scenarios, world, journal, signIn, health)
  .middleware(Strict)
  .prefix("/control")
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "all", reportInput: true })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotateMerge(
    OpenApi.annotations({
      title: "Game Data sandbox: control plane",
      version: "1",
      description:
        "Clock, faults, rate policies, journal and state of a running sandbox. For development and tests only.",
    }),
  );
