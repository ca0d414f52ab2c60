/** The journal's entry of an exchange: written when the request arrives, completed when its response ends. */
import type { HttpServerResponse } from "effect/http/HttpServerResponse";
import type { Exchange, Facts } from "../http/Exchange.ts";
import { reasonOf, secretsIn } from "./shown.ts";

/** One request in the journal, as it is shown. */
export interface JournalEntry {
  /** Ascending, from 1. */
  readonly id: number;
  /** Begin of the request, virtual time, ISO 8601. */
  readonly at: string;
  /** Real milliseconds between the start of the sandbox and the request. */
  readonly elapsedMillis: number;
  readonly listener: "auth" | "data";
  readonly method: string;
  /** The path as it was sent; what may be a secret or a person's is a ref, or `…`. */
  readonly path: string;
  /** The query in the same way; empty if there is none. */
  readonly query: string;
  /** Path template; null when no route matched. */
  readonly route: string | null;
  /** `group.endpoint` in the contract's names. */
  readonly endpoint: string | null;
  /** Words of the specification as they were sent; any other value as a ref. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Equal for requests with equal method, URL and body. */
  readonly requestRef: string;
  /** Equal for requests over one connection. */
  readonly connection: string;
  /** Null when the connection ended without an answer. */
  readonly status: number | null;
  /** What a refusal said, without what was sent; null for other answers. */
  readonly reason: string | null;
  readonly durationMillis: number;
  /** Id of a registered client. */
  readonly clientId: string | null;
  /** Name of the account. */
  readonly account: string | null;
  /** Ref of the access token that was sent. */
  readonly token: string | null;
  /** Scopes of the access token that was sent, or of the one that was issued. */
  readonly scopes: ReadonlyArray<string>;
  readonly grantType: string | null;
  /** Whether a client secret was sent, in the form or by HTTP Basic. */
  readonly sendsSecret: boolean;
  /** Ref of the `state` of an authorization request. */
  readonly state: string | null;
  /** Ref of the `code_challenge` of an authorization request. */
  readonly challenge: string | null;
  readonly challengeMethod: string | null;
  /** Ref of the first characters of a `code_verifier`. */
  readonly verifierStart: string | null;
  /** Whether a `code_verifier` has few different characters. */
  readonly isVerifierWeak: boolean;
  /** Secrets in the wrong place, in words such as `a refresh token as bearer`. */
  readonly misplaced: ReadonlyArray<string>;
  /** Refs of tokens that were issued. */
  readonly issued: ReadonlyArray<string>;
  /** Refs of the codes and refresh tokens that the request redeemed. */
  readonly used: ReadonlyArray<string>;
  /** Whether the redirect carries another state than the request did (a fault). */
  readonly isForged: boolean;
  /** Ref of the requested change id. */
  readonly cursor: string | null;
  /** Ref of the change id that was answered. */
  readonly nextCursor: string | null;
  /** Whether a page was empty. */
  readonly isEmpty: boolean | null;
  /** Names of parameters in the URL that hold a secret. */
  readonly secretsInUrl: ReadonlyArray<string>;
  /** Names of cookies that hold one. */
  readonly secretsInCookie: ReadonlyArray<string>;
  /** Whether a parameter of the path was percent-encoded twice. */
  readonly isEncodedTwice: boolean;
  /** Whether the control plane sent the request in a person's place. */
  readonly byControl: boolean;
  readonly userAgent: string | null;
  readonly retryAfterMillis: number | null;
  readonly policy: string | null;
  /** Refused by that policy. */
  readonly limited: boolean;
  /** Names of the rules that fired. */
  readonly faults: ReadonlyArray<string>;
  /** Bytes of the response's body. */
  readonly bytes: number;
  /** Whether the response was sent whole. */
  readonly isWhole: boolean;
}

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
    id: 0,
    at: now,
    elapsedMillis,
    listener,
    method,
    path,
    query,
    route: isEndpoint ? match.template : null,
    endpoint: match?.name ?? null,
    parameters: isEndpoint ? parametersOf(query, match.params) : {},
    request: requestKey(exchange),
    connection: connection.id,
    status: null as number | null,
    reason: null as string | null,
    durationMillis: 0,
    clientId: null as string | null,
    account: identity?.username ?? null,
    tokenHash,
    scopes: identity?.scopes ?? ([] as ReadonlyArray<string>),
    facts,
    secretsInUrl: query === "" ? [] : secretsIn(new URLSearchParams(query).keys()),
    secretsInCookie: secretsIn(cookieNames(headers["cookie"])),
    isEncodedTwice: isEndpoint && Object.values(match.params).some((value) => ESCAPE.test(value)),
    byControl: exchange.actor !== undefined,
    userAgent: headers["user-agent"]?.slice(0, 200) ?? null,
    retryAfterMillis: null as number | null,
    policy: null as string | null,
    limited: false,
    faults: [] as ReadonlyArray<string>,
    bytes: 0,
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
