/** The interface of records, and the normal form of their types. */
import type { Issue, RecordError } from "./RecordError.ts";

export { isObject } from "./json.ts";
export type { Issue } from "./RecordError.ts";

/** The result of a decoding that does not throw. */
export type DecodeResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: RecordError };

/** Options of a decoding. */
export interface DecodeOptions {
  /** The largest number of issues to name, at least 1. Default, also if it is not a number: 10. */
  readonly issues?: number | undefined;
}

/** A record of the specification: type, check and parsing functions in one value. */
export interface PlainRecord<T> {
  /** The name of the record, such as `Item`. */
  readonly name: string;
  /** The members and their types, as data. */
  readonly shape: Shape;
  /** Whether the value is such a record. Never throws. */
  readonly is: (value: unknown) => value is T;
  /** Returns the value itself. Throws `RecordError` if it is not such a record. */
  readonly decode: (value: unknown) => T;
  /** Returns the value itself, or the error. Never throws. */
  readonly safeDecode: (value: unknown, options?: DecodeOptions) => DecodeResult<T>;
  /** Standard Schema, version 1 (https://standardschema.dev). */
  readonly "~standard": Standard<T>;
}

/** The part of the Standard Schema interface (https://standardschema.dev) that records have. */
export interface Standard<T> {
  readonly version: 1;
  readonly vendor: "game-data";
  /** Returns the value, or the issues. */
  readonly validate: (value: unknown) => StandardResult<T>;
  readonly types?: { readonly input: T; readonly output: T } | undefined;
}

/** The value, or the issues. */
export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> };

/** An issue as Standard Schema has it. */
export interface StandardIssue extends Pick<Issue, "path"> {
  readonly message: string;
}

/** The leaves and their types. `true` is "always true if present". */
export interface Leaves {
  readonly string: string;
  readonly bool: boolean;
  readonly true: boolean;
  readonly uint: number;
  readonly int: number;
  readonly float: number;
  /** A number rounded to two decimal places. */
  readonly "double .01": number;
  /** An unsigned integer from 1 to 10. */
  readonly "1..10": number;
  readonly any: unknown;
  readonly "date-time": string;
  readonly "uuid-v4": string;
  readonly "hex-64": string;
  readonly "hex-10": string;
  readonly colour: string;
  readonly "currency-pair": string;
}

/** The games whose records have a member. */
export type Game = "both games" | "game 1" | "game 2";

/** The types that checks distinguish. */
export type LeafType = "string" | "bool" | "uint" | "int" | "float" | "any";

/** The type of a value. */
export type Shape =
  | { readonly kind: "leaf"; readonly leaf: keyof Leaves; readonly type: LeafType }
  /** Documented words or numbers. Any value of the type is accepted. */
  | {
      readonly kind: "words";
      readonly words: ReadonlyArray<string | number>;
      readonly type: "string" | "uint";
    }
  | { readonly kind: "literal"; readonly values: ReadonlyArray<boolean | string> }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "pair"; readonly of: readonly [Shape, Shape] }
  | {
      readonly kind: "dictionary";
      readonly of: Shape;
      readonly keys: ReadonlyArray<string> | undefined;
    }
  /** The documented type, and the type that services send in its place. */
  | { readonly kind: "either"; readonly of: readonly [Shape, Shape] }
  | { readonly kind: "structure"; readonly members: ReadonlyMap<string, Member> }
  | { readonly kind: "record"; readonly record: PlainRecord<unknown> }
  | {
      readonly kind: "cases";
      readonly member: string;
      readonly of: ReadonlyMap<unknown, PlainRecord<unknown>>;
    }
  /** The record that contains the type. */
  | { readonly kind: "this" };

/** A member of a structure. */
export interface Member {
  readonly shape: Shape;
  readonly canBeAbsent: boolean;
  readonly canBeNull: boolean;
  /** The games in which the specification requires a member that services leave out. */
  readonly omitted: Game | undefined;
}
