/**
 * A record without Effect at run time: its check, its parsing functions and its Standard Schema.
 *
 * `makeRecord` puts them together from what the generator writes: a compiled check, which decides,
 * and a shape, which explains. Only a refused value pays for the explanation.
 *
 * @example
 * ```ts
 * import { Guild } from "@game-data/schemas";
 * import type { PlainRecord } from "@game-data/schemas/PlainRecord";
 *
 * // Every record has these members, so code can take any of them.
 * const isAll = <T>(record: PlainRecord<T>, values: ReadonlyArray<unknown>) =>
 *   values.every(record.is);
 * if (isAll(Guild, [{ id: 7 }])) throw new Error("a guild has a name");
 * ```
 */
import { explain, type Issue } from "./explain.ts";
import { RecordError } from "./RecordError.ts";
import type { Shape } from "./Shape.ts";

export type { Issue } from "./explain.ts";
export type { Shape } from "./Shape.ts";
export { isEach, isObject, isStrings, isUint } from "./tests.ts";

/** The result of a decoding that does not throw. */
export type DecodeResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: RecordError };

/** Options of a decoding. */
export interface DecodeOptions {
  /** The largest number of issues to name, at least 1. Default, also for what is no number: 10. */
  readonly issues?: number | undefined;
}

/** A record of the specification: type, check and parsing functions in one value. */
export interface PlainRecord<T> {
  /** The name of the record, such as `Item`. */
  readonly name: string;
  /** The members and their types, as data. */
  readonly shape: Shape;
  /** Whether the value is such a record. */
  readonly is: (value: unknown) => value is T;
  /** Returns the value itself. Throws `RecordError` if it is no such record. */
  readonly decode: (value: unknown) => T;
  /** Returns the value itself, or the error. Throws nothing. */
  readonly safeDecode: (value: unknown, options?: DecodeOptions) => DecodeResult<T>;
  /** Standard Schema, version 1: the record may stand wherever one is asked for. */
  readonly "~standard": Standard<T>;
}

/** The Standard Schema interface (https://standardschema.dev), version 1, as far as records have it. */
export interface Standard<T> {
  readonly version: 1;
  readonly vendor: "game-data";
  readonly validate: (value: unknown) => StandardResult<T>;
  readonly types?: { readonly input: T; readonly output: T } | undefined;
}

/** The result of a Standard Schema: the value, or the issues. */
export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> };

/** An issue of a Standard Schema. */
export interface StandardIssue {
  readonly message: string;
  readonly path: ReadonlyArray<string | number>;
}

/** A record from its compiled check and its shape. */
export const makeRecord = <T>(
  name: string,
  shape: Shape,
  check: (value: unknown, depth: number) => boolean,
): PlainRecord<T> => {
  const is = (value: unknown): value is T => {
    try {
      return check(value, 0);
    } catch {
      return false; // a getter or a proxy
    }
  };
  const safeDecode = (value: unknown, options?: DecodeOptions): DecodeResult<T> =>
    is(value)
      ? { ok: true, value }
      : { ok: false, error: new RecordError(name, explain(shape, value, options?.issues)) };
  return {
    name,
    shape,
    is,
    decode: (value) => {
      const result = safeDecode(value);
      if (result.ok) return result.value;
      throw result.error;
    },
    safeDecode,
    "~standard": {
      version: 1,
      vendor: "game-data",
      validate: (value) => {
        const result = safeDecode(value);
        return result.ok
          ? { value: result.value }
          : { issues: result.error.issues.map(toStandardIssue) };
      },
    },
  };
};

const toStandardIssue = ({ path, expected, actual }: Issue): StandardIssue => ({
  message: `Expected ${expected}, got ${actual}`,
  path,
});
