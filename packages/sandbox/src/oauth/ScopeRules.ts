/**
 * Rules for the scopes that a client may ask for (§5, RFC 6749 §3.3).
 */
import { isScope, isServiceScope } from "@game-data/contract/Scope";
import type { RegisteredClient } from "../clients/Clients.ts";

/**
 * Scopes separated by single spaces, each of printable ASCII without quote and backslash (RFC 6749
 * §3.3).
 */
const SYNTAX = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/u;

/**
 * The scopes of a parameter without repetitions, or undefined where it is malformed or names an
 * unknown one.
 */
export const parseScope = (text: string): ReadonlyArray<string> | undefined => {
  if (!SYNTAX.test(text)) return undefined;
  const scopes = [...new Set(text.split(" "))];
  return scopes.every(isScope) ? scopes : undefined;
};

/**
 * Whether a user may be asked to consent to the scopes: service scopes need client credentials
 * (§5).
 */
export const isUserScope = (client: RegisteredClient, scopes: ReadonlyArray<string>): boolean =>
  scopes.every((scope) => client.scopes.includes(scope) && !isServiceScope(scope));

/** Whether an application may ask for the scopes in its own name. */
export const isClientScope = (client: RegisteredClient, scopes: ReadonlyArray<string>): boolean =>
  scopes.every((scope) => client.scopes.includes(scope));

/** Whether every scope of `narrow` is among `wide`. */
export const isSubset = (narrow: ReadonlyArray<string>, wide: ReadonlyArray<string>): boolean =>
  narrow.every((scope) => wide.includes(scope));
