/**
 * Faults as data: which requests a fault is for, when it happens, and what it does to the answer.
 *
 * A rule is plain JSON. `match` chooses requests, `when` chooses among those that match, `fault`
 * says what happens. All rules that fire on a request work together, in the order in which they
 * were added. The first that answers by itself (`status`, `firewallPage`, `reset`, `hang`) keeps
 * the service from seeing the request at all.
 *
 * Instants (`from`, `until`) and the time to live are read from the sandbox's virtual clock; delays
 * wait in real time.
 */
import {
  anyOf,
  described,
  dictionary,
  type DocumentType,
  type Fields,
  integer,
  json,
  list,
  literal,
  number,
  object,
  optional,
  text,
  words,
  titled,
} from "../internal/document.ts";

const millis = integer({ minimum: 0, maximum: 600_000 });
const positive = (description?: string) =>
  integer(description === undefined ? { minimum: 1 } : { minimum: 1, description });
const natural = (description?: string) =>
  integer(description === undefined ? { minimum: 0 } : { minimum: 0, description });

/** Which requests a rule is for; members that are left out match every request. */
export const FaultMatch = titled("FaultMatch", {
  endpoint: optional(
    text({
      description: "`group` or `group.endpoint` in the contract's names, such as `publicStashTabs`",
    }),
  ),
  route: optional(text({ description: "Path template, such as `/league/:league`" })),
  path: optional(text({ description: "Beginning of the path, such as `/stash/`" })),
  method: optional(words("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")),
  clientId: optional(text()),
  grantType: optional(
    described(words("authorization_code", "client_credentials", "refresh_token"), {
      description: "Of a token request",
    }),
  ),
  account: optional(text({ description: "Name or uuid" })),
});
export type FaultMatch = DocumentType<typeof FaultMatch>;

/**
 * Which of the matching requests are hit; all conditions have to hold, and without any every
 * request is.
 */
export const FaultWhen = titled("FaultWhen", {
  nth: optional(
    described(anyOf(positive(), list(positive())), {
      description: "The nth matching request, counted from 1",
    }),
  ),
  after: optional(natural("So many matching requests pass first")),
  every: optional(positive("Every nth matching request")),
  count: optional(positive("At most so many times; then the rule is spent")),
  probability: optional(number({ minimum: 0, maximum: 1 })),
  seed: optional(
    integer({ description: "Seed of the probability; the same seed hits the same requests" }),
  ),
  from: optional(text({ description: "ISO 8601, virtual time" })),
  until: optional(text({ description: "ISO 8601, virtual time" })),
  ttlSeconds: optional(positive("The rule removes itself after so much virtual time")),
});
export type FaultWhen = DocumentType<typeof FaultWhen>;

/**
 * `Retry-After`: seconds, a date so many seconds from now, or any text to the letter; left out, the
 * header is missing.
 */
export const RetryAfter = described(anyOf(number(), object({ date: number() }), text()), {
  title: "RetryAfter",
});
export type RetryAfter = DocumentType<typeof RetryAfter>;

const headerMap = dictionary(text());

const kind = <const K extends string, const F extends Fields = {}>(
  name: K,
  description: string,
  fields?: F,
) => described(object({ kind: literal(name), ...(fields as F) }), { description });

/** A fault: the effect of a rule on a request or its response. */
export const Fault = described(
  anyOf(
    kind("status", "Answers with a status and the error body that belongs to it", {
      status: integer({ minimum: 200, maximum: 599 }),
      retryAfter: optional(RetryAfter),
      headers: optional(headerMap),
      body: optional(described(json, { description: "Text is sent as it is" })),
    }),
    kind("firewallPage", "403 with the HTML challenge page of a content delivery network"),
    kind("delay", "Waits before anything else happens", {
      milliseconds: millis,
      jitterMilliseconds: optional(millis),
    }),
    kind("dribble", "Sends the body in small pieces", {
      bytes: positive(),
      everyMilliseconds: millis,
    }),
    kind("truncate", "Cuts the body as it goes over the wire, and the connection with it", {
      atByte: natural(),
      ending: optional(words("close", "reset")),
    }),
    kind("contentLength", "Announces a length that the body does not have", {
      differsBy: integer(),
    }),
    kind("malformedJson", "Spoils the document at its begin or (by default) at its end", {
      at: optional(words("head", "tail")),
    }),
    kind("gzipCut", "A gzip body that ends early inside a well-formed response", {
      fraction: optional(number({ minimum: 0, maximum: 1 })),
    }),
    kind("reset", "Resets the connection instead of answering"),
    kind("hang", "Never answers"),
    kind(
      "changeId",
      "`same`: data, but the requested id again; `backwards`: an id requested earlier; `end`: no data and the requested id, as at the end",
      {
        mode: words("same", "backwards", "set", "end"),
        id: optional(text({ description: "For `set`" })),
      },
    ),
    kind("duplicateChanges", "Every stash change or market of the page appears twice"),
    kind("headers", "Adds headers to the service's answer or takes some away", {
      set: optional(headerMap),
      remove: optional(list(text())),
    }),
    kind(
      "members",
      "Adds members to every record of a JSON body, and replaces words in the members that `words` names",
      { add: optional(dictionary(json)), words: optional(dictionary(text())) },
    ),
    kind("merge", "Changes a JSON body by a merge patch (RFC 7396)", { patch: dictionary(json) }),
    kind("forgedState", "Redirects after consent carry another state than the one that was sent"),
    kind(
      "nulls",
      "Optional members of every record of a JSON body are null: those of the list, or all",
      { members: optional(list(text(), { minItems: 1 })) },
    ),
    kind("nullResult", "The object that a body holds under one name is null: it is gone"),
  ),
  { title: "Fault" },
);
export type Fault = DocumentType<typeof Fault>;

export type FaultOf<Kind extends Fault["kind"]> = Extract<Fault, { readonly kind: Kind }>;

/** A rule as it is handed in. */
export const FaultRule = titled("FaultRule", {
  id: optional(
    text({ minLength: 1, description: "A name of your own; a rule of the same name is replaced" }),
  ),
  match: optional(FaultMatch),
  when: optional(FaultWhen),
  fault: Fault,
});
export type FaultRule = DocumentType<typeof FaultRule>;

/** A rule as it stands: its name, and how often it was asked and has fired. */
export const FaultStatus = titled("FaultStatus", {
  id: text(),
  rule: FaultRule,
  addedAt: text(),
  seen: natural(),
  fired: natural(),
});
export type FaultStatus = DocumentType<typeof FaultStatus>;
