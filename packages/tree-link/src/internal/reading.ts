/** Arguments of untyped callers: what cannot be read is refused by its name. */
import { TreeLinkError } from "../Errors.ts";

/** The error of an argument or a field that is of another type. `cause` is what reading it threw. */
export const wrongType = (name: string, cause?: unknown): TreeLinkError =>
  new TreeLinkError(["invalid-type", 0, name], "element", cause);

/** Runs a function that reads the argument `name`. */
export const reading = <A>(name: string, run: () => A): A => {
  try {
    return run();
  } catch (cause) {
    throw cause instanceof TreeLinkError ? cause : wrongType(name, cause);
  }
};
