/** A request to the token endpoint and the reading of its response (RFC 6749 §5.1; C15, C16). */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { RequestError } from "../Errors.ts";
import type { OAuthClient } from "../OAuthClient.ts";
import { withoutRefreshToken, type TokenSet } from "../TokenSet.ts";
import { malformed, parseSuccess } from "./parseResponse.ts";
import { TOKEN } from "./endpoints.ts";
import { post, type Form } from "./request.ts";
import { learnSkew } from "./serverClock.ts";

/** Members that a set inherits from the consent, or from the set before it. */
export type ConsentState = Pick<TokenSet, "scopes"> & Partial<TokenSet>;

/** Requests tokens; what the response leaves out is inherited. */
export const requestTokens = /*#__PURE__*/ Effect.fnUntraced(function* (
  client: OAuthClient,
  form: Form,
  inherited: ConsentState,
): Effect.fn.Return<TokenSet, RequestError> {
  // Before the request: a token then never seems to live longer than it does.
  const sentAt = yield* Clock.currentTimeMillis;
  const response = yield* post(client, TOKEN, form);
  const receivedAt = yield* Clock.currentTimeMillis;
  const clockSkew = learnSkew(client, response.headers["date"], { sentAt, receivedAt });
  const issuedAt = sentAt + clockSkew;
  const body = yield* parseSuccess(response, undefined, grantOf(form));
  const { access_token: access, token_type: type, scope, username, sub } = body;
  const expiresAt = readExpiry(body["expires_in"], issuedAt);
  // null and "" count as absent.
  const refresh = body["refresh_token"];
  if (!isToken(access)) return yield* malformed(response, "access_token");
  if (!isToken(type) || !/^bearer$/i.test(type)) return yield* malformed(response, "token_type");
  if (expiresAt === undefined) return yield* malformed(response, "expires_in");
  if (typeof (scope ?? "") !== "string") return yield* malformed(response, "scope");
  if (refresh && !isToken(refresh)) return yield* malformed(response, "refresh_token");
  const { clockSkew: _, ...rest } = inherited;
  const tokens: TokenSet = {
    ...rest,
    accessToken: Redacted.make(access),
    expiresAt,
    issuedAt,
    ...(clockSkew !== 0 && { clockSkew }),
    ...(typeof scope === "string" && { scopes: splitScope(scope) }),
    ...(isToken(refresh) && { refreshToken: Redacted.make(refresh) }),
    ...(typeof username === "string" && { username }),
    ...(typeof sub === "string" && { sub }),
  };
  return tokens.refreshToken ? tokens : withoutRefreshToken(tokens);
});

const grantOf = ({ grant_type: grant }: Form) =>
  grant === "authorization_code" || grant === "refresh_token" ? grant : undefined;

/** The words of a space-separated list. */
export const splitScope = (list: string): ReadonlyArray<string> => list.split(" ").filter(Boolean);

/**
 * RFC 6749 Appendix A.12 and A.17: one or more visible characters or spaces. CR and LF would split
 * a header.
 */
export const isToken = (value: unknown): value is string =>
  typeof value === "string" && /^[\x20-\x7e]+$/.test(value);

const readExpiry = (value: unknown, issuedAt: number): TokenSet["expiresAt"] | undefined => {
  if (value === null) return "never";
  if (value === undefined) return "unknown";
  const seconds = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  // A hundred years: longer than any sensible lifetime, and still an exact date.
  return typeof seconds === "number" && seconds >= 0 && seconds <= 3_155_760_000
    ? issuedAt + Math.floor(seconds * 1000)
    : undefined;
};
