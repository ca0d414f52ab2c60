/**
 * Converts every typed error of the packages to a failure: one table from the error's tag to its
 * code and its next step. The sentence is the error's own.
 *
 * The table is a record over the packages' closed unions: an error that a package adds does not
 * compile until it is here.
 */
import type { GameApiError } from "@game-data/api-client";
import { helpOf } from "@game-data/contract/failure";
import type { OAuthError } from "@game-data/oauth-pkce";
import type {
  ChainBroken,
  DriverMissing,
  HistoryExpired,
  IndexerFailed,
  InvalidStoreUrl,
  RunError,
  SinkError,
  StreamInUse,
  StreamNotFound,
} from "@game-data/stream-follower";
import { Duration } from "effect";
import { type Failure, failure } from "./Failure.ts";
import type { FailureCode } from "./failureCodes.ts";
import type { FailureHintsService } from "./FailureHints.ts";

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

/** An error of the packages. */
export type PackageError = GameApiError | OAuthError | StreamError;

/** The failure of an error. A next step and a code that depend on its fields replace the row's. */
type Row<E> = readonly [
  code: FailureCode,
  next?: ((error: E) => string | undefined) | undefined,
  codeOf?: (error: E) => FailureCode | undefined,
];

type Table<E extends { readonly _tag: string }> = {
  readonly [Tag in E["_tag"]]: Row<Extract<E, { readonly _tag: Tag }>>;
};

const api: Table<GameApiError> = {
  Unauthorized: ["not-signed-in"],
  Forbidden: [
    "forbidden",
    ({ kind, scopesMissing }) =>
      kind === "scope" ? nextForScopes(scopesMissing) : kind === "firewall" ? BLOCKED : undefined,
    ({ kind }) => (kind === "scope" ? "scope-missing" : undefined),
  ],
  RateLimited: ["rate-limited"],
  NotFound: ["not-found"],
  InvalidRequest: ["request-invalid"],
  ServerError: ["service-failed"],
  Timeout: ["timed-out"],
  TransportError: ["unreachable"],
  ResponseMalformed: ["answer-malformed"],
};

const BLOCKED =
  "wait before the next request: a firewall blocks this client, and more requests prolong the block";

/** Users grant account:* and oauth:*; only clients with a secret get service:* (§5). */
const nextForScopes = (scopes: ReadonlyArray<string>): string =>
  scopes.some((scope) => scope.startsWith("service:"))
    ? "service:* scopes need a client with a secret: set GAME_DATA_CLIENT_ID and GAME_DATA_CLIENT_SECRET"
    : `sign in for it: gamedata login ${scopes.map((scope) => `--scope ${scope}`).join(" ")}`;

const oauth: Table<OAuthError> = {
  ConfigurationInvalid: ["setting-invalid"],
  AccessDenied: ["denied"],
  AuthorizationFailed: ["client-rejected"],
  StateMismatch: ["sign-in-failed"],
  IssuerMismatch: ["sign-in-failed"],
  CallbackMalformed: ["sign-in-failed"],
  CodeExpired: ["sign-in-failed"],
  InvalidGrant: [
    "not-signed-in",
    undefined,
    ({ grant }) => (grant === "authorization_code" ? "sign-in-failed" : undefined),
  ],
  InvalidClient: ["client-rejected"],
  InvalidScope: ["client-rejected"],
  InsufficientScope: ["scope-missing", ({ scope }) => scope && nextForScopes(scope.split(" "))],
  RequestRejected: ["client-rejected"],
  ServerUnavailable: ["service-failed"],
  UnexpectedRedirect: ["answer-malformed"],
  OAuthResponseMalformed: ["answer-malformed"],
  OAuthTransportError: ["unreachable"],
  ConsentExpired: ["not-signed-in"],
  NotSignedIn: ["not-signed-in"],
  TokenStoreFailed: ["token-store-failed"],
  LoopbackListenFailed: ["sign-in-timed-out"],
};

/** Committed pages are safe only where the store itself is sound. */
const NEXT_SINK: Readonly<Partial<Record<SinkError["kind"], string>>> = {
  diskFull: "free disk space; committed pages are safe, and following resumes after them",
  incompatible: "use the version of the program that wrote it, or another store",
  replaced: "the file was deleted or replaced while it was followed: start again",
  corrupt: "the store is damaged: restore it from a copy, or follow into a new one",
  internal: "see the message: a missing permission, or a defect of this program",
};
const NEXT_STORE = "use sqlite:FILE, postgres://user:password@host/database or nats://host/PREFIX";
const NEXT_REJECTED =
  "follow again with --on-rejected restart to begin anew, or with --jump ID --yes to leave history out";
const NEXT_INDEXER =
  "update gamedata, or build the tables again: gamedata stream rebuild --store ADDRESS; the pages are safe";

const follower: Table<StreamError> = {
  PageUnavailable: [
    "unreachable",
    undefined,
    ({ kind }) =>
      kind === "rateLimited"
        ? "rate-limited"
        : kind === "connection"
          ? undefined
          : "service-failed",
  ],
  PageTimeout: ["timed-out"],
  PageRefused: [
    "not-signed-in",
    undefined,
    ({ kind }) => (kind === "forbidden" ? "scope-missing" : undefined),
  ],
  ChangeIdRejected: ["stream-broken", () => NEXT_REJECTED],
  TruncatedBody: ["unreachable"],
  DecompressError: ["answer-malformed"],
  PageTooLarge: ["stream-broken"],
  MalformedPage: ["stream-broken"],
  ProtocolViolation: ["stream-broken"],
  HistoryGap: ["stream-broken"],
  StuckStream: ["stream-broken"],
  SinkError: [
    "store-failed",
    ({ kind }) => NEXT_SINK[kind],
    ({ kind }) => (kind === "corrupt" ? "store-damaged" : undefined),
  ],
  Fenced: ["lease-lost"],
  LeaseLost: ["lease-lost"],
  InvalidStoreUrl: ["setting-invalid", () => NEXT_STORE],
  StreamInUse: ["lease-lost"],
  StreamNotFound: ["nothing-followed"],
  DriverMissing: ["setting-invalid", ({ install }) => install],
  HistoryExpired: ["stream-broken"],
  ChainBroken: ["stream-broken"],
  IndexerFailed: ["internal", () => NEXT_INDEXER],
};

/** Errors of packages that are not imported here, by their tag alone. */
const others: Readonly<Record<string, Row<unknown>>> = {
  LimiterStoreError: ["unreachable"],
  RequestNotSent: ["rate-limited"],
  HealthServerFailed: ["setting-invalid"],
  TreeLinkError: ["bad-link"],
  TreeLinkUrlError: ["bad-link"],
  SandboxStartError: ["setting-invalid"],
  RegistrationRejected: ["setting-invalid"],
  RatePolicyInvalid: ["setting-invalid"],
  UnknownClient: ["setting-invalid"],
  ControlRejected: ["request-invalid"],
  VerificationFailed: ["not-conforming"],
  SandboxClosed: ["unreachable"],
  ProgramNotStarted: ["no-such-command"],
  RecordError: ["record-invalid"],
  ParameterInvalid: ["request-invalid"],
  WordsInvalid: ["setting-invalid"],
  InflateError: ["answer-malformed"],
  SendError: ["unreachable"],
  RequestNotSentError: ["rate-limited"],
  StoreError: ["unreachable"],
  ConfigurationInvalidError: ["setting-invalid"],
  ProgramEnded: ["timed-out"],
};

const rows = { ...api, ...oauth, ...follower, ...others } as Readonly<Record<string, Row<unknown>>>;

/** The failure code of each error, by its tag. A tag belongs to one class in all packages. */
export const errorTags: Readonly<Record<string, FailureCode>> = Object.fromEntries(
  Object.entries(rows).map(([tag, [code]]) => [tag, code]),
);

/** Converts an error of the packages. */
export const toFailure = (error: PackageError, hints: FailureHintsService = {}): Failure => {
  const [code, next, codeOf] = rows[error._tag]!;
  const step = next?.(error) ?? (isOfToken(error) ? hints.unauthorized : undefined);
  return failure(codeOf?.(error) ?? code, sentenceOf(error), {
    details: detailsOf(error),
    ...(step !== undefined && { next: step }),
  });
};

const isOfToken = (error: PackageError): boolean =>
  error._tag === "Unauthorized" || (error._tag === "PageRefused" && error.kind === "unauthorized");

/**
 * The error's own message. That of an OAuth error ends with advice for programs; the failure has a
 * next step for people in its place.
 */
const sentenceOf = ({ _tag: tag, message }: PackageError): string =>
  tag in oauth ? message.replace(/(?<=\.) [^.]*\.$/u, "") : message;

/** Facts for scripts. The fields of other errors stand in their sentence. */
const detailsOf = (error: PackageError): Readonly<Record<string, unknown>> => {
  const { _tag: tag } = error;
  const facts: Record<string, unknown> = { tag, help: helpOf(tag) };
  if ("operation" in error && "route" in error)
    for (const name of FACTS)
      if (name in error) facts[name] = (error as unknown as typeof facts)[name];
  if (tag === "RateLimited" || (tag === "Forbidden" && error.kind === "firewall"))
    facts["retryAt"] = isoOf(error.retryAfter);
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
};

const FACTS = [
  "operation",
  "status",
  "code",
  "policy",
  "requestId",
  "scopesMissing",
  "scopesNeeded",
];

const isoOf = (wait: Duration.Duration | undefined) =>
  wait && new Date(Date.now() + Duration.toMillis(wait)).toISOString();

/**
 * Converts an error of a package that is not imported here, such as the sandbox, by its tag. `next`
 * replaces the next step of the code.
 */
export const fromTag = (
  { _tag: tag, message }: { readonly _tag: string; readonly message: string },
  next?: string,
): Failure =>
  failure(errorTags[tag] ?? "internal", `${message.replace(/^the /u, "The ")}.`, {
    details: { tag, help: helpOf(tag) },
    ...(next !== undefined && { next }),
  });
