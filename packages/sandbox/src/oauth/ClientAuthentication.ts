/**
 * Which application calls the token endpoint, and whether it proves to be that one (RFC 6749 §2.3,
 * §3.2.1).
 *
 * The specification shows the secret in the body; HTTP Basic is accepted as well, for the libraries
 * that send nothing else. A public client has no secret, and one that sends a secret is refused:
 * its user should learn that it is no secret (§5).
 */
import type { Clients, RegisteredClient } from "../clients/Clients.ts";
import { base64Text, timingSafeEqual } from "../internal/encoding.ts";
import type { Platform } from "../platform/Platform.ts";
import { failure, OAuthFailure } from "./OAuthErrors.ts";
import type { Throttle } from "./Throttle.ts";

/** Authenticates the client of a request by its header and the parameters of its form. */
export type AuthenticateClient = (
  authorization: string | undefined,
  parameters: ReadonlyMap<string, string>,
) => RegisteredClient | OAuthFailure;

/** The authentication of registered clients; wrong secrets are counted by the throttle. */
export const makeAuthenticateClient = ({
  clients,
  platform,
  throttle,
}: {
  readonly clients: Clients;
  readonly platform: Platform;
  readonly throttle: Throttle;
}): AuthenticateClient => {
  /** Compared against where there is no client or no secret, so that both cases cost the same. */
  const noSecret = platform.sha256("no such secret", "hex");
  return (authorization, parameters) => {
    const claim = claimOf(authorization, parameters);
    if (claim instanceof OAuthFailure) return claim;
    const { id, isBasic, secret } = claim;
    const wait = throttle.waitSeconds(id);
    if (wait > 0) return failure("TooManyAttempts", { retryAfter: wait });
    const client = clients.byId(id);
    const isRight = timingSafeEqual(
      platform.sha256(secret ?? "", "hex"),
      client?.secretHash ?? noSecret,
    );
    const accepted =
      client !== undefined && (client.kind === "public" ? secret === undefined : isRight);
    if (!accepted) {
      throttle.failed(id);
      return failure("ClientAuthenticationFailed", { basic: isBasic });
    }
    return client;
  };
};

/** The client that a request claims to come from, named by its header or its form but not both. */
const claimOf = (
  authorization: string | undefined,
  parameters: ReadonlyMap<string, string>,
): (BasicCredentials & { readonly isBasic: boolean }) | OAuthFailure => {
  const named = parameters.get("client_id");
  const secret = parameters.get("client_secret");
  if (authorization === undefined || !/^basic(?: |$)/iu.test(authorization))
    return named === undefined
      ? failure("ParameterMissing")
      : { id: named, secret, isBasic: false };
  const basic = basicCredentials(authorization);
  if (basic === undefined) return failure("ClientAuthenticationFailed", { basic: true });
  return secret !== undefined || (named !== undefined && named !== basic.id)
    ? failure("MultipleCredentials")
    : { ...basic, isBasic: true };
};

interface BasicCredentials {
  readonly id: string;
  readonly secret: string | undefined;
}

let last: readonly [authorization: string, credentials: BasicCredentials | undefined] | undefined;

/**
 * Id and secret of a Basic header, each form-encoded inside (RFC 6749 §2.3.1). The pipeline and the
 * endpoint ask for the same header after each other: the last answer is kept.
 */
export const basicCredentials = (authorization: string): BasicCredentials | undefined => {
  if (last?.[0] !== authorization) last = [authorization, parseBasic(authorization)];
  return last[1];
};

const parseBasic = (authorization: string): BasicCredentials | undefined => {
  const text = base64Text(authorization.slice(6).trim());
  const at = text?.indexOf(":") ?? -1;
  if (text === undefined || at < 1) return undefined;
  try {
    const [id, secret] = [text.slice(0, at), text.slice(at + 1)].map((part) =>
      decodeURIComponent(part.replaceAll("+", " ")),
    );
    return id === undefined ? undefined : { id, secret: secret === "" ? undefined : secret };
  } catch {
    return undefined;
  }
};
