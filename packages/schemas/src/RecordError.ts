/** The error of a value that is not the expected record. */
import type { Path } from "./json.ts";

/** A place at fault. */
export interface Issue {
  /**
   * The place in the value (RFC 6901). The empty string is the value itself. Keys of more than 1,000
   * characters are cut; `path` has them whole.
   */
  readonly pointer: string;
  /** The same place, key by key. */
  readonly path: Path;
  /** The type that is needed there. */
  readonly expected: string;
  /** The JSON type of the value, or `absent`. Never the value. */
  readonly actual: string;
}

/** The first places at fault. */
export interface Explanation {
  readonly issues: ReadonlyArray<Issue>;
  /** Whether the walk ended before the value did, so that there may be more places. */
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
  /** The name of the record, such as `Item`. */
  declare readonly record: string;
  /** The first places at fault, at least one, without their values. */
  declare readonly issues: ReadonlyArray<Issue>;
  /** Whether the explanation ended before the value did: there are more places, or may be. */
  declare readonly hasMore: boolean;

  constructor(record: string, explanation: Explanation) {
    const { actual, expected, pointer } = explanation.issues[0]!;
    // A key of a dictionary is sent by the service, so it may have any length and any characters.
    const place = pointer.slice(0, 500).replaceAll(/\p{Cc}/gu, "\uFFFD");
    super(`Invalid ${record}${place && ` at ${place}`}: expected ${expected}, got ${actual}.`);
    Object.assign(this, { record }, explanation);
  }

  /** Always false, because the same value fails again. */
  get isRetryable(): boolean {
    return false;
  }

  /** The address of the error's page. */
  get help(): string {
    return "https://game-data.github.io/game-data/errors/schemas/#recorderror";
  }

  toJSON(): object {
    return { ...this, message: this.message, help: this.help };
  }
}
