/**
 * The error of the codec. Its functions throw `TreeLinkError` or nothing, whatever the input is.
 *
 * ```ts
 * import { safeDecode } from "@game-data/tree-link";
 *
 * const result = safeDecode("AAAABwAAAAAA");
 * if (result.ok || result.error.reason !== "unknown-version" || result.error.actual !== 7)
 *   throw new Error("version 7 is refused");
 * ```
 */

/**
 * The reason of a refusal; a closed set.
 *
 * In the text: `invalid-character` (outside the alphabet), `invalid-padding` (for another length),
 * `invalid-length` (no base64url text has it), `non-zero-tail-bits` (of the last character),
 * `too-long`. In the bytes: `unknown-version` (of no link), `truncated`, `trailing-bytes`
 * (after the last list), `odd-tail` (half a hash, version 4), `invalid-fullscreen` (other than 0
 * and 1). On encode: `too-many` (for a count of one byte), `out-of-range` (for the integer's
 * width), `no-room` (in that version). Anywhere: `invalid-type`.
 */
export type TreeLinkReason =
  | "invalid-type"
  | "too-long"
  | "invalid-character"
  | "invalid-padding"
  | "invalid-length"
  | "non-zero-tail-bits"
  | "unknown-version"
  | "truncated"
  | "trailing-bytes"
  | "odd-tail"
  | "invalid-fullscreen"
  | "too-many"
  | "out-of-range"
  | "no-room";

/**
 * The unit of `offset`: characters of the payload, bytes of the stream, or elements of the field.
 */
export type OffsetUnit = "character" | "byte" | "element";

/** What is wrong, where, in which field, and the number that was found; `hint` ends the message. */
export type TreeLinkFault = readonly [
  reason: TreeLinkReason,
  offset: number,
  field?: string | undefined,
  actual?: number | undefined,
  hint?: string | undefined,
];

/** Reasons in words, made once: making them takes as long as the rest of a refusal. */
const WORDS: { [R in TreeLinkReason]?: string } = {};

/**
 * A payload is not a link, or no payload can hold the link.
 *
 * `offset` is the place: counted in characters while the text is read, in bytes while the fields
 * are read, in elements of `field` on encode. The message never contains the payload. The error of a
 * refused payload has no stack, so that refusing a stranger's text stays cheap; an error of encode
 * has one.
 *
 * What to do: read `reason` and `offset`. A text that people paste goes through `extractPayload` of
 * `tree-link/url` first. `decodePartial` of `tree-link/partial` reads a refused link as far as it
 * goes.
 */
export class TreeLinkError extends Error {
  declare readonly reason: TreeLinkReason;
  declare readonly offset: number;
  declare readonly unit: OffsetUnit;
  /** The field that was being read or written, if there was one. */
  declare readonly field: string | undefined;
  /** The number that was found: a version, a fullscreen byte, a length or an element. */
  declare readonly actual: number | undefined;
  override readonly name = "TreeLinkError";
  readonly _tag = "TreeLinkError";

  /** `cause` is what a getter or proxy of the caller's link threw. */
  constructor(
    [reason, offset, field, actual, hint = ""]: TreeLinkFault,
    unit: OffsetUnit,
    cause?: unknown,
  ) {
    const words = (WORDS[reason] ??=
      reason[0]!.toUpperCase() + reason.slice(1).replaceAll("-", " "));

    const number = actual === undefined ? "" : ` (${actual})`;
    const place = field === undefined ? "" : ` in ${field}`;
    super(words + number + place + `, at ${unit} ${offset}.${hint}`, { cause });
    this.reason = reason;
    this.offset = offset;
    this.unit = unit;
    this.field = field;
    this.actual = actual;
  }

  /** Always `false`: the same input fails again. */
  get isRetryable(): boolean {
    return false;
  }

  /** The address of the error's page. */
  get help(): string {
    return "https://game-data.github.io/game-data/errors/treelinkerror/";
  }

  /** The fields and the message; never the cause. */
  toJSON(): object {
    return { ...this, message: this.message, help: this.help };
  }
}

/** Does nothing where a program has frozen `Error`. `Reflect.set` takes twenty times as long. */
const setLimit = (limit: unknown): void => {
  try {
    (Error as { stackTraceLimit?: unknown }).stackTraceLimit = limit;
  } catch {}
};

/**
 * The error of a refused payload, by default for a place in its bytes. It has no stack: capturing
 * one takes five times as long as the rest.
 */
export const refusal = (fault: TreeLinkFault, unit: OffsetUnit = "byte"): TreeLinkError => {
  const { stackTraceLimit } = Error as { stackTraceLimit?: unknown };
  setLimit(0);
  const error = new TreeLinkError(fault, unit);
  setLimit(stackTraceLimit);
  return error;
};
