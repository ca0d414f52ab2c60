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
  /** Refs of codes and refresh tokens that were used. */
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
