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

/** A rule that a registration breaks, and the JSON pointer of the member that does. */
interface BrokenRule {
  readonly at: string;
  readonly reason: string;
}

/** The rule that a registration breaks, or undefined (§5, table of client types). */
export const validateRegistration = (registration: ClientRegistration): BrokenRule | undefined => {
  if (!/^[\x21-\x7e]{1,128}$/u.test(registration.clientId))
    return { at: "/clientId", reason: "the client id is not printable ASCII" };
  const { kind } = registration;
  if (kind === "public") {
    if (registration.clientSecret !== undefined)
      return { at: "/clientSecret", reason: "a public client has no secret" };
    const service = registration.scopes?.findIndex((scope) => scope.startsWith("service:")) ?? -1;
    if (service !== -1)
      return { at: `/scopes/${service}`, reason: "service scopes need a confidential client" };
    const credentials = registration.grants?.indexOf("client_credentials") ?? -1;
    if (credentials !== -1) {
      const reason = "the client credentials grant needs a confidential client";
      return { at: `/grants/${credentials}`, reason };
    }
  }
  for (const [index, uri] of registration.redirectUris.entries()) {
    const reason = validateRedirectUri(kind, uri, registration.domains ?? []);
    if (reason !== undefined) return { at: `/redirectUris/${index}`, reason };
  }
  return undefined;
};
