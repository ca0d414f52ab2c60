/** The error of `decode`: a value is not the expected record. */
import type { Path } from "./json.ts";

/** A place for which a value is refused, with the expected and the actual type. */
export interface Issue {
  /**
   * The place in the value (RFC 6901). The empty string is the value itself. Keys of more than
   * 1,000 characters are cut in `pointer` but not in `path`.
   */
  readonly pointer: string;
  /** The place as a list of keys and indices. */
  readonly path: Path;
  /** The type that the record requires at the place. */
  readonly expected: string;
  /** The JSON type of the value at the place, or `absent`. Never the value itself. */
  readonly actual: string;
}

/** The first places for which a value is refused. */
export interface Explanation {
  readonly issues: ReadonlyArray<Issue>;
  /** Whether the search ended early, so that there may be more places. */
  readonly hasMore: boolean;
}

/**
 * A value is not the expected record: a member is missing or has another type.
 *
 * What to do: read `issues`, which name the places as JSON pointers. If the value is a response of
 * a service, keep the body and report it, because the service has changed or the body belongs to
 * another endpoint.
 */
export class RecordError extends Error {
  readonly _tag = "RecordError";
  /** The name of the expected record, such as `Item`. */
  declare readonly record: string;
  /** The first places for which the value is refused, at least one. Without the values. */
  declare readonly issues: ReadonlyArray<Issue>;
  /** Whether the search ended early, so that there may be more places. */
  declare readonly hasMore: boolean;

  constructor(record: string, explanation: Explanation) {
    const { actual, expected, pointer } = explanation.issues[0]!;
    // The service chooses the keys of a dictionary, so a key may be long and have any characters.
    const place = pointer.slice(0, 500).replaceAll(/\p{Cc}/gu, "\uFFFD");
    super(`Invalid ${record}${place && ` at ${place}`}: expected ${expected}, got ${actual}.`);
    Object.assign(this, { record }, explanation);
  }

  /** Always false, because the same value fails again. */
  get isRetryable(): boolean {
    return false;
  }

  /** URL of the documentation of the error's causes and fixes. */
  get help(): string {
    return "https://game-data.github.io/game-data/errors/schemas/#recorderror";
  }

  toJSON(): object {
    return { ...this, message: this.message, help: this.help };
  }
}
