/**
 * Faults as data: which requests a fault is for, when it happens, and what it does to the answer.
 *
 * A rule is plain JSON. `match` chooses requests, `when` chooses among those that match, `fault`
 * says what happens. All rules that fire on a request work together, in the order in which they
 * were added; the first one that answers by itself (`status`, `firewallPage`, `reset`, `hang`) keeps
 * the service from seeing the request at all.
 *
 * Instants (`from`, `until`) and the time to live are read from the sandbox's virtual clock; delays
 * wait in real time.
 */
import * as Schema from "effect/Schema";

const Millis = Schema.Natural.check(Schema.isLessThanOrEqualTo(600_000));
const Positive = Schema.Natural.check(Schema.isGreaterThan(0));

/** Which requests a rule is for; members that are left out match every request. */
export const FaultMatch = Schema.Struct({
  endpoint: Schema.optionalKey(
    Schema.String.annotate({
      description: "`group` or `group.endpoint` in the contract's names, such as `publicStashTabs`",
    }),
  ),
  route: Schema.optionalKey(
    Schema.String.annotate({ description: "Path template, such as `/league/:league`" }),
  ),
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "Beginning of the path, such as `/stash/`" }),
  ),
  method: Schema.optionalKey(Schema.String),
  clientId: Schema.optionalKey(Schema.String),
  account: Schema.optionalKey(Schema.String.annotate({ description: "Name or uuid" })),
}).annotate({ identifier: "FaultMatch" });
/** Which requests a rule is for. */
export interface FaultMatch extends Schema.Schema.Type<typeof FaultMatch> {}

/**
 * Which of the matching requests are hit; all conditions have to hold, and without any every
 * request is.
 */
export const FaultWhen = Schema.Struct({
  nth: Schema.optionalKey(
    Schema.Union([Positive, Schema.Array(Positive)]).annotate({
      description: "The nth matching request, counted from 1",
    }),
  ),
  after: Schema.optionalKey(
    Schema.Natural.annotate({ description: "So many matching requests pass first" }),
  ),
  every: Schema.optionalKey(Positive.annotate({ description: "Every nth matching request" })),
  count: Schema.optionalKey(
    Positive.annotate({ description: "At most so many times; then the rule is spent" }),
  ),
  probability: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  ),
  seed: Schema.optionalKey(
    Schema.Int.annotate({
      description: "Seed of the probability; the same seed hits the same requests",
    }),
  ),
  from: Schema.optionalKey(Schema.String.annotate({ description: "ISO 8601, virtual time" })),
  until: Schema.optionalKey(Schema.String.annotate({ description: "ISO 8601, virtual time" })),
  ttlSeconds: Schema.optionalKey(
    Positive.annotate({ description: "The rule removes itself after so much virtual time" }),
  ),
}).annotate({ identifier: "FaultWhen" });
/** Which of the matching requests are hit. */
export interface FaultWhen extends Schema.Schema.Type<typeof FaultWhen> {}

/**
 * `Retry-After`: seconds, a date so many seconds from now, or any text to the letter; left out, the
 * header is missing.
 */
export const RetryAfter = Schema.Union([
  Schema.Finite,
  Schema.Struct({ date: Schema.Finite }),
  Schema.String,
]).annotate({ identifier: "RetryAfter" });
/** `Retry-After` in its variants. */
export type RetryAfter = typeof RetryAfter.Type;

const HeaderMap = Schema.Record(Schema.String, Schema.String);

/** What happens. */
export const Fault = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("status"),
    status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
    retryAfter: Schema.optionalKey(RetryAfter),
    headers: Schema.optionalKey(HeaderMap),
    body: Schema.optionalKey(Schema.Json.annotate({ description: "Text is sent as it is" })),
  }).annotate({ description: "Answers with a status and the error body that belongs to it" }),
  Schema.Struct({ kind: Schema.Literal("firewallPage") }).annotate({
    description: "403 with the HTML challenge page of a content delivery network",
  }),
  Schema.Struct({
    kind: Schema.Literal("delay"),
    milliseconds: Millis,
    jitterMilliseconds: Schema.optionalKey(Millis),
  }).annotate({ description: "Waits before anything else happens" }),
  Schema.Struct({
    kind: Schema.Literal("dribble"),
    bytes: Positive,
    everyMilliseconds: Millis,
  }).annotate({ description: "Sends the body in small pieces" }),
  Schema.Struct({
    kind: Schema.Literal("truncate"),
    atByte: Schema.Natural,
    ending: Schema.optionalKey(Schema.Literals(["close", "reset"])),
  }).annotate({
    description: "Cuts the body as it goes over the wire, and the connection with it",
  }),
  Schema.Struct({ kind: Schema.Literal("contentLength"), differsBy: Schema.Int }).annotate({
    description: "Announces a length that the body does not have",
  }),
  Schema.Struct({
    kind: Schema.Literal("malformedJson"),
    at: Schema.optionalKey(Schema.Literals(["head", "tail"])),
  }).annotate({ description: "Spoils the document at its begin or (by default) at its end" }),
  Schema.Struct({
    kind: Schema.Literal("gzipCut"),
    fraction: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  }).annotate({ description: "A gzip body that ends early inside a well-formed response" }),
  Schema.Struct({ kind: Schema.Literal("reset") }).annotate({
    description: "Resets the connection instead of answering",
  }),
  Schema.Struct({ kind: Schema.Literal("hang") }).annotate({ description: "Never answers" }),
  Schema.Struct({
    kind: Schema.Literal("changeId"),
    mode: Schema.Literals(["same", "backwards", "set"]),
    id: Schema.optionalKey(Schema.String.annotate({ description: "For `set`" })),
  }).annotate({
    description: "`same`: data, but the requested id again; `backwards`: an id requested earlier",
  }),
  Schema.Struct({ kind: Schema.Literal("duplicateChanges") }).annotate({
    description: "Every stash change or market of the page appears twice",
  }),
  Schema.Struct({
    kind: Schema.Literal("headers"),
    set: Schema.optionalKey(HeaderMap),
    remove: Schema.optionalKey(Schema.Array(Schema.String)),
  }).annotate({ description: "Adds headers to the service's answer or takes some away" }),
]).annotate({ identifier: "Fault" });
/** What happens. */
export type Fault = typeof Fault.Type;

/** The fault of one kind. */
export type FaultOf<Kind extends Fault["kind"]> = Extract<Fault, { readonly kind: Kind }>;

/** A rule as it is handed in. */
export const FaultRule = Schema.Struct({
  id: Schema.optionalKey(
    Schema.String.annotate({
      description: "A name of your own; a rule of the same name is replaced",
    }),
  ),
  match: Schema.optionalKey(FaultMatch),
  when: Schema.optionalKey(FaultWhen),
  fault: Fault,
}).annotate({ identifier: "FaultRule" });
/** A rule as it is handed in. */
export interface FaultRule extends Schema.Schema.Type<typeof FaultRule> {}

/** A rule as it stands: its name, and how often it was asked and has fired. */
export const FaultStatus = Schema.Struct({
  id: Schema.String,
  rule: FaultRule,
  addedAt: Schema.String,
  seen: Schema.Natural,
  fired: Schema.Natural,
}).annotate({ identifier: "FaultStatus" });
/** A rule as it stands. */
export interface FaultStatus extends Schema.Schema.Type<typeof FaultStatus> {}
