/** A request to the OAuth server or the data API, with its endpoint, credentials and facts. */
import type * as Effect from "effect/Effect";
import type { HttpServerResponse } from "effect/http/HttpServerResponse";
import type { ClientKind } from "../clients/Registration.ts";

/** A listener of the sandbox. Each listener has its own address. */
export type Listener = "auth" | "data" | "control";

/** How to send a body whose announced length is wrong. */
export interface BrokenBody {
  readonly announced: number;
  readonly sent: number;
  readonly ending: "close" | "reset";
}

/** Functions that need a real connection. */
export interface Wire {
  reset(): void;
  /** Sends part of the bytes, and ends the connection. */
  sendBroken(
    head: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
    bytes: Uint8Array,
    how: BrokenBody,
  ): void;
  /** Calls back when the response has ended. */
  onEnd(ended: (end: { readonly isWhole: boolean; readonly isAnswered: boolean }) => void): void;
}

/** The connection of a request. There is no `wire` in process. */
interface Connection {
  readonly id: string;
  readonly ip: string;
  readonly wire?: Wire;
}

/** A request that an adapter has read, with its whole body and within the limits. */
export interface Incoming {
  readonly method: string;
  /** Path and query, raw. */
  readonly url: string;
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  readonly connection: Connection;
}

/** Answers a request to a listener. */
export type Handle = (listener: Listener, incoming: Incoming) => Effect.Effect<HttpServerResponse>;

/** The user in whose name the control plane answers an authorization request. */
export interface Actor {
  /** UUID of the account. */
  readonly sub: string;
  readonly deny: boolean;
}

/** The endpoint or page that the method and path of a request name. */
export interface Match {
  /** `group.endpoint` in the contract's names; undefined for a page of the OAuth server. */
  readonly name: string | undefined;
  readonly template: string;
  readonly params: Readonly<Record<string, string>>;
  readonly scopes: ReadonlyArray<string>;
}

/** The application and the account of a valid access token. */
export interface Identity {
  readonly clientId: string;
  readonly kind: ClientKind;
  /** Under `client_credentials` the account is that of the application's owner (§5). */
  readonly grantType: "authorization_code" | "client_credentials";
  /** UUID of the account. */
  readonly sub: string;
  readonly username: string;
  readonly scopes: ReadonlyArray<string>;
}

export interface Credentials {
  /** The identity, if the header carries a token in force. */
  readonly identity: Identity | undefined;
  /** Whether the header names the bearer scheme at all. */
  readonly isBearer: boolean;
  /** Hash of the token that was sent, in force or not. */
  readonly tokenHash: string | undefined;
}

export const NO_CREDENTIALS: Credentials = {
  identity: undefined,
  isBearer: false,
  tokenHash: undefined,
};

/** Kind of a value that the journal shows as a ref, such as `token#3`. */
export type RefKind =
  | "token"
  | "refresh"
  | "code"
  | "cursor"
  | "state"
  | "challenge"
  | "verifier"
  | "request"
  | "connection"
  | "value";

/** A value that the journal shows as a ref: its hash, or the value itself if it is not a secret. */
export interface Referent {
  readonly kind: RefKind;
  readonly hash: string;
}

/** Facts about a request that its handler adds. */
export interface Facts {
  client?: string | undefined;
  account?: string | undefined;
  scopes?: ReadonlyArray<string>;
  grantType?: string | undefined;
  sendsSecret: boolean;
  state?: string | undefined;
  challenge?: string | undefined;
  challengeMethod?: string | undefined;
  /** Hash of the first characters of a `code_verifier`. */
  verifierStart?: string;
  /** Whether a `code_verifier` has few different characters. */
  isVerifierWeak?: boolean;
  /** Secrets in the wrong place, in words such as `a refresh token as bearer`. */
  readonly misplaced: Array<string>;
  readonly issued: Array<Referent>;
  readonly used: Array<Referent>;
  /** Whether the redirect carries a state that differs from the request's. */
  isForged: boolean;
  cursor?: string | undefined;
  nextCursor?: string | undefined;
  isEmpty?: boolean;
}

export interface Exchange extends Omit<Incoming, "url"> {
  readonly listener: "auth" | "data";
  /** Path in the specification's words. */
  readonly path: string;
  /** Path in the deployment's words. */
  readonly sentPath: string;
  /** Query without the question mark. */
  readonly query: string;
  readonly match: Match | undefined;
  /** Virtual time of the request, in milliseconds since the epoch. */
  readonly now: number;
  readonly actor?: Actor | undefined;
  credentials: Credentials;
  /** Facts that handlers add for the journal. */
  readonly facts: Facts;
}
