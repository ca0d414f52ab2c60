/** The endpoints `POST /oauth/token`, `/oauth/token/revoke`, `/oauth/token/introspect` (§4.1). */
import * as Effect from "effect/Effect";
import * as Response from "effect/http/HttpServerResponse";
import type { SandboxState } from "../State.ts";
import type { Exchange, Identity } from "../http/Exchange.ts";
import { type Form, parseForm, utf8Text } from "../internal/encoding.ts";
import { wordsOf } from "../internal/words.ts";
import { makeAuthenticate, makeThrottle } from "./authenticate.ts";
import type { Grant, Token } from "./Grants.ts";
import {
  INVALID_TOKEN,
  NO_STORE,
  type OAuthFailure,
  type OAuthFailureReason,
  refuse,
} from "./OAuthFailure.ts";
import type { makeTokenGrants } from "./TokenGrants.ts";

const TOKEN_FORM = wordsOf(
  "client_id client_secret grant_type code redirect_uri scope code_verifier refresh_token",
);
const MANAGEMENT_FORM = wordsOf("token token_type_hint client_id client_secret access_token");

const POST_ALONE = { allow: "POST" };

/** Permitted failures per client and minute: secrets, inactive introspections (RFC 7662 §4). */
const SECRET_FAILURES = 20;
const SCAN_FAILURES = 60;

export const makeTokenEndpoints = (
  state: SandboxState,
  tokenGrants: ReturnType<typeof makeTokenGrants>,
) => {
  const { clients, clock, config, grants, store } = state;
  const secrets = makeThrottle(config.throttle ? SECRET_FAILURES : Infinity, clock.now);
  const scans = makeThrottle(config.throttle ? SCAN_FAILURES : Infinity, clock.now);
  store.onReset(() => [secrets, scans].forEach((throttle) => throttle.clear()));
  const authenticate = makeAuthenticate(state, secrets);
  const management = makeManagement(state, authenticate);
  return {
    token: Effect.fnUntraced(function* (exchange: Exchange) {
      const { facts, headers } = exchange;
      const form = yield* readForm(exchange, TOKEN_FORM);
      facts.grantType = form.get("grant_type");
      facts.sendsSecret = form.has("client_secret") || facts.sendsSecret;
      facts.client ??= clients.byId(form.get("client_id") ?? "")?.clientId;
      const client = yield* authenticate(headers["authorization"], form);
      facts.client = client.clientId;
      const granted = tokenGrants.grant({ client, form, facts });
      if (typeof granted === "string") return yield* refuse(granted);
      facts.account = granted.username;
      facts.scopes = granted.scope.split(" ");
      return Response.jsonUnsafe(granted, { headers: NO_STORE });
    }),

    revoke: Effect.fnUntraced(function* (exchange: Exchange) {
      const { subject } = yield* management(exchange, "oauth:revoke");
      // An unknown token counts as revoked (RFC 7009 §2.2).
      if (subject !== undefined) store.transact(() => grants.revoke(subject.token));
      return Response.empty({ status: 200, headers: NO_STORE });
    }),

    /** Refuses a method other than POST, but answers OPTIONS. */
    wrongMethod: ({ method }: Exchange) =>
      method === "OPTIONS"
        ? Effect.succeed(Response.empty({ status: 204, headers: POST_ALONE }))
        : refuse("MethodNotAllowed", POST_ALONE),

    introspect: Effect.fnUntraced(function* (exchange: Exchange) {
      const { bearer, subject } = yield* management(exchange, "oauth:introspect");
      yield* scans.check(bearer.clientId);
      const isActive = subject !== undefined && grants.isLive(subject.token);
      if (!isActive) scans.failed(bearer.clientId);
      const body = isActive ? introspection(state, subject) : { active: false };
      return Response.jsonUnsafe(body, { headers: NO_STORE });
    }),
  };
};

interface Subject {
  readonly token: Token;
  readonly grant: Grant;
}

/** Makes the function that reads the bearer and the token of a revocation or introspection. */
const makeManagement = (
  { grants }: SandboxState,
  authenticate: ReturnType<typeof makeAuthenticate>,
) => {
  /**
   * Returns the token if the bearer may see it. A bearer sees the tokens of its own client, and if
   * a user consented to the bearer, only the tokens of this user.
   */
  const visible = (bearer: Identity, hash: string): Subject | undefined => {
    const token = grants.token(hash);
    const grant = token && grants.grant(token.grantId);
    const maySee =
      grant?.clientId === bearer.clientId &&
      (bearer.grantType === "client_credentials" || grant.sub === bearer.sub);
    return maySee ? { token: token!, grant } : undefined;
  };
  return Effect.fnUntraced(function* (exchange: Exchange, scope: string) {
    const { identity: bearer, isBearer } = exchange.credentials;
    if (!isBearer) return yield* refuse("BearerMissing", { "www-authenticate": "Bearer" });
    if (bearer === undefined)
      return yield* refuse("BearerInvalid", { "www-authenticate": INVALID_TOKEN });
    if (!bearer.scopes.includes(scope))
      return yield* refuse("ScopeInsufficient", {
        "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"`,
      });
    const form = yield* readForm(exchange, MANAGEMENT_FORM);
    if (form.has("access_token")) return yield* refuse("MultipleCredentials");
    if ((form.get("client_id") ?? bearer.clientId) !== bearer.clientId)
      return yield* refuse("ClientAuthenticationFailed");
    if (form.has("client_secret"))
      yield* authenticate(undefined, new Map([...form, ["client_id", bearer.clientId]]));
    const text = form.get("token");
    if (text === undefined) return yield* refuse("ParameterMissing");
    return { bearer, subject: visible(bearer, grants.hash(text)) };
  });
};

/** Describes an active token (RFC 7662 §2.2). */
const introspection = ({ accounts }: SandboxState, { grant, token }: Subject) => ({
  active: true,
  scope: token.scopes.join(" "),
  client_id: grant.clientId,
  username: accounts.byUuid(grant.sub)?.name ?? "",
  sub: grant.sub,
  ...(token.kind === "access" && { token_type: "bearer" }),
  iat: Math.floor(token.issuedAt / 1000),
  ...(token.expiresAt !== null && { exp: Math.floor(token.expiresAt / 1000) }),
});

const MAX_BODY_BYTES = 16_384;
const FORM = /^application\/x-www-form-urlencoded *(?:; *charset="?utf-8"? *)?$/iu;

/**
 * Reads a form. Each known parameter may occur once, and only in the body. Ignores unknown
 * parameters and empty values (RFC 6749 §3.2).
 */
export const readForm = (
  exchange: Exchange,
  known: ReadonlyArray<string>,
): Effect.Effect<Form["values"], OAuthFailure> => {
  const values = checkForm(exchange, known);
  return typeof values === "string" ? refuse(values) : Effect.succeed(values);
};

const checkForm = (
  { body, headers, query }: Exchange,
  known: ReadonlyArray<string>,
): Form["values"] | OAuthFailureReason => {
  if (!FORM.test(headers["content-type"] ?? "")) return "NotFormEncoded";
  const inUrl = parseForm(query);
  if (inUrl === undefined || known.some((name) => inUrl.values.has(name)))
    return "ParametersInQuery";
  if (body.length > MAX_BODY_BYTES) return "BodyTooLarge";
  const text = utf8Text(body);
  const form = text === undefined ? undefined : parseForm(text);
  if (form === undefined) return "NotFormEncoded";
  return known.some((name) => form.repeated.has(name)) ? "ParameterRepeated" : form.values;
};
