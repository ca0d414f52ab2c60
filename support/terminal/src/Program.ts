/**
 * The name and version of the running program. `runMain` sets it; folders, the User-Agent and the
 * next steps in error messages use it.
 */
import { Context } from "effect";

/** A program by its name and version. */
export interface ProgramInfo {
  /** The command's name, also of its folders for configuration and tokens. */
  readonly name: string;
  /** The version that `--version` and the User-Agent show. */
  readonly version: string;
}

/** The running program. Programs with the same name share settings and sign-in. */
export const Program: Context.Reference<ProgramInfo> = /*#__PURE__*/ Context.Reference<ProgramInfo>(
  "@game-data/terminal/Program",
  { defaultValue: () => ({ name: "gamedata", version: "0.0.0" }) },
);
