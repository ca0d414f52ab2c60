/**
 * The failure codes: exit code, meaning and next step of each. `explain CODE` prints them.
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

const codes = {
  usage: {
    exitCode: ExitCode.usage,
    meaning: "The command line is invalid.",
    next: "repeat with --help to see the options",
  },
  "unknown-code": {
    exitCode: ExitCode.usage,
    meaning: "No failure code or error has this name.",
    next: "list them with: gamedata explain",
  },
  "unknown-kind": {
    exitCode: ExitCode.usage,
    meaning: "No record, response body or endpoint has this name.",
    next: "list them with: gamedata schemas kinds",
  },
  "bad-jq": {
    exitCode: ExitCode.usage,
    meaning: "The program of --jq or the text of --template failed; the message is jq's.",
    next: "see https://jqlang.org/manual; try the program on the output of --json",
  },
  "bad-link": {
    exitCode: ExitCode.badData,
    meaning:
      "The text is not a valid passive-tree link. The details name the rule, the offset and the field.",
    next: "copy the whole link again",
  },
  "conversion-loses": {
    exitCode: ExitCode.badData,
    meaning: "The target version of the link cannot hold some of its data.",
    next: "repeat with --accept-loss to convert it without that data",
  },
  "bad-json": {
    exitCode: ExitCode.badData,
    meaning: "The input is not JSON.",
    next: "check the file, or the output of the program before the pipe",
  },
  "record-invalid": {
    exitCode: ExitCode.badData,
    meaning: "The value does not decode as the record. stdout lists the fields.",
  },
  "request-invalid": {
    exitCode: ExitCode.badData,
    meaning: "The service, or the client before sending, rejected the request.",
    next: "correct the parameter that the message names",
  },
  "no-such-file": {
    exitCode: ExitCode.notFound,
    meaning: "The file does not exist.",
  },
  "no-such-command": {
    exitCode: ExitCode.notFound,
    meaning: "The program to run was not found.",
    next: "check its name and the PATH",
  },
  "not-found": {
    exitCode: ExitCode.notFound,
    meaning:
      "The league, match, character, stash or filter does not exist, or belongs to another account.",
    next: "list yours with: gamedata leagues --mine, characters, stash list LEAGUE, filters list",
  },
  "nothing-followed": {
    exitCode: ExitCode.notFound,
    meaning: "The store does not contain this stream.",
    next: "fill it with: gamedata stream follow --store …",
  },
  unreachable: {
    exitCode: ExitCode.unavailable,
    meaning: "The connection failed, or the response was cut off.",
    next: "check the addresses and the network with: gamedata doctor",
  },
  "timed-out": {
    exitCode: ExitCode.unavailable,
    meaning: "No response arrived in time.",
    next: "try again later",
  },
  "service-failed": {
    exitCode: ExitCode.unavailable,
    meaning: "The service reported an error of its own (HTTP 5xx).",
    next: "try again later",
  },
  "sign-in-timed-out": {
    exitCode: ExitCode.unavailable,
    meaning: "The browser did not return, or this machine could not listen for it.",
    next: "repeat gamedata login; if no browser can reach this machine, paste the address that the browser ends at",
  },
  internal: {
    exitCode: ExitCode.internal,
    meaning: "A bug in this program.",
    next: "please report it with the command line",
  },
  "unreadable-file": {
    exitCode: ExitCode.io,
    meaning: "The file could not be read.",
  },
  "unwritable-file": {
    exitCode: ExitCode.io,
    meaning: "The file could not be written.",
    next: "check the folder, its permissions and the disk",
  },
  "token-store-failed": {
    exitCode: ExitCode.io,
    meaning: "The token store cannot be read, written or locked.",
    next: "make the folder yours and private (gamedata doctor names it), or set GAME_DATA_TOKENS to another one; with the setting keychain: unlock the keychain and install @napi-rs/keyring beside gamedata",
  },
  "store-failed": {
    exitCode: ExitCode.io,
    meaning: "The store of the stream failed: unreachable, full, or of a newer version.",
    next: "check the address and the disk",
  },
  "store-damaged": {
    exitCode: ExitCode.internal,
    meaning: "The store of the stream is damaged, or is not a store of this program.",
    next: "check the store: gamedata stream verify --store ADDRESS",
  },
  "log-damaged": {
    exitCode: ExitCode.notWhole,
    meaning: "A check of the stream's store found damage; the report names each place.",
    next: "restore the store from a copy, or follow into a new one",
  },
  "lease-lost": {
    exitCode: ExitCode.rateLimited,
    meaning: "Another process follows the same stream into the same store.",
    next: "let it work, or stop it first",
  },
  "rate-limited": {
    exitCode: ExitCode.rateLimited,
    meaning: "A rate limit is in force.",
    next: "try again at the time in the message; see the limits with: gamedata limits",
  },
  "answer-malformed": {
    exitCode: ExitCode.protocol,
    meaning: "The response does not have the documented shape.",
    next: "check the addresses; if they are right, report it to the service's operators",
  },
  "not-conforming": {
    exitCode: ExitCode.protocol,
    meaning: "The service deviates from the contract. stdout lists the endpoints and the places.",
    next: "report it to the service's operators; clients of these packages tolerate most deviations",
  },
  "stream-broken": {
    exitCode: ExitCode.protocol,
    meaning: "The stream violated its protocol, or contained a page that cannot be applied.",
    next: "committed pages are safe; read the message before following on",
  },
  "not-signed-in": {
    exitCode: ExitCode.notPermitted,
    meaning: "Nobody is signed in, or the sign-in has expired.",
    next: "sign in with: gamedata login",
  },
  denied: {
    exitCode: ExitCode.notPermitted,
    meaning: "Consent was denied on the consent page.",
    next: "repeat gamedata login when you want to consent",
  },
  "sign-in-failed": {
    exitCode: ExitCode.notPermitted,
    meaning: "The sign-in did not return a valid code.",
    next: "repeat gamedata login",
  },
  "scope-missing": {
    exitCode: ExitCode.notPermitted,
    meaning: "The token lacks a scope that the command needs.",
    next: "sign in for it: gamedata login --scope …; service:* scopes need a client with a secret",
  },
  forbidden: {
    exitCode: ExitCode.notPermitted,
    meaning: "The token is valid but does not permit this request.",
    next: "see whose token it is with: gamedata whoami",
  },
  "setting-missing": {
    exitCode: ExitCode.configuration,
    meaning:
      "A required setting is not given as a flag, in the environment or in the configuration file.",
    next: "see where settings come from with: gamedata doctor",
  },
  "setting-invalid": {
    exitCode: ExitCode.configuration,
    meaning: "A setting has an invalid value.",
    next: "see where settings come from with: gamedata doctor",
  },
  "client-rejected": {
    exitCode: ExitCode.configuration,
    meaning: "The OAuth server rejected the client, its secret, its scopes or its redirect URI.",
    next: "compare client id, secret, scopes and redirect URI with the registration",
  },
  "no-user-needed": {
    exitCode: ExitCode.configuration,
    meaning: "A client with a secret signs in by itself, as the application.",
    next: "run the command that you want; to sign in as a user, configure a public client",
  },
} as const satisfies Readonly<Record<string, FailureCodeInfo>>;

/** One of the codes. */
export type FailureCode = keyof typeof codes;

/** All codes. */
export const failureCodes: Readonly<Record<FailureCode, FailureCodeInfo>> = codes;
