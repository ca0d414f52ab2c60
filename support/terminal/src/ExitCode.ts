/**
 * Exit codes of the programs, after sysexits.h where it has a code. Scripts may rely on them.
 */
export const ExitCode = {
  /** Success. */
  ok: 0,
  /** A check worked, and what it looked at is not whole. */
  notWhole: 1,
  /** The command line is invalid. */
  usage: 64,
  /** The input was read and is invalid: a malformed link, a record that does not decode. */
  badData: 65,
  /** The input does not exist: a file, league, character, stash or filter. */
  notFound: 66,
  /** The service did not respond, or not in time. */
  unavailable: 69,
  /** A bug in this program. */
  internal: 70,
  /** A file could not be read or written. */
  io: 74,
  /** A rate limit or another process's lease is in force. The same command works later. */
  rateLimited: 75,
  /** The response does not match the contract. */
  protocol: 76,
  /** Not signed in, or the token lacks a scope. */
  notPermitted: 77,
  /** A setting is missing or invalid. */
  configuration: 78,
  /** Interrupted by Ctrl-C or SIGTERM. */
  interrupted: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
