/**
 * The exit codes of programs at a shell prompt, after sysexits.h where it has a word for it.
 * Scripts may rely on them.
 */
export const ExitCode = {
  /** Done. */
  ok: 0,
  /** The command line could not be understood. */
  usage: 64,
  /** The input was read, and is wrong: a bad link, a record that does not decode. */
  badData: 65,
  /** The input is not there: no such file, league, character, stash, filter. */
  notFound: 66,
  /** The service did not answer, or not in time. */
  unavailable: 69,
  /** A fault of this program. */
  internal: 70,
  /** A file could not be read or written. */
  io: 74,
  /** The rate limit holds: later, the same command works. */
  rateLimited: 75,
  /** The service answered in a way that its contract does not know. */
  protocol: 76,
  /** Not signed in, or without the scope. */
  notPermitted: 77,
  /** The configuration is missing or wrong. */
  configuration: 78,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
} as const;

/** One of the codes. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
