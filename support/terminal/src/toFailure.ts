/**
 * Converts every typed error of the packages to a failure: code and next step by the table of
 * `failureCodes`, unless the error's fields say more. The sentence is the error's own.
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
import { type Failure, type FailureHintsService, failure } from "./Failure.ts";
import { type ErrorTag, errorTags, type FailureCode } from "./failureCodes.ts";

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

/** An error that a package adds does not compile without a row in `failureCodes`. */
type Tag = PackageError["_tag"] & ErrorTag;
type Of<Each extends Tag> = Extract<PackageError, { readonly _tag: Each }>;

/** A code that depends on an error's fields, in place of the row's. */
const codeFor: { readonly [Each in Tag]?: (error: Of<Each>) => unknown } = {
  Forbidden: ({ kind }) => kind === "scope" && "scope-missing",
  InvalidGrant: ({ grant }) => grant === "authorization_code" && "sign-in-failed",
  PageUnavailable: ({ kind }) =>
    kind === "rateLimited" ? "rate-limited" : kind !== "connection" && "service-failed",
  PageRefused: ({ kind }) => kind === "forbidden" && "scope-missing",
  SinkError: ({ kind }) => kind === "corrupt" && "store-damaged",
};

/** A next step that depends on an error, in place of the row's. */
const nextFor: { readonly [Each in Tag]?: (error: Of<Each>) => string | undefined } = {
  Forbidden: ({ kind, scopesMissing }) =>
    kind === "scope" ? nextForScopes(scopesMissing) : kind === "firewall" ? BLOCKED : undefined,
  InsufficientScope: ({ scope }) => scope && nextForScopes(scope.split(" ")),
  SinkError: ({ kind }) => NEXT_SINK[kind],
  DriverMissing: ({ install }) => install,
  ChangeIdRejected: () =>
    "follow again with --on-rejected restart to begin anew, or with --jump ID --yes to leave history out",
  InvalidStoreUrl: () =>
    "use sqlite:FILE, postgres://user:password@host/database or nats://host/PREFIX",
  IndexerFailed: () =>
    "update gamedata, or build the tables again: gamedata stream rebuild --store ADDRESS; the pages are safe",
};

const BLOCKED =
  "wait before the next request: a firewall blocks this client, and more requests prolong the block";

/** Users grant account:* and oauth:*; only clients with a secret get service:* (§5). */
const nextForScopes = (scopes: ReadonlyArray<string>): string =>
  scopes.some((scope) => scope.startsWith("service:"))
    ? "service:* scopes need a client with a secret: set GAME_DATA_CLIENT_ID and GAME_DATA_CLIENT_SECRET"
    : `sign in for it: gamedata login ${scopes.map((scope) => `--scope ${scope}`).join(" ")}`;

/** Committed pages are safe only where the store itself is sound. */
const NEXT_SINK: Readonly<Partial<Record<SinkError["kind"], string>>> = {
  diskFull: "free disk space; committed pages are safe, and following resumes after them",
  incompatible: "use the version of the program that wrote it, or another store",
  replaced: "the file was deleted or replaced while it was followed: start again",
  corrupt: "the store is damaged: restore it from a copy, or follow into a new one",
  internal: "see the message: a missing permission, or a defect of this program",
};

/** Converts an error of the packages. */
export const toFailure = (error: PackageError, hints: FailureHintsService = {}): Failure => {
  const tag: ErrorTag = error._tag;
  const codeOf = codeFor[tag] as ((error: PackageError) => FailureCode | false) | undefined;
  const nextOf = nextFor[tag] as ((error: PackageError) => string | undefined) | undefined;
  const step = nextOf?.(error) ?? (isOfToken(error) ? hints.unauthorized : undefined);
  return failure(codeOf?.(error) || errorTags[tag]!, sentenceOf(error), {
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
const sentenceOf = (error: PackageError): string => {
  const { advice } = error as { readonly advice?: string };
  return advice === undefined ? error.message : error.message.replace(` ${advice}.`, "");
};

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
