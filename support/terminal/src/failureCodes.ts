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

/** Meaning, next step, and the tags of the errors that have the code. */
type Row = readonly [meaning: string, next?: string | undefined, tags?: string];

/** The codes of each exit code. */
const table = {
  usage: {
    usage: ["The command line is invalid.", "repeat with --help to see the options"],
    "unknown-code": ["No failure code or error has this name.", "list them with: gamedata explain"],
    "unknown-kind": [
      "No record, response body or endpoint has this name.",
      "list them with: gamedata schemas kinds",
    ],
    "bad-jq": [
      "The program of --jq or the text of --template failed; the message is jq's.",
      "see https://jqlang.org/manual; try the program on the output of --json",
    ],
  },
  badData: {
    "bad-link": [
      "The text is not a valid passive-tree link. The details name the rule, the offset and the field.",
      "copy the whole link again",
      "TreeLinkError TreeLinkUrlError",
    ],
    "conversion-loses": [
      "The target version of the link cannot hold some of its data.",
      "repeat with --accept-loss to convert it without that data",
    ],
    "bad-json": [
      "The input is not JSON.",
      "check the file, or the output of the program before the pipe",
    ],
    "record-invalid": [
      "The value does not decode as the record. stdout lists the fields.",
      undefined,
      "RecordError",
    ],
    "request-invalid": [
      "The service, or the client before sending, rejected the request.",
      "correct the parameter that the message names",
      "InvalidRequest ControlRejected ParameterInvalid",
    ],
  },
  notFound: {
    "no-such-file": ["The file does not exist."],
    "no-such-command": [
      "The program to run was not found.",
      "check its name and the PATH",
      "ProgramNotStarted",
    ],
    "not-found": [
      "The league, match, character, stash or filter does not exist, or belongs to another account.",
      "list yours with: gamedata leagues --mine, characters, stash list LEAGUE, filters list",
      "NotFound",
    ],
    "nothing-followed": [
      "The store does not contain this stream.",
      "fill it with: gamedata stream follow --store …",
      "StreamNotFound",
    ],
  },
  unavailable: {
    unreachable: [
      "The connection failed, or the response was cut off.",
      "check the addresses and the network with: gamedata doctor",
      "TransportError OAuthTransportError PageUnavailable TruncatedBody LimiterStoreError SandboxClosed SendError StoreError",
    ],
    "timed-out": [
      "No response arrived in time.",
      "try again later",
      "Timeout PageTimeout ProgramEnded",
    ],
    "service-failed": [
      "The service reported an error of its own (HTTP 5xx).",
      "try again later",
      "ServerError ServerUnavailable",
    ],
    "sign-in-timed-out": [
      "The browser did not return, or this machine could not listen for it.",
      "repeat gamedata login; if no browser can reach this machine, paste the address that the browser ends at",
      "LoopbackListenFailed",
    ],
  },
  internal: {
    internal: ["A bug in this program.", "please report it with the command line", "IndexerFailed"],
    "store-damaged": [
      "The store of the stream is damaged, or is not a store of this program.",
      "check the store: gamedata stream verify --store ADDRESS",
    ],
  },
  io: {
    "unreadable-file": ["The file could not be read."],
    "unwritable-file": [
      "The file could not be written.",
      "check the folder, its permissions and the disk",
    ],
    "token-store-failed": [
      "The token store cannot be read, written or locked.",
      "make the folder yours and private (gamedata doctor names it), or set GAME_DATA_TOKENS to another one; with the setting keychain: unlock the keychain and install @napi-rs/keyring beside gamedata",
      "TokenStoreFailed",
    ],
    "store-failed": [
      "The store of the stream failed: unreachable, full, or of a newer version.",
      "check the address and the disk",
      "SinkError",
    ],
  },
  notWhole: {
    "log-damaged": [
      "A check of the stream's store found damage; the report names each place.",
      "restore the store from a copy, or follow into a new one",
    ],
  },
  rateLimited: {
    "lease-lost": [
      "Another process follows the same stream into the same store.",
      "let it work, or stop it first",
      "Fenced LeaseLost StreamInUse",
    ],
    "rate-limited": [
      "A rate limit is in force.",
      "try again at the time in the message; see the limits with: gamedata limits",
      "RateLimited RequestNotSent RequestNotSentError",
    ],
  },
  protocol: {
    "answer-malformed": [
      "The response does not have the documented shape.",
      "check the addresses; if they are right, report it to the service's operators",
      "ResponseMalformed UnexpectedRedirect OAuthResponseMalformed DecompressError InflateError",
    ],
    "not-conforming": [
      "The service deviates from the contract. stdout lists the endpoints and the places.",
      "report it to the service's operators; clients of these packages tolerate most deviations",
      "VerificationFailed",
    ],
    "stream-broken": [
      "The stream violated its protocol, or contained a page that cannot be applied.",
      "committed pages are safe; read the message before following on",
      "ChangeIdRejected PageTooLarge MalformedPage ProtocolViolation HistoryGap StuckStream HistoryExpired ChainBroken",
    ],
  },
  notPermitted: {
    "not-signed-in": [
      "Nobody is signed in, or the sign-in has expired.",
      "sign in with: gamedata login",
      "Unauthorized InvalidGrant ConsentExpired NotSignedIn PageRefused",
    ],
    denied: [
      "Consent was denied on the consent page.",
      "repeat gamedata login when you want to consent",
      "AccessDenied",
    ],
    "sign-in-failed": [
      "The sign-in did not return a valid code.",
      "repeat gamedata login",
      "StateMismatch IssuerMismatch CallbackMalformed CodeExpired",
    ],
    "scope-missing": [
      "The token lacks a scope that the command needs.",
      "sign in for it: gamedata login --scope …; service:* scopes need a client with a secret",
      "InsufficientScope",
    ],
    forbidden: [
      "The token is valid but does not permit this request.",
      "see whose token it is with: gamedata whoami",
      "Forbidden",
    ],
  },
  configuration: {
    "setting-missing": [
      "A required setting is not given as a flag, in the environment or in the configuration file.",
      "see where settings come from with: gamedata doctor",
    ],
    "setting-invalid": [
      "A setting has an invalid value.",
      "see where settings come from with: gamedata doctor",
      "ConfigurationInvalid InvalidStoreUrl DriverMissing HealthServerFailed SandboxStartError RegistrationRejected RatePolicyInvalid UnknownClient WordsInvalid ConfigurationInvalidError",
    ],
    "client-rejected": [
      "The OAuth server rejected the client, its secret, its scopes or its redirect URI.",
      "compare client id, secret, scopes and redirect URI with the registration",
      "AuthorizationFailed InvalidClient InvalidScope RequestRejected",
    ],
    "no-user-needed": [
      "A client with a secret signs in by itself, as the application.",
      "run the command that you want; to sign in as a user, configure a public client",
    ],
  },
} as const satisfies { readonly [Exit in keyof typeof ExitCode]?: Readonly<Record<string, Row>> };

type Members<Of> = Of extends unknown ? Of[keyof Of] : never;
type Names<Of> = Of extends unknown ? keyof Of : never;
type Words<Text> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
type Codes = Members<typeof table>;

/** One of the codes. */
export type FailureCode = Names<Codes>;

/** The tags of the errors that have a code. A tag belongs to one class in all packages. */
export type ErrorTag = Words<Extract<Members<Codes>, readonly [unknown, unknown, string]>[2]>;

const infos: Record<string, FailureCodeInfo> = {};
const tagCodes: Record<string, FailureCode> = {};
for (const [exit, rows] of Object.entries<Readonly<Record<string, Row>>>(table)) {
  const exitCode = ExitCode[exit as keyof typeof ExitCode];
  for (const [code, [meaning, next, tags = ""]] of Object.entries(rows)) {
    infos[code] = { exitCode, meaning, ...(next !== undefined && { next }) };
    for (const tag of tags.split(" ").filter(Boolean)) tagCodes[tag] = code as FailureCode;
  }
}

/** All codes. */
export const failureCodes: Readonly<Record<FailureCode, FailureCodeInfo>> = infos as Record<
  FailureCode,
  FailureCodeInfo
>;

/** The code of each error, by its tag. */
export const errorTags: Readonly<Record<string, FailureCode>> = tagCodes;
