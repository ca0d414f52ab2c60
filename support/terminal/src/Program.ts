/**
 * Which program this is. `Main` sets it; folders, the User-Agent and the next steps of failures are
 * told by it.
 */
import { Context } from "effect";

/** A program by its name and version. */
export interface ProgramInfo {
  /** What people type; also the name of its folders for configuration and tokens. */
  readonly name: string;
  /** Its version, as `--version` and the User-Agent tell it. */
  readonly version: string;
}

/** The program that runs. Programs with the same name share settings and sign-in. */
export const Program: Context.Reference<ProgramInfo> = /*#__PURE__*/ Context.Reference<ProgramInfo>(
  "./Program.ts",
  { defaultValue: () => ({ name: "gamedata", version: "0.0.0" }) },
);
