/** A request to the token endpoint and the reading of its answer (RFC 6749 §5.1; C15, C16). */
import { Clock, Effect, Redacted } from "effect";
import * as Base64Url from "effect/encoding/Base64Url";
import { WebCrypto } from "effect/crypto/WebCrypto";
import type { RequestError } from "../Errors.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import type { TokenSet } from "../TokenSet.ts";
import { malformed, successBody, type Body } from "./answer.ts";
import { TOKEN } from "./endpoints.ts";
import { post, type Answer, type Form } from "./request.ts";

/** Longer than any sensible lifetime and still an exact date: a hundred years. */
const MAX_EXPIRES_IN = 3_155_760_000;

/** What a set carries over from the consent or the set before it. */
export interface Inherited {
  readonly scopes: ReadonlyArray<string>;
  readonly refreshToken?: Redacted.Redacted;
  /** Absolute, or computed from the moment of the request. */
  readonly consentExpiresAt?: number | ((requestedAt: number) => number);
}

/** Requests tokens and reads them. */
export const requestTokens = /*#__PURE__*/ Effect.fnUntraced(function* (
  client: OAuthClient,
  form: Form,
  inherited: Inherited,
): Effect.fn.Return<TokenSet, RequestError> {
  // Before the request: a token then never seems to live longer than it does.
  const issuedAt = yield* Clock.currentTimeMillis;
  const answer = yield* post(client, TOKEN, form);
  const body = yield* successBody(answer);
  return yield* readTokens(answer, body, issuedAt, inherited);
});

const readTokens = /*#__PURE__*/ Effect.fnUntraced(function* (
  answer: Answer,
  body: Body,
  issuedAt: number,
  inherited: Inherited,
): Effect.fn.Return<TokenSet, RequestError> {
  const { access_token: access, token_type: type, scope, username, sub } = body;
  if (!isToken(access)) return yield* malformed(answer, "access_token");
  if (typeof type !== "string" || !/^bearer$/i.test(type))
    return yield* malformed(answer, "token_type");
  const expiresAt = readExpiry(body["expires_in"], issuedAt);
  if (expiresAt === undefined) return yield* malformed(answer, "expires_in");
  if (scope !== undefined && scope !== null && typeof scope !== "string")
    return yield* malformed(answer, "scope");
  const given = body["refresh_token"] ?? "";
  if (given !== "" && !isToken(given)) return yield* malformed(answer, "refresh_token");
  const refreshToken =
    given === "" ? inherited.refreshToken : Redacted.make(given, { label: "refresh_token" });
  const crypto = yield* WebCrypto;
  return {
    revision: Base64Url.encode(crypto.getRandomValues(new Uint8Array(16))),
    accessToken: Redacted.make(access, { label: "access_token" }),
    expiresAt,
    issuedAt,
    scopes: typeof scope === "string" ? scope.split(" ").filter(Boolean) : inherited.scopes,
    ...(refreshToken !== undefined && { refreshToken, ...consent(inherited, issuedAt) }),
    ...(typeof username === "string" && { username }),
    ...(typeof sub === "string" && { sub }),
  };
});

/** RFC 6749 Appendix A.12 and A.17: one or more visible characters or spaces. CR and LF would split a header. */
const isToken = (value: unknown): value is string =>
  typeof value === "string" && /^[\x20-\x7e]+$/.test(value);

const readExpiry = (value: unknown, issuedAt: number): TokenSet["expiresAt"] | undefined => {
  if (value === null) return "never";
  if (value === undefined) return "unknown";
  const seconds = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === "number" && seconds >= 0 && seconds <= MAX_EXPIRES_IN
    ? issuedAt + Math.floor(seconds * 1000)
    : undefined;
};

const consent = ({ consentExpiresAt: at }: Inherited, issuedAt: number) =>
  at === undefined ? {} : { consentExpiresAt: typeof at === "number" ? at : at(issuedAt) };
