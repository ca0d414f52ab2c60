/** The journal's entry of an exchange: written when the request arrives, completed when its response ends. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse";
import type { Exchange, Facts } from "../http/Exchange.ts";
import { reasonOf, secretsIn } from "./shown.ts";

/** Facts of a request before anything is known. */
export const noFacts = (): Facts => ({
  sendsSecret: false,
  misplaced: [],
  issued: [],
  used: [],
  isForged: false,
});

/** A request as it is kept. Instants and refs are formatted when it is read. */
export type Recorded = ReturnType<typeof entryOf>;

/** The entry of an exchange. `elapsedMillis` is the time since the sandbox started. */
export const entryOf = (exchange: Exchange, elapsedMillis: number) => {
  const { connection, facts, headers, listener, match, method, now, path, query } = exchange;
  const { identity, tokenHash } = exchange.credentials;
  const isEndpoint = match?.name !== undefined;
  return {
    /** Ascending, from 1. */
    id: 0,
    at: now,
    /** Real milliseconds between the start of the sandbox and the request. */
    elapsedMillis,
    listener,
    method,
    path,
    query,
    /** Path template; null if no route matched. */
    route: isEndpoint ? match.template : null,
    /** `group.endpoint` in the contract's names. */
    endpoint: match?.name ?? null,
    parameters: isEndpoint ? parametersOf(query, match.params) : {},
    request: requestKey(exchange),
    connection: connection.id,
    /** Null if the connection ended without an answer. */
    status: null as number | null,
    /** The message of a refusal, without what was sent; null for other answers. */
    reason: null as string | null,
    durationMillis: 0,
    /** Id of a registered client. */
    clientId: null as string | null,
    /** Name of the account. */
    account: identity?.username ?? null,
    tokenHash,
    /** Scopes of the access token that was sent, or of the one that was issued. */
    scopes: identity?.scopes ?? ([] as ReadonlyArray<string>),
    facts,
    /** Names of parameters in the URL that hold a secret. */
    secretsInUrl: query === "" ? [] : secretsIn(new URLSearchParams(query).keys()),
    /** Names of cookies that hold a secret. */
    secretsInCookie: secretsIn(cookieNames(headers["cookie"])),
    /** Whether a parameter of the path was percent-encoded twice. */
    isEncodedTwice: isEndpoint && Object.values(match.params).some((value) => ESCAPE.test(value)),
    /** Whether the control plane sent the request in a person's place. */
    byControl: exchange.actor !== undefined,
    userAgent: headers["user-agent"]?.slice(0, 200).replace(LONG_WORD, "…") ?? null,
    retryAfterMillis: null as number | null,
    policy: null as string | null,
    /** Refused by that policy. */
    limited: false,
    /** Names of the rules that fired. */
    faults: [] as ReadonlyArray<string>,
    /** Bytes of the response's body. */
    bytes: 0,
    /** Whether the response was sent whole. */
    isWhole: false,
    /** Whether the response has ended. */
    isEnded: false,
  };
};

/** Adds the response to an entry. */
export const noteResponse = (entry: Recorded, { body, headers, status }: HttpServerResponse) => {
  entry.status = status;
  entry.clientId = entry.facts.client ?? null;
  entry.bytes = body._tag === "Uint8Array" ? body.contentLength : 0;
  if (status >= 300) {
    const text = body._tag === "Uint8Array" ? (body.text ?? "") : "";
    entry.reason = reasonOf({ status, location: headers["location"], text });
  }
  const wait = headers["retry-after"];
  // A fault may say anything else, which the audit does not measure.
  if (wait !== undefined && /^\d+(?:\.\d+)?$/u.test(wait))
    entry.retryAfterMillis = Number(wait) * 1000;
};

/** As long as a token, and longer than the name of a program. */
const LONG_WORD = /[\w~+/=-]{40,}/gu;

const cookieNames = (header: string | undefined): ReadonlyArray<string> =>
  header === undefined ? [] : header.split(";").map((pair) => pair.split("=", 1)[0]!.trim());

/** Parameters of path and query by name; a repeated one is left out. */
const parametersOf = (
  query: string,
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  if (query === "") return params;
  const search = new URLSearchParams(query);
  const once = [...search].filter(([name]) => search.getAll(name).length === 1);
  return { ...Object.fromEntries(once), ...params };
};

/** An escape that is left in a parameter of a path after decoding (RFC 3986 §2.4). */
const ESCAPE = /%[0-9a-f]{2}/iu;

/** Equal for equal requests. The body counts by its length and a hash. */
const requestKey = ({ body, method, path, query }: Exchange): string => {
  let hash = 0x811c9dc5;
  for (const byte of body) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${method} ${path}?${query} ${body.length} ${hash >>> 0}`;
};
