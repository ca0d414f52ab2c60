/** A request to the OAuth server or the data API, and what is known about it so far. */
import type * as Effect from "effect/Effect";
import type { HttpServerResponse } from "effect/http/HttpServerResponse";
import type { Facts } from "../journal/JournalEntry.ts";
import type { Credentials } from "../oauth/Verifier.ts";

/** A listener of the sandbox, each with an address of its own. */
export type Listener = "auth" | "data" | "control";

/** How to send a body whose announced length is wrong. */
export interface BrokenBody {
  readonly announced: number;
  readonly sent: number;
  readonly ending: "close" | "reset";
}

/** What only a real connection can do. */
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

/** A request as an adapter reads it: bounded, with its body. */
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

/** The person in whose place the control plane answers an authorization request. */
export interface Actor {
  /** UUID of the account. */
  readonly sub: string;
  readonly deny: boolean;
}

/** The endpoint of a request. */
export interface Match {
  /** `group.endpoint` in the contract's names; undefined for a page of the OAuth server. */
  readonly name: string | undefined;
  readonly template: string;
  readonly params: Readonly<Record<string, string>>;
  readonly scopes: ReadonlyArray<string>;
}

export interface Exchange extends Omit<Incoming, "url"> {
  readonly listener: "auth" | "data";
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly match: Match | undefined;
  /** The virtual present in milliseconds. */
  readonly now: number;
  readonly actor?: Actor | undefined;
  credentials: Credentials;
  /** What handlers add for the journal. */
  readonly facts: Facts;
}

export const splitUrl = (url: string): readonly [path: string, query: string] => {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
};
