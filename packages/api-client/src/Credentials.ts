/**
 * Sources of access tokens: a token, a session of `@game-data/oauth-pkce`, or your own source.
 *
 * A source that can renew is called once after a 401. A source that knows its scopes keeps calls
 * without the required ones from being sent.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import * as Effect from "effect/Effect";
import * as Hash from "effect/Hash";
import * as Predicate from "effect/Predicate";
import * as Redacted from "effect/Redacted";

/** Token of a source. If `scopes` is known, a call that needs another scope is not sent. */
export interface AccessToken {
  readonly token: Redacted.Redacted;
  /** The granted scopes; `undefined` if unknown. */
  readonly scopes: ReadonlyArray<string> | undefined;
}

/** Error of a token source. Calls fail with `TransportError` if retryable, or `Unauthorized`. */
export interface CredentialsError {
  /** Whether trying again may help. If not, the user has to sign in again. */
  readonly isRetryable: boolean;
  /** The reason for logs, without secrets. */
  readonly detail: string;
  readonly cause?: unknown;
}

/** Source of access tokens of one user. Implement it for a token store of your own. */
export interface TokenSource {
  /**
   * Distinguishes users for the rate limiter: an account's id, never a token. Calls of one identity
   * share their budgets. Default: every source has an identity of its own.
   */
  readonly identity?: string | undefined;
  /** A token that is valid now, as far as the source knows. */
  readonly current: Effect.Effect<AccessToken, CredentialsError>;
  /** Returns a token other than the refused token. Omit it if the source cannot renew tokens. */
  readonly renew?:
    | ((refused: Redacted.Redacted) => Effect.Effect<AccessToken, CredentialsError>)
    | undefined;
}

type PlainToken =
  | string
  | { readonly token: string; readonly scopes?: ReadonlyArray<string> | undefined }
  | undefined;

/**
 * Returns an access token, with the granted scopes if they are known. The client calls the function
 * for every request, and with the refused token after a 401. A rejection is retried, unless the error
 * has `isRetryable: false`; `undefined` becomes `Unauthorized`. The message of a rejection becomes
 * `detail`, so it must hold no secret.
 */
export type TokenFunction = (refused?: string) => Promise<PlainToken> | PlainToken;

/** The part of a session of `@game-data/oauth-pkce` that a client uses. */
export interface SessionLike {
  /** See `TokenSource.identity`. */
  readonly identity?: string | undefined;
  readonly tokens: Effect.Effect<SessionTokens, unknown>;
  readonly renew: (refused: Redacted.Redacted) => Effect.Effect<unknown, unknown>;
}

/** The part of a session of `@game-data/oauth-pkce/promise` that a client uses. */
export interface PromiseSessionLike {
  /** See `TokenSource.identity`. */
  readonly identity?: string | undefined;
  readonly tokens: () => Promise<SessionTokens>;
  readonly renew: (refused: string) => Promise<unknown>;
}

interface SessionTokens {
  readonly accessToken: Redacted.Redacted;
  /** Empty if the server did not name the granted scopes. */
  readonly scopes: ReadonlyArray<string>;
}

/** Credentials of a user: a token, a function, a token source or a session. */
export type Credentials =
  | string
  | Redacted.Redacted
  | TokenFunction
  | TokenSource
  | SessionLike
  | PromiseSessionLike;

/** Converts credentials of any kind to a token source. Throws `ConfigurationInvalid`. */
export const toTokenSource = (credentials: Credentials): TokenSource => {
  if (typeof credentials === "string") return fixedToken(Redacted.make(credentials));
  if (Redacted.isRedacted(credentials)) return fixedToken(credentials as Redacted.Redacted);
  if (Predicate.isFunction(credentials)) return fromFunction(credentials as TokenFunction);
  const { current, tokens } = Object(credentials) as Partial<TokenSource & SessionLike>;
  if (Effect.isEffect(current)) return credentials as TokenSource;
  if (Effect.isEffect(tokens)) return fromSession(credentials as SessionLike);
  if (Predicate.isFunction(tokens)) return fromPromises(credentials as PromiseSessionLike);
  throw unusable();
};

const unusable = () =>
  new ConfigurationInvalid({
    option: "credentials",
    reason: "must be a token that is not empty, a function, a source or a session",
  });

const fixedToken = (token: Redacted.Redacted): TokenSource => {
  const text: unknown = Redacted.value(token);
  if (typeof text !== "string" || text === "") throw unusable();
  return {
    // The same token has the same identity in every client. One hash of 32 bits would collide for
    // some of 10,000 tokens, so two are joined.
    identity: `token-${Hash.string(text)}-${Hash.string(`${text} `)}`,
    current: Effect.succeed({ token, scopes: undefined }),
  };
};

const fromFunction = (request: TokenFunction): TokenSource => {
  const take = Effect.fnUntraced(function* (refused?: Redacted.Redacted) {
    const answer = yield* promised(() =>
      refused ? request(Redacted.value(refused)) : request(),
    ).pipe(Effect.mapError(sourceError));
    const { scopes, token }: Extract<PlainToken, object> =
      typeof answer === "object" ? Object(answer) : { token: answer ?? "" };
    if (typeof token === "string" && token !== "") return { token: Redacted.make(token), scopes };
    return yield* Effect.fail({ isRetryable: false, detail: "the source has no token" });
  });
  return { current: take(), renew: take };
};

const fromPromises = ({ identity, renew, tokens }: PromiseSessionLike): TokenSource =>
  fromSession({
    identity,
    tokens: promised(tokens),
    renew: (refused) => promised(() => renew(Redacted.value(refused))),
  });

const fromSession = ({ identity, renew, tokens }: SessionLike): TokenSource => {
  const current = Effect.map(tokens, ({ accessToken, scopes }) => ({
    token: accessToken,
    scopes: scopes.length === 0 ? undefined : scopes,
  }));
  return {
    identity,
    current: Effect.mapError(current, sourceError),
    renew: (refused) => Effect.mapError(Effect.andThen(renew(refused), current), sourceError),
  };
};

const promised = <A>(run: () => Promise<A> | A): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: async () => run(), catch: (cause) => cause });

const sourceError = (cause: unknown): CredentialsError => ({
  isRetryable: Object(cause).isRetryable !== false,
  detail: describeCause(cause),
  cause,
});

/** Describes a failure of the connection or of a token source, without a header or a URL. */
export const describeCause = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "the connection broke";
  // `fetch` has its reason in `cause`. Errors with a `_tag` have it in their own message.
  const inner = cause.cause instanceof Error && !("_tag" in cause) ? cause.cause : cause;
  const { code } = inner as { readonly code?: unknown };
  return typeof code === "string" && !inner.message.includes(code)
    ? `${code}: ${inner.message}`
    : inner.message;
};
