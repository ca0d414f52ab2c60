/**
 * Which application calls the token endpoint, and whether it proves to be that one (RFC 6749 §2.3,
 * §3.2.1).
 *
 * The specification shows the secret in the body; HTTP Basic is accepted as well, for the libraries
 * that send nothing else. A public client has no secret, and one that sends a secret is refused:
 * its user should learn that it is no secret (§5).
 */
import type { RegisteredClient } from "../clients/Clients.ts";
import type { Core } from "../Core.ts";
import { base64Text, timingSafeEqual } from "../internal/encoding.ts";
import { refuse } from "./OAuthErrors.ts";

/** The challenge of a 401 where the client has tried HTTP Basic (RFC 6749 §5.2). */
const BASIC = { "www-authenticate": 'Basic realm="game-data"' };

/**
 * Makes the authentication of clients by the header and the form of a request. Refuses what proves
 * nothing; wrong secrets are counted by the throttle.
 */
export const makeAuthenticateClient = (
  { clients, platform }: Pick<Core, "clients" | "platform">,
  throttle: Throttle,
) => {
  /** Compared against where there is no client or no secret, so that both cases cost the same. */
  const noSecret = platform.sha256("no such secret", "hex");
  return (authorization: string | undefined, form: Parameters): RegisteredClient => {
    const isBasic = /^basic(?: |$)/iu.test(authorization ?? "");
    const { id, secret } = isBasic ? basicClaim(authorization!, form) : formClaim(form);
    throttle.check(id);
    const client = clients.byId(id);
    const sent = platform.sha256(secret ?? "", "hex");
    const isRight = timingSafeEqual(sent, client?.secretHash ?? noSecret);
    const isProven = client?.kind === "public" ? secret === undefined : isRight;
    if (client !== undefined && isProven) return client;
    throttle.failed(id);
    return refuse("ClientAuthenticationFailed", isBasic ? BASIC : {});
  };
};

type Parameters = ReadonlyMap<string, string>;

interface Credentials {
  readonly id: string;
  readonly secret: string | undefined;
}

const formClaim = (form: Parameters): Credentials => ({
  id: form.get("client_id") ?? refuse("ParameterMissing"),
  secret: form.get("client_secret"),
});

/** A form beside the header may name the same client, and has no secret. */
const basicClaim = (authorization: string, form: Parameters): Credentials => {
  const basic = basicCredentials(authorization) ?? refuse("ClientAuthenticationFailed", BASIC);
  const named = form.get("client_id");
  if (form.has("client_secret") || (named !== undefined && named !== basic.id))
    refuse("MultipleCredentials");
  return basic;
};

let last: readonly [authorization: string, credentials: Credentials | undefined] | undefined;

/**
 * Id and secret of a Basic header, each form-encoded inside (RFC 6749 §2.3.1). The pipeline and the
 * endpoint ask for the same header after each other: the last answer is kept.
 */
export const basicCredentials = (authorization: string): Credentials | undefined => {
  if (last?.[0] !== authorization) last = [authorization, parseBasic(authorization)];
  return last[1];
};

const parseBasic = (authorization: string): Credentials | undefined => {
  const text = base64Text(authorization.slice(6).trim());
  const at = text?.indexOf(":") ?? -1;
  if (text === undefined || at < 1) return undefined;
  try {
    const [id = "", secret = ""] = [text.slice(0, at), text.slice(at + 1)].map((part) =>
      decodeURIComponent(part.replaceAll("+", " ")),
    );
    return { id, secret: secret === "" ? undefined : secret };
  } catch {
    return undefined;
  }
};

const WINDOW_MILLIS = 60_000;
/** When there are so many keys, the oldest one is forgotten. */
const MAX_KEYS = 1_000;

export type Throttle = ReturnType<typeof makeThrottle>;

/**
 * Limits failed attempts (RFC 6749 §10.10), in memory: `limit` per key and minute of the virtual
 * clock `now`.
 */
export const makeThrottle = (limit: number, now: () => number) => {
  const windows = new Map<string, { since: number; failures: number }>();
  const current = (key: string) => {
    const window = windows.get(key);
    const age = window === undefined ? WINDOW_MILLIS : now() - window.since;
    return age >= 0 && age < WINDOW_MILLIS ? window : undefined;
  };
  return {
    /** Refuses a request of a key that has failed too often, with the seconds to wait. */
    check: (key: string): void => {
      const window = current(key);
      if (window === undefined || window.failures < limit) return;
      const seconds = Math.ceil((window.since + WINDOW_MILLIS - now()) / 1_000);
      refuse("TooManyAttempts", { "retry-after": String(Math.max(1, seconds)) });
    },
    failed: (key: string): void => {
      const window = current(key);
      if (window !== undefined) return void (window.failures += 1);
      const [oldest] = windows.keys();
      if (windows.size >= MAX_KEYS) windows.delete(oldest!);
      windows.delete(key);
      windows.set(key, { since: now(), failures: 1 });
    },
    clear: (): void => windows.clear(),
  };
};
