/** How a program ended. */
export interface ProgramEnd {
  /** Exit code; 128 and the signal's number where a signal ended it. */
  readonly exit: number;
  readonly signal: string | null;
  /** Whether it had to be ended because it took too long, or ignored SIGTERM. */
  readonly isTimeout: boolean;
  /** Whether it was ended as it should be: a service, after the seconds it was given. */
  readonly isAsked: boolean;
  /** Real milliseconds that it ran. */
  readonly millis: number;
  /** When it ended, in the journal's real time. */
  readonly elapsedMillis: number;
  /** What it had started and left running, by name and process id; known on Linux alone. */
  readonly left: ReadonlyArray<string>;
  /** The last 16 kB of its stderr. */
  readonly stderrTail: string;
}
