/** The error of a value that is no such record. */
import type { Explanation, Issue } from "./explain.ts";

/**
 * A value is not the record that was asked for: a member is missing or of another type.
 *
 * What to do: look at `issues`, which name the places as JSON pointers. For a response of a service
 * keep the body, and report it: the service has changed, or the body belongs to another endpoint.
 */
export class RecordError extends Error {
  readonly _tag = "RecordError";
  /** The name of the record, such as `Item`. */
  readonly record: string;
  /** The first places at fault, at least one, without their values. */
  readonly issues: ReadonlyArray<Issue>;
  /** Whether the explanation ended before the value did: there are more places, or may be. */
  readonly hasMore: boolean;

  constructor(record: string, { issues, hasMore }: Explanation) {
    const { actual, expected, pointer } = issues[0]!;
    // A key of a dictionary is data of the service, and of any length.
    super(
      `Invalid ${record}${pointer && ` at ${pointer.slice(0, 500)}`}: expected ${expected}, got ${actual}.`,
    );
    this.record = record;
    this.issues = issues;
    this.hasMore = hasMore;
  }

  /** Whether the same call may succeed if retried. */
  get isRetryable(): boolean {
    return false;
  }

  /** The address of the error's page. */
  get help(): string {
    return "https://game-data.github.io/game-data/errors/recorderror/";
  }

  toJSON(): object {
    return { ...this, message: this.message, help: this.help };
  }
}
