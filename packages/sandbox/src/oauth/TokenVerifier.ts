/**
 * From the `Authorization` header of a request to the identity behind its token.
 *
 * Data endpoints, rate policies and the journal all ask here. An answer is worth only the moment: a
 * token may be revoked or expire before the next request (§3).
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Schema from "effect/Schema";
import { Accounts } from "../clients/Accounts.ts";
import type { ClientKind, GrantType } from "../clients/Registration.ts";
import { SandboxClock } from "../clock/SandboxClock.ts";
import { sha256 } from "../internal/crypto.ts";
import { Store } from "../store/Store.ts";
import { OAUTH_SCHEMA } from "./tables.ts";

/** Who stands behind a valid access token. */
export interface Identity {
  /** Grant that the token belongs to: one consent, or one use of client credentials. */
  readonly grantId: string;
  /** Hash of the token: an identifier of it that is no secret. */
  readonly tokenHash: string;
  /** Application that holds the token. */
  readonly clientId: string;
  /** Whether that application can keep a secret. */
  readonly kind: ClientKind;
  /**
   * How the token came to be; under `client_credentials` the identity is the application's owner
   * (§5).
   */
  readonly grantType: Exclude<GrantType, "refresh_token">;
  /** UUID of the account. */
  readonly sub: string;
  /** Name of the account. */
  readonly username: string;
  /** Scopes of this token. */
  readonly scopes: ReadonlyArray<string>;
}

/** The request carries no token at all: 401 with a bare challenge (RFC 6750 §3.1). */
export class TokenMissing extends Schema.TaggedError<TokenMissing>()("TokenMissing", {}) {
  override get message() {
    return "The request carries no bearer token.";
  }
}

/** The request's token is malformed, unknown, expired or revoked: 401 (§7). */
export class TokenInvalid extends Schema.TaggedError<TokenInvalid>()("TokenInvalid", {}) {
  override get message() {
    return "The access token is malformed, unknown, expired or revoked.";
  }
}

/** Why a request has no identity. */
export type TokenFailure = TokenMissing | TokenInvalid;

/** The reader of bearer tokens. */
export class TokenVerifier extends Context.Service<
  TokenVerifier,
  {
    /** The identity behind an `Authorization` header, or why there is none. */
    verify(authorization: string | undefined): Effect.Effect<Identity, TokenFailure>;
    /** The identity behind an `Authorization` header, or undefined: for rates and the journal. */
    identify(authorization: string | undefined): Identity | undefined;
    /** The identity behind a token. */
    byToken(token: string): Identity | undefined;
  }
>()("@game-data/sandbox/TokenVerifier") {
  /** Reads the tokens in the store. */
  static readonly layer: Layer.Layer<TokenVerifier, never, Store | SandboxClock | Accounts> =
    Layer.effect(
      TokenVerifier,
      Effect.gen(function* () {
        const store = yield* Store;
        const clock = yield* SandboxClock;
        const accounts = yield* Accounts;
        store.define(OAUTH_SCHEMA);

        const byToken = (token: string): Identity | undefined => {
          const hash = sha256(token);
          const row = store.prepare(LOOKUP).get(hash, clock.nowUnsafe());
          if (row === undefined) return undefined;
          const sub = String(row["sub"]);
          return {
            grantId: String(row["grant_id"]),
            tokenHash: hash,
            clientId: String(row["client_id"]),
            kind: row["kind"] as ClientKind,
            grantType: row["grant_type"] as Identity["grantType"],
            sub,
            username: accounts.byUuid(sub)?.name ?? "",
            scopes: String(row["scopes"]).split(" ").filter(Boolean),
          };
        };
        const identify = (authorization: string | undefined): Identity | undefined => {
          const token = bearerToken(authorization);
          return token === undefined ? undefined : byToken(token);
        };

        return TokenVerifier.of({
          byToken,
          identify,
          verify: (authorization) => {
            if (!isBearer(authorization)) return Effect.fail(new TokenMissing());
            const identity = identify(authorization);
            return identity === undefined
              ? Effect.fail(new TokenInvalid())
              : Effect.succeed(identity);
          },
        });
      }),
    );
}

/** A live token and its grant and client. */
const LOOKUP = `
  SELECT t.grant_id, t.scopes, g.client_id, g.sub, g.grant_type, c.kind
  FROM oauth_access_tokens t
  JOIN oauth_grants g ON g.id = t.grant_id
  JOIN oauth_clients c ON c.client_id = g.client_id
  WHERE t.hash = ? AND t.revoked_at IS NULL AND g.revoked_at IS NULL
    AND (t.expires_at IS NULL OR t.expires_at > ?)`;

/**
 * Whether a header asks for the bearer scheme, in whatever case (RFC 6750 §2.1, RFC 9110 §11.1).
 */
export const isBearer = (authorization: string | undefined): boolean =>
  authorization !== undefined && /^bearer(?: |$)/iu.test(authorization);

/** The token of a bearer header, if it is one and well formed (b64token, RFC 6750 §2.1). */
const bearerToken = (authorization: string | undefined): string | undefined =>
  /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/iu.exec(authorization ?? "")?.[1];
