/**
 * The credentials of a request: the access token of an `Authorization` header (§5), and the client at
 * the token endpoint (RFC 6749 §2.3, §3.2.1).
 *
 * The specification shows the secret in the body. HTTP Basic is accepted as well, for libraries
 * that send nothing else. A public client that sends a secret is refused (§5).
 */
import * as Effect from "effect/Effect";
import { base64Text, decodeForm, timingSafeEqual } from "../internal/encoding.ts";
import { type Credentials, type Exchange, NO_CREDENTIALS } from "../http/Exchange.ts";
import type { SandboxState } from "../State.ts";
import { OAuthFailure, refuse } from "./OAuthFailure.ts";
import { wordsOf } from "../internal/words.ts";

/** The challenge of a 401 if the client tried HTTP Basic (RFC 6749 §5.2). */
const BASIC = { "www-authenticate": 'Basic realm="game-data"' };

type Form = ReadonlyMap<string, string>;

export const makeAuthenticate = ({ clients, platform }: SandboxState, throttle: Throttle) => {
  /** Hash for a client without a secret, so that every comparison takes the same time. */
  const noSecret = platform.sha256("no such secret", "hex");
  return Effect.fnUntraced(function* (authorization: string | undefined, form: Form) {
    const isBasic = /^basic(?: |$)/iu.test(authorization ?? "");
    const claim = isBasic ? basicClaim(authorization!, form) : formClaim(form);
    if (claim instanceof OAuthFailure) return yield* claim;
    const { id, secret } = claim;
    yield* throttle.check(id);
    const client = clients.byId(id);
    const isRight = timingSafeEqual(
      platform.sha256(secret ?? "", "hex"),
      client?.secretHash ?? noSecret,
    );
    const isProven = client?.kind === "public" ? secret === undefined : isRight;
    if (client !== undefined && isProven) return client;
    throttle.failed(id);
    return yield* refuse("ClientAuthenticationFailed", isBasic ? BASIC : {});
  });
};

/** Client id and plaintext secret in a token request, before they are checked. */
interface Claim {
  readonly id: string;
  readonly secret: string | undefined;
}

const formClaim = (form: Form): Claim | OAuthFailure => {
  const id = form.get("client_id");
  return id === undefined
    ? new OAuthFailure({ reason: "ParameterMissing" })
    : { id, secret: form.get("client_secret") };
};

/** Reads a Basic header. The form may name the same client, but must not have a secret. */
const basicClaim = (authorization: string, form: Form): Claim | OAuthFailure => {
  const basic = basicCredentials(authorization);
  if (basic === undefined)
    return new OAuthFailure({ reason: "ClientAuthenticationFailed", headers: BASIC });
  return form.has("client_secret") || (form.get("client_id") ?? basic.id) !== basic.id
    ? new OAuthFailure({ reason: "MultipleCredentials" })
    : basic;
};

/** Returns id and secret of a Basic header, which are form-encoded (RFC 6749 §2.3.1). */
export const basicCredentials = (authorization: string): Claim | undefined => {
  if (!/^basic /iu.test(authorization)) return undefined;
  const text = base64Text(authorization.slice("basic ".length).trim());
  const at = text?.indexOf(":") ?? -1;
  if (text === undefined || at < 1) return undefined;
  const id = decodeForm(text.slice(0, at));
  const secret = decodeForm(text.slice(at + 1));
  if (id === undefined || secret === undefined) return undefined;
  return { id, secret: secret === "" ? undefined : secret };
};

/** Syntax of a bearer token: scheme in any case, b64token (RFC 6750 §2.1, RFC 9110 §11.1). */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/iu;

/** Makes the function that finds the identity behind the token of an `Authorization` header. */
export const makeVerify =
  ({ accounts, clients, grants }: Pick<SandboxState, "accounts" | "clients" | "grants">) =>
  (authorization: string): Credentials => {
    const text = BEARER.exec(authorization)?.[1];
    const isBearer = text !== undefined || /^bearer(?: |$)/iu.test(authorization);
    if (text === undefined) return { ...NO_CREDENTIALS, isBearer };
    const tokenHash = grants.hash(text);
    const token = grants.token(tokenHash);
    const grant = token && grants.grant(token.grantId);
    const client = grant && clients.byId(grant.clientId);
    if (client === undefined || token?.kind !== "access" || !grants.isLive(token))
      return { identity: undefined, isBearer, tokenHash };
    const { clientId, grantType, sub } = grant!;
    const { kind } = client;
    const username = accounts.byUuid(sub)?.name ?? "";
    const identity = { clientId, kind, grantType, sub, username, scopes: token.scopes };
    return { identity, isBearer, tokenHash };
  };

const MINUTE = 60_000;
/** Maximum number of keys that are remembered. The oldest is dropped first. */
const MAX_KEYS = 1_000;

export type Throttle = ReturnType<typeof makeThrottle>;

/** Limits failed attempts (RFC 6749 §10.10) per key and minute of the virtual clock. */
export const makeThrottle = (limit: number, now: () => number) => {
  const windows = new Map<string, { readonly since: number; failures: number }>();
  const current = (key: string) => {
    const window = windows.get(key);
    const age = now() - (window?.since ?? Infinity);
    return age >= 0 && age < MINUTE ? window : undefined;
  };
  return {
    check: (key: string) =>
      Effect.suspend(() => {
        const window = current(key);
        if (window === undefined || window.failures < limit) return Effect.void;
        const seconds = Math.max(1, Math.ceil((window.since + MINUTE - now()) / 1000));
        return refuse("TooManyAttempts", { "retry-after": String(seconds) });
      }),
    failed: (key: string): void => {
      const window = current(key);
      if (window !== undefined) return void (window.failures += 1);
      windows.delete(key);
      windows.set(key, { since: now(), failures: 1 });
      if (windows.size > MAX_KEYS) windows.delete(windows.keys().next().value!);
    },
    clear: (): void => windows.clear(),
  };
};

/**
 * Headers that are not searched for misplaced secrets: those that HTTP libraries set, and
 * `authorization`.
 */
const USUAL_HEADERS: ReadonlySet<string> = new Set(
  wordsOf(`
  accept accept-encoding accept-language authorization cache-control connection content-length
  content-type cookie host origin pragma priority referer sec-fetch-dest sec-fetch-mode
  sec-fetch-site traceparent transfer-encoding user-agent
`),
);

/**
 * Makes the function that lists the secrets that a request of the data API carries where they do not
 * belong (§5), for the audit. Values are compared by their hashes, and named without their values.
 */
export const makeMisplacedSecrets = ({ clients, grants }: SandboxState) => {
  const secretOf = (hash: string): string | undefined => {
    if (grants.token(hash)?.kind === "refresh") return "a refresh token";
    return clients.all().some(({ secretHash }) => secretHash === hash)
      ? "a client secret"
      : undefined;
  };
  const at = (place: string, hash: string | undefined): ReadonlyArray<string> => {
    const secret = hash === undefined ? undefined : secretOf(hash);
    return secret === undefined ? [] : [`${secret} ${place}`];
  };
  return ({ credentials, headers }: Exchange, basicSecret: string | undefined) => [
    ...(credentials.identity === undefined ? at("as bearer", credentials.tokenHash) : []),
    ...at("by HTTP Basic", basicSecret && grants.hash(basicSecret)),
    ...Object.keys(headers)
      .filter((name) => !USUAL_HEADERS.has(name) && /^[a-z-]{1,40}$/u.test(name))
      .flatMap((name) => at(`in the header ${name}`, grants.hash(headers[name] ?? ""))),
  ];
};
