/**
 * Lets a command replace next steps of failures, where the reason lies in its settings.
 */
import { Context } from "effect";

/** Next steps that depend on the settings. A command sets them while it runs. */
export interface FailureHintsService {
  /** The next step after a response 401. */
  unauthorized?: string;
}

/** The hints of the running command. */
export const FailureHints: Context.Reference<FailureHintsService> =
  /*#__PURE__*/ Context.Reference<FailureHintsService>("@game-data/terminal/FailureHints", {
    defaultValue: () => ({}),
  });
