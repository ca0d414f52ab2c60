/**
 * The control plane as one table: everything that a test may change or see of a sandbox, with the
 * documents of requests and responses. The server and `/control/openapi.json` follow from it.
 */
import * as Schema from "effect/Schema";
import * as HttpApi from "effect/http-api/HttpApi";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
import * as OpenApi from "effect/http-api/OpenApi";
import { ClientRegistration } from "../clients/Registration.ts";
import { FaultRule, FaultStatus } from "../faults/Fault.ts";
import { TokenResponse } from "../oauth/TokenGrants.ts";
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
const Created = Any.pipe(HttpApiSchema.status(201));
const Nothing = Schema.Record(Text, Schema.Never);
const Count = Schema.optionalKey(Schema.Natural);
const Word = Schema.optionalKey(Text);
const Id = { id: Text };

/** Refusal of a request to the control plane, with every invalid place. */
export class Rejected extends Schema.Error<Rejected>("Rejected")(
  {
    reason: Text,
    issues: Schema.Array(
      Schema.Struct({ pointer: Text, message: Text, nearest: Schema.optionalKey(Text) }),
    ),
  },
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

/** Refusal of `verify`: other requests arrived than the test expected. */
export class NotMet extends Schema.Error<NotMet>("NotMet")(Seen, { httpApiStatus: 409 }) {}

/** Middleware that answers an invalid document with its invalid places. */
export class Strict extends HttpApiMiddleware.Service<Strict>()(
  "@game-data/sandbox/control/Strict",
  { error: Rejected },
) {}

const about = (summary: string) => OpenApi.annotations({ summary });
const Faults = Schema.Struct({ faults: Schema.Array(FaultStatus) });
const replacement = { payload: PolicyChange, success: RatePolicies };

const setup = HttpApiGroup.make("setup").add(
  get("readClock", "/clock", { success: ClockReading }).annotateMerge(
    about("The instant of the virtual clock"),
  ),
  post("changeClock", "/clock", { payload: ClockChange, success: ClockReading }).annotateMerge(
    about("Advance, set, freeze or unfreeze the virtual clock"),
  ),
  post("reset", "/reset", { payload: Nothing, success: ClockReading }).annotateMerge(
    about("Back to the first start: world, tokens, clock, policies; no faults, no journal"),
  ),
  post("snapshot", "/snapshot", { payload: Nothing, success: Any }).annotateMerge(
    about("Everything that changes, as one document"),
  ),
  post("restore", "/restore", { payload: SandboxSnapshot, success: ClockReading }).annotateMerge(
    about("Continue from a snapshot of a sandbox with the same seed"),
  ),

  get("listFaults", "/faults", { success: Faults }).annotateMerge(
    about("The rules in force, and how often each has fired"),
  ),
  post("addFaults", "/faults", {
    payload: Schema.Union([FaultRule, Schema.Array(FaultRule)]),
    success: Faults,
  }).annotateMerge(about("Add one rule or several; a rule of the same id is replaced")),
  del("clearFaults", "/faults", { success: NoContent }).annotateMerge(about("Remove all rules")),
  del("removeFault", "/faults/:id", {
    params: Id,
    success: NoContent,
    error: NotThere,
  }).annotateMerge(about("Remove one rule")),

  get("readPolicies", "/policies", { success: RatePolicies }).annotateMerge(
    about("The rate policies in force"),
  ),
  put("replacePolicies", "/policies", replacement).annotateMerge(
    about("Put other rate policies in force, or a ready-made document by its name"),
  ),
  post("postPolicies", "/policies", replacement).annotateMerge(about("The same by POST")),
  get("limits", "/limits", { success: Any }).annotateMerge(
    about("The present counts, by policy, rule, identity and window"),
  ),

  get("listScenarios", "/scenarios", { success: Any }).annotateMerge(
    about("Every scenario, and which of them run"),
  ),
  post("startScenario", "/scenarios", { payload: ScenarioBody, success: Created }).annotateMerge(
    about("Start a scenario: what it sets up now, and its steps as requests arrive"),
  ),
  del("stopScenarios", "/scenarios", { success: NoContent }).annotateMerge(
    about("Stop the scenarios that run, and remove their faults"),
  ),
);

const journal = HttpApiGroup.make("journal").add(
  get("readJournal", "/journal", {
    query: { since: Count, limit: Count, endpoint: Word, clientId: Word, status: Count },
    success: Any,
  }).annotateMerge(about("The newest requests, without any secret")),
  del("clearJournal", "/journal", { success: NoContent }).annotateMerge(
    about("Forget the journal"),
  ),
  get("followJournal", "/journal/stream", { success: Any }).annotateMerge(
    about("New requests as server-sent events; resumes by Last-Event-ID"),
  ),
  post("verify", "/verify", {
    payload: VerifyBody,
    success: Schema.Struct(Seen),
    error: NotMet,
  }).annotateMerge(about("Count requests: 200 if the number is met, 409 if it is not")),
  get("audit", "/audit", { success: Any }).annotateMerge(
    about("The verdicts of the audit's rules on the journal"),
  ),
);

const access = HttpApiGroup.make("access").add(
  post("authorize", "/authorize", {
    payload: AuthorizeBody,
    success: Schema.Struct({ redirect: Text }),
  }).annotateMerge(about("Consent, or deny, as an account: the code flow without a browser")),
  get("listTokens", "/tokens", { success: Any }).annotateMerge(
    about("Grants in force with their tokens' prefixes"),
  ),
  post("issueTokens", "/tokens", { payload: TokensBody, success: TokenResponse }).annotateMerge(
    about("Issue tokens without any flow, for tests of data endpoints"),
  ),
  del("revokeGrant", "/grants/:id", {
    params: Id,
    success: NoContent,
    error: NotThere,
  }).annotateMerge(about("Revoke a grant and every token of it")),
  get("listClients", "/clients", { success: Any }).annotateMerge(
    about("The registered applications, without their secrets"),
  ),
  post("registerClient", "/clients", {
    payload: ClientRegistration,
    success: Created,
  }).annotateMerge(about("Register an application")),
  get("listAccounts", "/accounts", { success: Any }).annotateMerge(
    about("The accounts that can sign in"),
  ),

  get("look", "/world", {
    query: { path: Word, account: Word },
    success: Any,
    error: NotThere,
  }).annotateMerge(
    about("Any GET of the data API as an account, without token, limits, faults and journal"),
  ),
  get("ready", "/ready", { success: Any }).annotateMerge(
    about("Whether requests are answered, and where"),
  ),
  get("health", "/health", { success: Any }).annotateMerge(
    about("Whether the process lives; needs no control key"),
  ),
);

export const ControlApi = HttpApi.make("control")
  .add(setup, journal, access)
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
