/**
 * Ends a failed command with a message and the next step on stderr, or one line of JSON for
 * programs, and an exit code after sysexits.h. Scripts may rely on `code` and `exitCode`.
 */
import type { GameApiError } from "@game-data/api-client";
import type { OAuthError } from "@game-data/oauth-pkce";
import type * as Streams from "@game-data/stream-follower";
import { Cause, Data, Duration, Effect, Runtime, type Stdio } from "effect";
import { CliError, type CliOutput } from "effect/cli";
import { clean, escapeJson, printMessage } from "./print.ts";

type StreamError =
  | Streams.RunError
  | Streams.ChainBroken
  | Streams.DriverMissing
  | Streams.HealthServerFailed
  | Streams.HistoryExpired
  | Streams.IndexerFailed
  | Streams.InvalidStoreUrl
  | Streams.StreamInUse
  | Streams.StreamNotFound;

/** An error of the packages that a command may end with. */
type PackageError = GameApiError | OAuthError | StreamError;

/** A failure that a command finds itself, or an error of a package with its next step. */
export class Failure extends Data.TaggedError("Failure")<{
  readonly code: Code;
  readonly message: string;
  /** Next step for the user, printed after an arrow. */
  readonly next?: string | undefined;
  /** Facts for scripts, in the JSON form of the failure. */
  readonly details?: Readonly<Record<string, unknown>>;
}> {
  get exitCode(): number {
    // A block by a firewall is no problem of the token, so the exit code is 69 and not 77.
    return this.details?.["reason"] === "firewall" ? 69 : exitCodes.get(this.code)!;
  }
}

/** Fails with exit code 64, because the command line is wrong. */
export const usage = (message: string, next?: string) =>
  Effect.fail(new Failure({ code: "Usage", message, next }));

/** Ends the program with an exit code; its errors are printed already. */
export class Ended extends Data.TaggedError("Ended")<{ readonly exitCode: number }> {
  override readonly [Runtime.errorExitCode] = this.exitCode;
  override readonly [Runtime.errorReported] = false;
}

/** Codes of failures and tags of the packages' errors, by exit code. */
export const EXIT_CODES = {
  1: "LogDamaged",
  64: "Usage",
  65: "BadLink BadJson ConversionLoses RecordInvalid InvalidRequest",
  66: "FileNotFound NotFound StreamNotFound",
  69: `TransportError OAuthTransportError Timeout PageTimeout ServerError ServerUnavailable
    PageUnavailable TruncatedBody LoopbackListenFailed Unreachable`,
  70: "Internal IndexerFailed",
  74: "FileUnreadable FileUnwritable TokenStoreFailed SinkError",
  75: "RateLimited Fenced LeaseLost StreamInUse",
  76: `ResponseMalformed OAuthResponseMalformed UnexpectedRedirect DecompressError ChangeIdRejected
    PageTooLarge MalformedPage ProtocolViolation StuckStream StillQuarantined HistoryExpired ChainBroken`,
  77: `Unauthorized Forbidden PageRefused NotSignedIn InvalidGrant ConsentExpired InsufficientScope
    AccessDenied StateMismatch IssuerMismatch CallbackMalformed CodeExpired`,
  78: `SettingMissing SettingInvalid ConfigurationInvalid InvalidClient InvalidScope RequestRejected
    AuthorizationFailed NoUserNeeded InvalidStoreUrl DriverMissing HealthServerFailed`,
} as const;

type Words<Text extends string> = Text extends `${infer First}${" " | "\n"}${infer Rest}`
  ? First | Words<Rest>
  : Text;
type Code = Exclude<Words<(typeof EXIT_CODES)[keyof typeof EXIT_CODES]>, "">;

const exitCodes: ReadonlyMap<string, number> = new Map(
  Object.entries(EXIT_CODES).flatMap(([exit, codes]) =>
    codes.split(/\s+/u).map((code) => [code, Number(exit)] as const),
  ),
);

const SIGN_IN = "sign in with: gamedata login";
const CHECK_NETWORK = "check the addresses and the network with: gamedata doctor";

/** The next step after an error. `nextStep` has the steps that depend on more than the tag. */
const NEXT: { readonly [Tag in PackageError["_tag"]]?: string } = {
  Unauthorized: SIGN_IN,
  NotSignedIn: SIGN_IN,
  InvalidGrant: SIGN_IN,
  ConsentExpired: SIGN_IN,
  RateLimited: "try again at that time; see the limits with: gamedata limits",
  TransportError: CHECK_NETWORK,
  OAuthTransportError: CHECK_NETWORK,
  LoopbackListenFailed: "repeat gamedata login; or paste the address that the browser ends at",
  TokenStoreFailed: "make the folder private, or set GAME_DATA_TOKENS (see gamedata doctor)",
  ChangeIdRejected:
    "follow again with --on-rejected restart, or move the checkpoint with: gamedata stream checkpoint set",
  StreamNotFound: "fill the store with: gamedata stream follow --store ADDRESS",
  InvalidStoreUrl: "use sqlite:FILE or postgres://user:password@host/database",
  IndexerFailed:
    "the pages are safe; build the tables again: gamedata stream rebuild --store ADDRESS",
  ChainBroken:
    "check the log with: gamedata stream verify; if it was replaced, gamedata stream rebuild, or export to another file",
};

const SINK_NEXT: { readonly [Reason in Streams.SinkErrorReason]?: string } = {
  diskFull: "free disk space; committed pages are safe, and following resumes after them",
  incompatible: "name a store that does not exist yet, or update gamedata if a newer one made it",
  unavailable: "check the address of --store, and that the database runs",
};

const nextStep = (error: PackageError): string | undefined => {
  if (error._tag === "DriverMissing") return error.install;
  if (error._tag === "SinkError") return SINK_NEXT[error.reason];
  if (error._tag === "Forbidden" && error.reason === "firewall")
    return "wait, or use another network; the sign-in is not the cause";
  if (error._tag === "Forbidden" && error.reason === "scope") return scopeStep(error.scopesMissing);
  if (error._tag === "InsufficientScope" && error.scope) return scopeStep(error.scope.split(" "));
  return NEXT[error._tag];
};

/** Says how to get scopes. Users grant account:* and oauth:*; a client's secret service:* (§5). */
const scopeStep = (scopes: ReadonlyArray<string>): string =>
  scopes.some((scope) => scope.startsWith("service:"))
    ? "service:* scopes need a client with a secret: set GAME_DATA_CLIENT_ID and GAME_DATA_CLIENT_SECRET"
    : `sign in for it: gamedata login ${scopes.map((scope) => `--scope ${scope}`).join(" ")}`;

/** Adds the next step to an error of a package. An error without an exit code does not compile. */
export const toFailure = (error: PackageError | Failure): Failure => {
  if (error._tag === "Failure") return error;
  const { _tag: code, message } = error;
  const members: Readonly<Record<string, unknown>> = { ...error };
  const { operation, policy, reason, requestId, scopesMissing, status } = members;
  const retryAfter = error._tag === "RateLimited" ? error.retryAfter : undefined;
  const retryAt = retryAfter && new Date(Date.now() + Duration.toMillis(retryAfter)).toISOString();
  const details = { operation, policy, reason, requestId, scopesMissing, status, retryAt };
  return new Failure({ code, message, next: nextStep(error), details });
};

/** Prints the failure of a program, and ends the program with its exit code. */
export const reported = <A, R>(
  program: Effect.Effect<A, PackageError | Failure | Ended | CliError.CliError, R>,
  isJson: boolean,
) =>
  Effect.catchCause(program, (cause): Effect.Effect<void, Ended, Stdio.Stdio> => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt;
    const error = cause.reasons.find((reason) => reason._tag === "Fail")?.error;
    if (error?._tag === "Ended") return Effect.fail(error);
    // `effect/cli` has already printed the help or the errors. `--help` is not a failure.
    if (error?._tag === "ShowHelp")
      return error.errors.length === 0 ? Effect.void : Effect.fail(new Ended({ exitCode: 64 }));
    const failure =
      error === undefined || CliError.isCliError(error)
        ? new Failure({ code: "Internal", message: Cause.pretty(cause) })
        : toFailure(error);
    return Effect.andThen(
      printFailure(failure, isJson),
      Effect.fail(new Ended({ exitCode: failure.exitCode })),
    );
  });

/** Prints the errors of a command line, with the most similar options or subcommands. */
export const printUsage = (
  { commandPath, errors, helpDoc }: CliOutput.Presenter.InvalidInvocation,
  isJson: boolean,
) => {
  const commands = helpDoc.subcommands?.flatMap((listed) => listed.commands) ?? [];
  const names = commands.map(({ name }) => name);
  const message = errors.map((error) => explainUsage(error, names)).join("\n");
  const next = `see the options with: ${commandPath.join(" ")} --help`;
  return printFailure(new Failure({ code: "Usage", message, next }), isJson);
};

/** Prints a failure on stderr: one line of JSON, with more details, or a sentence and the next step. */
export const printFailure = (failure: Failure, isJson: boolean, more: object = {}) => {
  const { code, details, exitCode, message, next } = failure;
  if (isJson) {
    const error = { ...details, ...more, code, message, exitCode, next };
    return printMessage(escapeJson(JSON.stringify({ error })));
  }
  // The message may quote a service, so its further lines are marked.
  const lines = message.split(/\r?\n/u).map(clean).join("\n  │ ");
  return printMessage(`error: ${lines}${next === undefined ? "" : `\n→ ${clean(next)}`}`);
};

const explainUsage = (error: CliError.CliError, subcommands: ReadonlyArray<string>): string => {
  const [sentence = ""] = error.message.split("\n");
  let near: ReadonlyArray<string> = [];
  if (error._tag === "UnknownSubcommand")
    near = error.suggestions.length > 0 ? error.suggestions : subcommands.slice(0, 8);
  if (error._tag === "UnrecognizedOption")
    near = error.suggestions.filter((name) => isNear(name, error.option));
  return near.length === 0 ? sentence : `${sentence}. Is ${near.join(" or ")} meant?`;
};

/** Accepts a name with over half of the letters. Effect also suggests `--type` for `--nope`. */
const isNear = (name: string, option: string): boolean => {
  const letters = [...option.replaceAll("-", "")];
  return letters.filter((letter) => name.includes(letter)).length * 2 > letters.length;
};
