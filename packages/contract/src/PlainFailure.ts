/**
 * Base of the errors of entries that do not load Effect: `ParameterInvalid` and `WordsInvalid`.
 * They have the members of `Failure` and are never retryable.
 */

/** Returns the URL of an error's section in the documentation of its package. */
export const helpUrl = (packageName: string, tag: string): string =>
  `https://game-data.github.io/game-data/errors/${packageName}/#${tag.toLowerCase()}`;

/** Base class of errors: `_tag`, `help` (a URL) and `toJSON`. */
export abstract class PlainFailure<Tag extends string> extends Error {
  readonly _tag: Tag;

  constructor(tag: Tag, message: string) {
    super(message);
    this._tag = tag;
  }

  override get name(): string {
    return this._tag;
  }

  /** Always `false`, because the same call fails again. */
  get isRetryable(): boolean {
    return false;
  }

  /** URL of the documentation of the error's causes and fixes. */
  get help(): string {
    return helpUrl("contract", this._tag);
  }

  toJSON(): object {
    return { ...this, message: this.message, help: this.help };
  }
}
