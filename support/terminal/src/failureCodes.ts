/**
 * The failure codes: exit code, meaning and next step of each, and the errors of the packages that
 * become it. `explain CODE` prints them.
 *
 * A code is stable once released. The failure's message says what happened in the case at hand.
 */
import { ExitCode } from "./ExitCode.ts";

/** Documentation of a code. */
export interface FailureCodeInfo {
  /** The exit code of the process. */
  readonly exitCode: ExitCode;
  /** Meaning of the code, in a sentence or two. */
  readonly meaning: string;
  /** The next step for the user. */
  readonly next?: string;
}

/** A row of the table. Behind the next step stand the tags of the errors that have the code. */
const row = <const Tags extends string = never>(
  exit: keyof typeof ExitCode,
  meaning: string,
  next?: string,
  tags?: Tags,
): FailureCodeInfo & { readonly [TAGS]: Tags | undefined } => ({
  exitCode: ExitCode[exit],
  meaning,
  ...(next !== undefined && { next }),
  [TAGS]: tags,
});

/** Not a name, so that a code as JSON has none of it. */
const TAGS = Symbol("tags");

type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

const codes = {
  usage: row("usage", "The command line is invalid.", "repeat with --help to see the options"),
  "unknown-code": row(
    "usage",
    "No failure code or error has this name.",
    "list them with: gamedata explain",
  ),
  "unknown-kind": row(
    "usage",
    "No record, response body or endpoint has this name.",
    "list them with: gamedata schemas kinds",
  ),
  "bad-jq": row(
    "usage",
    "The program of --jq or the text of --template failed; the message is jq's.",
    "see https://jqlang.org/manual; try the program on the output of --json",
  ),
  "bad-link": row(
    "badData",
    "The text is not a valid passive-tree link. The details name the rule, the offset and the field.",
    "copy the whole link again",
    "TreeLinkError TreeLinkUrlError",
  ),
  "conversion-loses": row(
    "badData",
    "The target version of the link cannot hold some of its data.",
    "repeat with --accept-loss to convert it without that data",
  ),
  "bad-json": row(
    "badData",
    "The input is not JSON.",
    "check the file, or the output of the program before the pipe",
  ),
  "record-invalid": row(
    "badData",
    "The value does not decode as the record. stdout lists the fields.",
    undefined,
    "RecordError",
  ),
  "request-invalid": row(
    "badData",
    "The service, or the client before sending, rejected the request.",
    "correct the parameter that the message names",
    "InvalidRequest ControlRejected ParameterInvalid",
  ),
  "no-such-file": row("notFound", "The file does not exist."),
  "no-such-command": row(
    "notFound",
    "The program to run was not found.",
    "check its name and the PATH",
    "ProgramNotStarted",
  ),
  "not-found": row(
    "notFound",
    "The league, match, character, stash or filter does not exist, or belongs to another account.",
    "list yours with: gamedata leagues --mine, characters, stash list LEAGUE, filters list",
    "NotFound",
  ),
  "nothing-followed": row(
    "notFound",
    "The store does not contain this stream.",
    "fill it with: gamedata stream follow --store …",
    "StreamNotFound",
  ),
  unreachable: row(
    "unavailable",
    "The connection failed, or the response was cut off.",
    "check the addresses and the network with: gamedata doctor",
    "TransportError OAuthTransportError PageUnavailable TruncatedBody LimiterStoreError SandboxClosed SendError StoreError",
  ),
  "timed-out": row(
    "unavailable",
    "No response arrived in time.",
    "try again later",
    "Timeout PageTimeout ProgramEnded",
  ),
  "service-failed": row(
    "unavailable",
    "The service reported an error of its own (HTTP 5xx).",
    "try again later",
    "ServerError ServerUnavailable",
  ),
  "sign-in-timed-out": row(
    "unavailable",
    "The browser did not return, or this machine could not listen for it.",
    "repeat gamedata login; if no browser can reach this machine, paste the address that the browser ends at",
    "LoopbackListenFailed",
  ),
  internal: row(
    "internal",
    "A bug in this program.",
    "please report it with the command line",
    "IndexerFailed",
  ),
  "unreadable-file": row("io", "The file could not be read."),
  "unwritable-file": row(
    "io",
    "The file could not be written.",
    "check the folder, its permissions and the disk",
  ),
  "token-store-failed": row(
    "io",
    "The token store cannot be read, written or locked.",
    "make the folder yours and private (gamedata doctor names it), or set GAME_DATA_TOKENS to another one; with the setting keychain: unlock the keychain and install @napi-rs/keyring beside gamedata",
    "TokenStoreFailed",
  ),
  "store-failed": row(
    "io",
    "The store of the stream failed: unreachable, full, or of a newer version.",
    "check the address and the disk",
    "SinkError",
  ),
  "store-damaged": row(
    "internal",
    "The store of the stream is damaged, or is not a store of this program.",
    "check the store: gamedata stream verify --store ADDRESS",
  ),
  "log-damaged": row(
    "notWhole",
    "A check of the stream's store found damage; the report names each place.",
    "restore the store from a copy, or follow into a new one",
  ),
  "lease-lost": row(
    "rateLimited",
    "Another process follows the same stream into the same store.",
    "let it work, or stop it first",
    "Fenced LeaseLost StreamInUse",
  ),
  "rate-limited": row(
    "rateLimited",
    "A rate limit is in force.",
    "try again at the time in the message; see the limits with: gamedata limits",
    "RateLimited RequestNotSent RequestNotSentError",
  ),
  "answer-malformed": row(
    "protocol",
    "The response does not have the documented shape.",
    "check the addresses; if they are right, report it to the service's operators",
    "ResponseMalformed UnexpectedRedirect OAuthResponseMalformed DecompressError InflateError",
  ),
  "not-conforming": row(
    "protocol",
    "The service deviates from the contract. stdout lists the endpoints and the places.",
    "report it to the service's operators; clients of these packages tolerate most deviations",
    "VerificationFailed",
  ),
  "stream-broken": row(
    "protocol",
    "The stream violated its protocol, or contained a page that cannot be applied.",
    "committed pages are safe; read the message before following on",
    "ChangeIdRejected PageTooLarge MalformedPage ProtocolViolation HistoryGap StuckStream HistoryExpired ChainBroken",
  ),
  "not-signed-in": row(
    "notPermitted",
    "Nobody is signed in, or the sign-in has expired.",
    "sign in with: gamedata login",
    "Unauthorized InvalidGrant ConsentExpired NotSignedIn PageRefused",
  ),
  denied: row(
    "notPermitted",
    "Consent was denied on the consent page.",
    "repeat gamedata login when you want to consent",
    "AccessDenied",
  ),
  "sign-in-failed": row(
    "notPermitted",
    "The sign-in did not return a valid code.",
    "repeat gamedata login",
    "StateMismatch IssuerMismatch CallbackMalformed CodeExpired",
  ),
  "scope-missing": row(
    "notPermitted",
    "The token lacks a scope that the command needs.",
    "sign in for it: gamedata login --scope …; service:* scopes need a client with a secret",
    "InsufficientScope",
  ),
  forbidden: row(
    "notPermitted",
    "The token is valid but does not permit this request.",
    "see whose token it is with: gamedata whoami",
    "Forbidden",
  ),
  "setting-missing": row(
    "configuration",
    "A required setting is not given as a flag, in the environment or in the configuration file.",
    "see where settings come from with: gamedata doctor",
  ),
  "setting-invalid": row(
    "configuration",
    "A setting has an invalid value.",
    "see where settings come from with: gamedata doctor",
    "ConfigurationInvalid InvalidStoreUrl DriverMissing HealthServerFailed SandboxStartError RegistrationRejected RatePolicyInvalid UnknownClient WordsInvalid ConfigurationInvalidError",
  ),
  "client-rejected": row(
    "configuration",
    "The OAuth server rejected the client, its secret, its scopes or its redirect URI.",
    "compare client id, secret, scopes and redirect URI with the registration",
    "AuthorizationFailed InvalidClient InvalidScope RequestRejected",
  ),
  "no-user-needed": row(
    "configuration",
    "A client with a secret signs in by itself, as the application.",
    "run the command that you want; to sign in as a user, configure a public client",
  ),
};

/** One of the codes. */
export type FailureCode = keyof typeof codes;

/** All codes. */
export const failureCodes: Readonly<Record<FailureCode, FailureCodeInfo>> = codes;

/** The tags of the errors that have a code. A tag belongs to one class in all packages. */
export type ErrorTag = Words<NonNullable<(typeof codes)[FailureCode][typeof TAGS]>>;

/** The code of each error, by its tag. */
export const errorTags: Readonly<Record<string, FailureCode>> = Object.fromEntries(
  Object.entries(codes).flatMap(([code, { [TAGS]: tags = "" }]) =>
    tags
      .split(" ")
      .filter(Boolean)
      .map((tag) => [tag, code as FailureCode]),
  ),
);
