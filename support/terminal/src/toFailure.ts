/**
 * Converts every typed error of the packages to a failure with a code, an exit code and a next
 * step.
 *
 * The tables are records over the packages' closed unions: an error that a package adds does not
 * compile until it is here.
 */
import type { GameApiError } from "@game-data/api-client";
import type { OAuthError } from "@game-data/oauth-pkce";
import type {
  DriverMissing,
  ChainBroken,
  HistoryExpired,
  IndexerFailed,
  InvalidStoreUrl,
  RunError,
  SinkError,
  StreamInUse,
  StreamNotFound,
} from "@game-data/stream-follower";
import type { FailureHintsService } from "./FailureHints.ts";
import type { FailureCode } from "./failureCodes.ts";
import { type Failure, failure } from "./Failure.ts";
import { oauthMessage } from "./oauthMessages.ts";
import { Duration } from "effect";

const api: Readonly<Record<GameApiError["_tag"], FailureCode>> = {
  Unauthorized: "not-signed-in",
  Forbidden: "forbidden",
  RateLimited: "rate-limited",
  NotFound: "not-found",
  InvalidRequest: "request-invalid",
  ServerError: "service-failed",
  Timeout: "timed-out",
  TransportError: "unreachable",
  ResponseMalformed: "answer-malformed",
};

const oauth: Readonly<Record<OAuthError["_tag"], FailureCode>> = {
  ConfigurationInvalid: "setting-invalid",
  AccessDenied: "denied",
  AuthorizationFailed: "client-rejected",
  StateMismatch: "sign-in-failed",
  IssuerMismatch: "sign-in-failed",
  CallbackMalformed: "sign-in-failed",
  CodeExpired: "sign-in-failed",
  InvalidGrant: "not-signed-in",
  InvalidClient: "client-rejected",
  InvalidScope: "client-rejected",
  InsufficientScope: "scope-missing",
  RequestRejected: "client-rejected",
  ServerUnavailable: "service-failed",
  UnexpectedRedirect: "answer-malformed",
  OAuthResponseMalformed: "answer-malformed",
  OAuthTransportError: "unreachable",
  ConsentExpired: "not-signed-in",
  NotSignedIn: "not-signed-in",
  TokenStoreFailed: "token-store-failed",
  LoopbackListenFailed: "sign-in-timed-out",
};

/** Errors of following a stream and of reading its store. */
type StreamError =
  | RunError
  | InvalidStoreUrl
  | StreamInUse
  | StreamNotFound
  | DriverMissing
  | HistoryExpired
  | ChainBroken
  | IndexerFailed;

const follower: Readonly<Record<StreamError["_tag"], FailureCode>> = {
  PageUnavailable: "unreachable",
  PageTimeout: "timed-out",
  PageRefused: "not-signed-in",
  ChangeIdRejected: "stream-broken",
  TruncatedBody: "unreachable",
  DecompressError: "answer-malformed",
  PageTooLarge: "stream-broken",
  MalformedPage: "stream-broken",
  ProtocolViolation: "stream-broken",
  HistoryGap: "stream-broken",
  StuckStream: "stream-broken",
  SinkError: "store-failed",
  Fenced: "lease-lost",
  LeaseLost: "lease-lost",
  InvalidStoreUrl: "setting-invalid",
  StreamInUse: "lease-lost",
  StreamNotFound: "nothing-followed",
  DriverMissing: "setting-invalid",
  HistoryExpired: "stream-broken",
  ChainBroken: "stream-broken",
  IndexerFailed: "internal",
};

/** The code depends on the `kind` where a tag has several. */
const streamCode = (error: StreamError): FailureCode => {
  if (error._tag === "PageUnavailable" && error.kind !== "connection") {
    return error.kind === "rateLimited" ? "rate-limited" : "service-failed";
  }
  if (error._tag === "PageRefused" && error.kind === "forbidden") return "scope-missing";
  if (error._tag === "SinkError" && error.kind === "corrupt") return "store-damaged";
  return follower[error._tag];
};

/** The failure code of each error, by package and tag. */
export const errorTags: Readonly<Record<string, Readonly<Record<string, FailureCode>>>> = {
  "@game-data/api-client": api,
  "@game-data/rate-limit": { LimiterStoreError: "unreachable", RequestNotSent: "rate-limited" },
  "@game-data/oauth-pkce": oauth,
  "@game-data/stream-follower": { ...follower, HealthServerFailed: "setting-invalid" },
  "@game-data/tree-link": { TreeLinkError: "bad-link", TreeLinkUrlError: "bad-link" },
  "@game-data/sandbox": {
    SandboxStartError: "setting-invalid",
    RegistrationRejected: "setting-invalid",
    RatePolicyInvalid: "setting-invalid",
    UnknownClient: "setting-invalid",
    ProgramNotStarted: "no-such-command",
    TokenMissing: "not-signed-in",
    TokenInvalid: "not-signed-in",
  },
};

/** An error of the packages. */
export type PackageError = GameApiError | OAuthError | StreamError;

/** Converts an error of the packages. */
export const toFailure = (error: PackageError, hints: FailureHintsService = {}): Failure => {
  if (isApiError(error)) return fromApi(error, hints);
  const details = { tag: error._tag };
  if (isOAuthError(error)) return failure(oauth[error._tag], oauthMessage(error), { details });
  const next = streamNext(error);
  return failure(streamCode(error), error.message, {
    details,
    ...(next !== undefined && { next }),
  });
};

/**
 * Converts an error of a package that is not imported here, such as the sandbox, by its tag. `next`
 * replaces the next step of the code.
 */
export const fromTag = (
  from: keyof typeof errorTags,
  { _tag: tag, message }: { readonly _tag: string; readonly message: string },
  next?: string,
): Failure =>
  failure(errorTags[from]?.[tag] ?? "internal", `${message.replace(/^the /u, "The ")}.`, {
    details: { tag },
    ...(next !== undefined && { next }),
  });

const NEXT_STORE = "use sqlite:FILE, postgres://user:password@host/database or nats://host/PREFIX";

/** The next step, where the error knows a better one than its code. */
const streamNext = (error: StreamError): string | undefined => {
  if (error._tag === "InvalidStoreUrl") return NEXT_STORE;
  if (error._tag === "ChangeIdRejected") return NEXT_REJECTED;
  if (error._tag === "DriverMissing") return error.install;
  if (error._tag === "IndexerFailed") return NEXT_INDEXER;
  return error._tag === "SinkError" ? NEXT_SINK[error.kind] : undefined;
};

const NEXT_REJECTED =
  "follow again with --on-rejected restart to begin anew, or with --jump ID --yes to leave history out";

const NEXT_INDEXER =
  "update gamedata, or build the tables again: gamedata stream rebuild --store ADDRESS; the pages are safe";

/** Committed pages are safe only where the store itself is sound. */
const NEXT_SINK: Readonly<Partial<Record<SinkError["kind"], string>>> = {
  diskFull: "free disk space; committed pages are safe, and following resumes after them",
  incompatible: "use the version of the program that wrote it, or another store",
  replaced: "the file was deleted or replaced while it was followed: start again",
  corrupt: "the store is damaged: restore it from a copy, or follow into a new one",
  internal: "see the message: a missing permission, or a defect of this program",
};

// Three tags occur in two packages; only the client's errors know their operation.
const isApiError = (error: PackageError): error is GameApiError =>
  "operation" in error && "route" in error;

const isOAuthError = (error: OAuthError | StreamError): error is OAuthError => error._tag in oauth;

const fromApi = (error: GameApiError, { unauthorized: next }: FailureHintsService): Failure => {
  const { _tag: tag, code, message, operation, policy, requestId, status } = error;
  const known = { tag, operation, status, code, policy, requestId };
  const details = Object.fromEntries(
    Object.entries(known).filter(([, value]) => value !== undefined),
  );
  switch (tag) {
    case "Unauthorized":
      return failure("not-signed-in", message, { details, ...(next !== undefined && { next }) });
    case "Forbidden":
      return error.kind === "firewall"
        ? failure("forbidden", message, {
            details: { ...details, retryAt: isoOf(error.retryAfter) },
            next: "wait before the next request: a firewall blocks this client, and more requests prolong the block",
          })
        : error.kind === "scope"
          ? failure("scope-missing", message, {
              details: { ...details, scopesMissing: error.scopesMissing },
              next: nextForScopes(error.scopesMissing),
            })
          : failure("forbidden", message, {
              details: { ...details, scopesNeeded: error.scopesNeeded },
            });
    case "RateLimited":
      return failure("rate-limited", message, {
        details: { ...details, retryAt: isoOf(error.retryAfter) },
      });
    default:
      return failure(api[tag], message, { details });
  }
};

const isoOf = (wait: Duration.Duration | undefined) =>
  wait && new Date(Date.now() + Duration.toMillis(wait)).toISOString();

/** Users grant account:* and oauth:*; only clients with a secret get service:* (§5). */
const nextForScopes = (scopes: ReadonlyArray<string>): string =>
  scopes.some((scope) => scope.startsWith("service:"))
    ? "service:* scopes need a client with a secret: set GAME_DATA_CLIENT_ID and GAME_DATA_CLIENT_SECRET"
    : `sign in for it: gamedata login ${scopes.map((scope) => `--scope ${scope}`).join(" ")}`;
