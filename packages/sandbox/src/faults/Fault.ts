/**
 * Faults as documents: `match` selects requests, `when` selects some of them, and `fault` is the
 * effect. All rules that fire on a request are combined, in the order in which they were added. If
 * one of them answers by itself (`status`, `firewallPage`, `reset`, `hang`), the service does not see
 * the request.
 *
 * Instants and the time to live are of the sandbox's virtual clock; delays wait in real time.
 */
import * as Schema from "effect/Schema";
import { Instant } from "../internal/instants.ts";

const optional = Schema.optionalKey;
const Text = Schema.String;
const textOf = (description: string) => Text.annotate({ description });
const Natural = Schema.Natural;
const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1));
const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 }));
const Share = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 }));
const Json = Schema.Unknown;
/** Which requests a rule is for; members that are left out match every request. */
export const FaultMatch = Schema.Struct({
  endpoint: optional(
    textOf("`group` or `group.endpoint` in the contract's names, such as `publicStashTabs`"),
  ),
  route: optional(textOf("Path template, such as `/league/:league`")),
  path: optional(textOf("Beginning of the path, such as `/stash/`")),
  method: optional(Schema.Literals(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])),
  clientId: optional(Text),
  grantType: optional(
    Schema.Literals(["authorization_code", "client_credentials", "refresh_token"]).annotate({
      description: "Of a token request",
    }),
  ),
  account: optional(textOf("Name or uuid")),
}).annotate({ identifier: "FaultMatch" });
export type FaultMatch = typeof FaultMatch.Type;

/** Which of the matching requests are hit; all conditions have to hold. */
export const FaultWhen = Schema.Struct({
  nth: optional(
    Schema.Union([Positive, Schema.Array(Positive)]).annotate({
      description: "The nth matching request, counted from 1",
    }),
  ),
  after: optional(Natural.annotate({ description: "So many matching requests pass first" })),
  every: optional(Positive.annotate({ description: "Every nth matching request" })),
  count: optional(Positive.annotate({ description: "At most so many times" })),
  probability: optional(Share),
  seed: optional(
    Schema.Int.annotate({
      description: "Seed of the probability; the same seed hits the same requests",
    }),
  ),
  from: optional(Instant),
  until: optional(Instant),
  ttlSeconds: optional(
    Positive.annotate({ description: "The rule removes itself after so much virtual time" }),
  ),
})
  .check(
    Schema.makeFilter(({ from, until }) => {
      const isLater =
        from === undefined || until === undefined || Date.parse(until) > Date.parse(from);
      return isLater || { path: ["until"], issue: "must be later than `from`" };
    }),
    Schema.makeFilter(({ after = 0, every = 1, nth }) => {
      const canFire =
        nth === undefined || [nth].flat().some((one) => one > after && one % every === 0);
      return canFire || { path: ["nth"], issue: "no request is all of nth, after and every" };
    }),
  )
  .annotate({ identifier: "FaultWhen" });
export type FaultWhen = typeof FaultWhen.Type;

/** Syntax of a header's name and value (RFC 9110 §5.1, §5.5). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/u;

const NOT_SENDABLE = "this value cannot be sent";

const HeaderMap = Schema.Record(Text, Text).check(
  Schema.makeFilter((headers) => {
    for (const [name, value] of Object.entries(headers)) {
      if (!HEADER_NAME.test(name))
        return { path: [name], issue: `${JSON.stringify(name)} is no name of a header` };
      if (!HEADER_VALUE.test(value)) return { path: [name], issue: NOT_SENDABLE };
    }
    return undefined;
  }),
);

/** `Retry-After` as seconds, as a date this number of seconds from now, or as any text. */
export const RetryAfter = Schema.Union([
  Schema.Finite,
  Schema.Struct({ date: Schema.Finite }),
  Text.check(Schema.makeFilter((value) => HEADER_VALUE.test(value) || NOT_SENDABLE)),
]).annotate({ identifier: "RetryAfter" });
export type RetryAfter = typeof RetryAfter.Type;

/** Headers that a `headers` fault cannot change, because the server sets them itself. */
const DERIVED = /^(?:date|content-length|transfer-encoding|connection)$/iu;

const kind = <const K extends string, const F extends Schema.Struct.Fields = {}>(
  name: K,
  description: string,
  fields?: F,
) => Schema.Struct({ kind: Schema.Literal(name), ...(fields as F) }).annotate({ description });

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

const isEmpty = (...members: ReadonlyArray<object | undefined>): boolean =>
  members.every((member) => Object.keys(member ?? {}).length === 0);

/** A fault: the effect of a rule on a request or its response. */
export const Fault = Schema.Union([
  kind("status", "Answers with a status and the error body that belongs to it", {
    status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
    retryAfter: optional(RetryAfter),
    headers: optional(HeaderMap),
    body: optional(Json.annotate({ description: "Text is sent as it is" })),
  }).check(
    Schema.makeFilter(
      ({ body, status }) =>
        body === undefined ||
        !BODILESS.has(status) || { path: ["body"], issue: `an answer ${status} has no body` },
    ),
  ),
  kind("firewallPage", "403 with the HTML challenge page of a content delivery network"),
  kind("delay", "Waits before anything else happens", {
    milliseconds: Millis,
    jitterMilliseconds: optional(Millis),
  }),
  kind("dribble", "Sends the body in small pieces", { bytes: Positive, everyMilliseconds: Millis }),
  kind("truncate", "Cuts the body as it is sent, and the connection with it", {
    atByte: Natural,
    ending: optional(Schema.Literals(["close", "reset"])),
  }),
  kind("contentLength", "Announces a length that the body does not have", {
    differsBy: Schema.Int.check(
      Schema.makeFilter((by) => by !== 0 || "0 is the length that the body has"),
    ),
  }),
  kind("malformedJson", "Spoils the document at its begin or (by default) at its end", {
    at: optional(Schema.Literals(["head", "tail"])),
  }),
  kind("gzipCut", "A gzip body that ends early inside a well-formed response", {
    fraction: optional(Share),
  }),
  kind("reset", "Resets the connection instead of answering"),
  kind("hang", "Never answers"),
  kind(
    "changeId",
    "`same`: data, but the requested id again; `backwards`: an id requested earlier; `end`: no data and the requested id, as at the end",
    {
      mode: Schema.Literals(["same", "backwards", "set", "end"]),
      id: optional(textOf("For `set`")),
    },
  ).check(
    Schema.makeFilter(
      ({ id, mode }) =>
        mode !== "set" ||
        id !== undefined || {
          path: ["id"],
          issue: 'a changeId fault with mode "set" needs an id',
        },
    ),
  ),
  kind("duplicateChanges", "Every stash change or market of the page appears twice"),
  kind("headers", "Adds headers to the service's answer or takes some away", {
    set: optional(HeaderMap),
    remove: optional(Schema.Array(Text)),
  }).check(
    Schema.makeFilter(
      ({ remove, set }) => !isEmpty(set, remove) || "it does nothing: name set or remove",
    ),
    Schema.makeFilter(({ remove = [], set = {} }) => {
      const derived = [...Object.keys(set), ...remove].find((name) => DERIVED.test(name));
      return derived === undefined || `${derived} is set by the server, and cannot be changed`;
    }),
  ),
  kind(
    "members",
    "Adds members to every record of a JSON body, and replaces words in the members that `words` names",
    { add: optional(Schema.Record(Text, Json)), words: optional(Schema.Record(Text, Text)) },
  ).check(
    Schema.makeFilter(
      ({ add, words }) => !isEmpty(add, words) || "it does nothing: name add or words",
    ),
  ),
  kind("merge", "Changes a JSON body by a merge patch (RFC 7396)", {
    patch: Schema.Record(Text, Json),
  }),
  kind("forgedState", "Redirects after consent carry another state than the one that was sent"),
  kind(
    "nulls",
    "Optional members of every record of a JSON body are null: those of the list, or all",
    { members: optional(Schema.Array(Text).check(Schema.isMinLength(1))) },
  ),
  kind("nullResult", "The object that a body holds under one name is null: it is gone"),
]).annotate({ identifier: "Fault" });
export type Fault = typeof Fault.Type;

export type FaultOf<Kind extends Fault["kind"]> = Extract<Fault, { readonly kind: Kind }>;

/** A fault rule as a test adds it. Without `match` and `when`, it hits every request. */
export const FaultRule = Schema.Struct({
  id: optional(
    Schema.NonEmptyString.annotate({
      description: "A name of your own; a rule of the same name is replaced",
    }),
  ),
  match: optional(FaultMatch),
  when: optional(FaultWhen),
  fault: Fault,
}).annotate({ identifier: "FaultRule" });
export type FaultRule = typeof FaultRule.Type;

/** A rule in force, the number of requests that matched it, and how often it has fired. */
export const FaultStatus = Schema.Struct({
  id: Text,
  rule: FaultRule,
  addedAt: Instant,
  seen: Natural,
  fired: Natural,
}).annotate({ identifier: "FaultStatus" });
export type FaultStatus = typeof FaultStatus.Type;
