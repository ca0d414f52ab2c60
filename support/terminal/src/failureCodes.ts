/**
 * Every way in which a command can fail: its exit code, what it means, and the next step. `explain
 * CODE` prints it.
 *
 * A code is stable once released. What happened in the case at hand is said by the failure's own
 * message.
 */
import { ExitCode } from "./ExitCode.ts";

/** What is said about a code. */
export interface Entry {
  /** What the process ends with. */
  readonly exitCode: ExitCode;
  /** What it means, in a sentence or two. */
  readonly means: string;
  /** What to do about it. */
  readonly next?: string;
}

const entries = {
  usage: {
    exitCode: ExitCode.usage,
    means: "The command line could not be understood.",
    next: "repeat with --help to see what the command takes",
  },
  "unknown-code": {
    exitCode: ExitCode.usage,
    means: "There is no such failure code and no such error.",
    next: "see them all with: gamedata explain",
  },
  "unknown-kind": {
    exitCode: ExitCode.usage,
    means: "There is no such record, response body or endpoint.",
    next: "see them all with: gamedata schemas kinds",
  },
  "bad-link": {
    exitCode: ExitCode.badData,
    means: "The text is no passive-tree link; the details name the rule, the place and the field.",
    next: "copy the whole link again",
  },
  "conversion-loses": {
    exitCode: ExitCode.badData,
    means: "The other version of a link has no place for something that this link holds.",
    next: "repeat with --accept-loss to convert it all the same",
  },
  "bad-json": {
    exitCode: ExitCode.badData,
    means: "The input is not JSON.",
    next: "check the file, or what the program before the pipe prints",
  },
  "record-invalid": {
    exitCode: ExitCode.badData,
    means: "The value does not decode as the record; stdout lists the places.",
  },
  "request-invalid": {
    exitCode: ExitCode.badData,
    means: "The service, or the client before sending, finds the request wrong.",
    next: "correct what the message names",
  },
  "no-such-file": { exitCode: ExitCode.notFound, means: "There is no such file." },
  "no-such-command": {
    exitCode: ExitCode.notFound,
    means: "The program to run is not there.",
    next: "check its name and the PATH",
  },
  "not-found": {
    exitCode: ExitCode.notFound,
    means:
      "There is no such league, match, character, stash or filter, or it is not this account's.",
    next: "see what there is with: gamedata leagues --mine, characters, stash list LEAGUE, filters list",
  },
  "nothing-followed": {
    exitCode: ExitCode.notFound,
    means: "The store does not hold this stream.",
    next: "fill it with: gamedata stream follow --store …",
  },
  unreachable: {
    exitCode: ExitCode.unavailable,
    means: "No connection, or the answer broke off.",
    next: "check the addresses and the network with: gamedata doctor",
  },
  "timed-out": {
    exitCode: ExitCode.unavailable,
    means: "No answer came in time.",
    next: "try again later",
  },
  "service-failed": {
    exitCode: ExitCode.unavailable,
    means: "The service says that it failed (HTTP 5xx).",
    next: "try again later",
  },
  "sign-in-timed-out": {
    exitCode: ExitCode.unavailable,
    means: "The browser did not come back, or this machine could not listen for it.",
    next: "repeat gamedata login; where no browser can reach this machine, paste the address that it ends at",
  },
  internal: {
    exitCode: ExitCode.internal,
    means: "A fault of this program.",
    next: "please report it with the command line",
  },
  "unreadable-file": { exitCode: ExitCode.io, means: "The file could not be read." },
  "unwritable-file": {
    exitCode: ExitCode.io,
    means: "The file could not be written.",
    next: "check the folder, its permissions and the disk",
  },
  "token-store-failed": {
    exitCode: ExitCode.io,
    means: "The folder of the tokens cannot be read, written or locked.",
    next: "make the folder yours and private (gamedata doctor names it), or set GAME_DATA_TOKENS to another one",
  },
  "store-failed": {
    exitCode: ExitCode.io,
    means: "The store of the stream failed: out of reach, full, or of a newer version.",
    next: "check the address and the disk; what was committed is safe",
  },
  "lease-lost": {
    exitCode: ExitCode.rateLimited,
    means: "Another process follows the same stream into the same store.",
    next: "let it work, or stop it first",
  },
  "rate-limited": {
    exitCode: ExitCode.rateLimited,
    means: "The rate limit holds.",
    next: "try again at the time that the message names; see the windows with: gamedata limits",
  },
  "answer-malformed": {
    exitCode: ExitCode.protocol,
    means: "The answer does not have the documented shape.",
    next: "check the addresses; if they are right, report it to the service's operators",
  },
  "stream-broken": {
    exitCode: ExitCode.protocol,
    means: "The stream broke its own rules, or held a page that cannot be applied.",
    next: "what was committed is safe; look at the message before following on",
  },
  "not-signed-in": {
    exitCode: ExitCode.notPermitted,
    means: "Nobody is signed in, or the sign-in has ended.",
    next: "sign in with: gamedata login",
  },
  denied: {
    exitCode: ExitCode.notPermitted,
    means: "The consent page was answered with no.",
    next: "repeat gamedata login when you want to consent",
  },
  "sign-in-failed": {
    exitCode: ExitCode.notPermitted,
    means: "The sign-in came back with something other than a valid code.",
    next: "repeat gamedata login",
  },
  "scope-missing": {
    exitCode: ExitCode.notPermitted,
    means: "The token lacks a scope that the command needs.",
    next: "sign in for it: gamedata login --scope …; service:* scopes need a client with a secret",
  },
  forbidden: {
    exitCode: ExitCode.notPermitted,
    means: "The token is good, and not for this.",
    next: "see whom it speaks for with: gamedata whoami",
  },
  "setting-missing": {
    exitCode: ExitCode.configuration,
    means:
      "The command needs a setting that is neither given as a flag, in the environment nor in the file.",
    next: "see where settings come from with: gamedata doctor",
  },
  "setting-invalid": {
    exitCode: ExitCode.configuration,
    means: "A setting has a value that cannot be right.",
    next: "see where settings come from with: gamedata doctor",
  },
  "client-rejected": {
    exitCode: ExitCode.configuration,
    means:
      "The OAuth server does not accept the client, its secret, its scopes or its redirect URI.",
    next: "compare client id, secret, scopes and redirect URI with the registration",
  },
  "no-user-needed": {
    exitCode: ExitCode.configuration,
    means: "With a client secret the commands sign in by themselves, as the application.",
    next: "run the command that you want; to sign in as a user, configure a public client",
  },
} as const satisfies Readonly<Record<string, Entry>>;

/** One of the codes. */
export type FailureCode = keyof typeof entries;

/** All codes. */
export const catalogue: Readonly<Record<FailureCode, Entry>> = entries;
