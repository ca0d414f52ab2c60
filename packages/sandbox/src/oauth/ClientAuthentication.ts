/**
 * Which application calls the token endpoint, and whether it proves to be that one (RFC 6749 §2.3,
 * §3.2.1).
 *
 * The specification shows the secret in the body; HTTP Basic is accepted as well, for the libraries
 * that send nothing else. A public client has no secret, and one that sends a secret is refused:
 * its user should learn that it is no secret (§5).
 */
import * as Effect from "effect/Effect";
import type { Clients, RegisteredClient } from "../clients/Clients.ts";
import { equalHashes, sha256 } from "../internal/crypto.ts";
import { failure, type OAuthFailure } from "./OAuthErrors.ts";
import type { Throttle } from "./Throttle.ts";

/** Compared against where there is no client or no secret, so that both cases cost the same. */
const NO_SECRET = sha256("no such secret");

/** The client of a request by its `Authorization` header and the parameters of its form. */
export const authenticateClient = Effect.fnUntraced(function* (options: {
  readonly authorization: string | undefined;
  readonly parameters: ReadonlyMap<string, string>;
  readonly clients: Clients["Service"];
  readonly throttle: Throttle;
}): Effect.fn.Return<RegisteredClient, OAuthFailure> {
  const { authorization, parameters, clients, throttle } = options;
  const tried = authorization !== undefined && /^basic(?: |$)/iu.test(authorization);
  const basic = tried ? basicCredentials(authorization) : undefined;
  if (tried && basic === undefined)
    return yield* failure("ClientAuthenticationFailed", { basic: true });
  const bodySecret = parameters.get("client_secret");
  if (basic !== undefined && bodySecret !== undefined) return yield* failure("MultipleCredentials");

  const named = parameters.get("client_id");
  const clientId = basic?.id ?? named;
  if (clientId === undefined) return yield* failure("ParameterMissing");
  if (basic !== undefined && named !== undefined && named !== basic.id) {
    return yield* failure("MultipleCredentials");
  }
  const wait = throttle.waitSeconds(clientId);
  if (wait > 0) return yield* failure("TooManyAttempts", { retryAfter: wait });

  const client = clients.byId(clientId);
  const secret = basic?.secret ?? bodySecret;
  const isRight = equalHashes(sha256(secret ?? ""), client?.secretHash ?? NO_SECRET);
  const accepted =
    client !== undefined && (client.kind === "public" ? secret === undefined : isRight);
  if (!accepted) {
    throttle.failed(clientId);
    return yield* failure("ClientAuthenticationFailed", { basic: tried });
  }
  return client;
});

/** Id and secret of a Basic header, each form-encoded inside (RFC 6749 §2.3.1). */
const basicCredentials = (
  authorization: string,
): { readonly id: string; readonly secret: string | undefined } | undefined => {
  const text = Buffer.from(authorization.slice(6).trim(), "base64").toString("utf8");
  const at = text.indexOf(":");
  if (at < 1) return undefined;
  try {
    const [id, secret] = [text.slice(0, at), text.slice(at + 1)].map((part) =>
      decodeURIComponent(part.replaceAll("+", " ")),
    );
    return id === undefined ? undefined : { id, secret: secret === "" ? undefined : secret };
  } catch {
    return undefined;
  }
};
