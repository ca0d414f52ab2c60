/**
 * Registering a client: what is asked for, and the rules of §5 by which it is refused.
 */
import type { ClientKind, GrantType } from "./Model.ts";
import { validateRedirectUri } from "./RedirectRules.ts";

/** The registration of a client. */
export interface ClientRegistration {
  /** The client's id; unique. */
  readonly clientId: string;
  /** Name that the consent page shows; the id by default. */
  readonly name?: string | undefined;
  /** Whether the client can keep a secret. */
  readonly kind: ClientKind;
  /** Secret of a confidential client; derived from the seed when left out. */
  readonly clientSecret?: string | undefined;
  /** URIs that users may be sent back to. */
  readonly redirectUris: ReadonlyArray<string>;
  /**
   * Domains that the application's owner has registered; a confidential redirect URI lies on one of
   * them.
   */
  readonly domains?: ReadonlyArray<string> | undefined;
  /** Scopes that the client may ask for; all that its kind permits by default. */
  readonly scopes?: ReadonlyArray<string> | undefined;
  /** Name of the account that owns the application; the first seeded account by default. */
  readonly owner?: string | undefined;
  /** Grants that the client may use; all that its kind permits by default. */
  readonly grants?: ReadonlyArray<GrantType> | undefined;
  /** Whether the application has refresh tokens enabled; true by default. */
  readonly refreshTokens?: boolean | undefined;
}

/** The rule that a registration breaks, or undefined (§5, table of client types). */
export const validateRegistration = (registration: ClientRegistration): string | undefined => {
  if (!/^[\x21-\x7e]{1,128}$/u.test(registration.clientId))
    return "the client id is not printable ASCII";
  const { kind } = registration;
  if (kind === "public") {
    if (registration.clientSecret !== undefined) return "a public client has no secret";
    if (registration.scopes?.some((scope) => scope.startsWith("service:"))) {
      return "service scopes need a confidential client";
    }
    if (registration.grants?.includes("client_credentials")) {
      return "the client credentials grant needs a confidential client";
    }
  }
  for (const uri of registration.redirectUris) {
    const problem = validateRedirectUri(kind, uri, registration.domains ?? []);
    if (problem !== undefined) return problem;
  }
  return undefined;
};
