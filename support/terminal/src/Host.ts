/**
 * The process that a program runs in: arguments, environment and standard streams.
 *
 * Programs read them from here and not from `process`, so that tests run a command line in their
 * own process with other streams and another environment.
 */
import { Context } from "effect";

/** A stream to write to; `isTTY` and `columns` are set on a terminal. */
export type HostWriter = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** A stream to read from. */
export type HostReader = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Arguments, environment and streams of a program. */
export interface HostService {
  /** The command line, without the runtime and the script. */
  readonly args: ReadonlyArray<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: HostReader;
  readonly stdout: HostWriter;
  readonly stderr: HostWriter;
}

/** The host of the running program. Default: this process. */
export const Host: Context.Reference<HostService> = /*#__PURE__*/ Context.Reference<HostService>(
  "@game-data/terminal/Host",
  {
    defaultValue: () => ({
      args: process.argv.slice(2),
      env: process.env,
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
    }),
  },
);

/**
 * Whether a stream of the host shows colour: a terminal, unless `NO_COLOR` or `FORCE_COLOR` is set.
 */
export const hasColor = ({ env }: HostService, stream: HostWriter): boolean => {
  if (env["NO_COLOR"]) return false;
  const { FORCE_COLOR: forced } = env;
  if (forced) return forced !== "0" && forced !== "false";
  return stream.isTTY === true && env["TERM"] !== "dumb";
};

/** Columns of a terminal; none for a pipe. A terminal that does not know its size reports 0. */
export const widthOf = ({ columns, isTTY }: HostWriter): number | undefined =>
  isTTY === true ? columns || 80 : undefined;

/** A program by its name and version. */
export interface ProgramInfo {
  /** The command's name, also of its folders for configuration and tokens. */
  readonly name: string;
  /** The version that `--version` and the User-Agent show. */
  readonly version: string;
}

/**
 * The running program; `runMain` sets it. Folders, the User-Agent and next steps use it, and programs
 * with the same name share settings and sign-in.
 */
export const Program: Context.Reference<ProgramInfo> = /*#__PURE__*/ Context.Reference<ProgramInfo>(
  "@game-data/terminal/Program",
  { defaultValue: () => ({ name: "gamedata", version: "0.0.0" }) },
);
