/** The interface of records, and the normal form of types in the notation. */
import type { Issue, RecordError } from "./RecordError.ts";

export { isObject } from "./json.ts";
export type { Issue } from "./RecordError.ts";

/** Result of `safeDecode`: the value, or the error. */
export type DecodeResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: RecordError };

/** Limits the length of an error's explanation. */
export interface DecodeOptions {
  /** The largest number of issues to name, at least 1. Default, also if it is not a number: 10. */
  readonly issues?: number | undefined;
}

/** A record of the specification: type, check and parsing functions in one value. */
export interface PlainRecord<T> {
  /** The name of the record, such as `Item`. */
  readonly name: string;
  /** The members and their types as data, for tools such as `JsonSchema` and `Drift`. */
  readonly shape: Shape;
  /** Whether the value is valid for the record. Never throws. */
  readonly is: (value: unknown) => value is T;
  /** Returns the value itself if it is valid. Throws `RecordError` if it is not. */
  readonly decode: (value: unknown) => T;
  /** Returns the value itself or the error. Never throws. */
  readonly safeDecode: (value: unknown, options?: DecodeOptions) => DecodeResult<T>;
  /** Standard Schema, version 1 (https://standardschema.dev). */
  readonly "~standard": Standard<T>;
}

/** The part of the Standard Schema interface (https://standardschema.dev) that records have. */
export interface Standard<T> {
  readonly version: 1;
  readonly vendor: "game-data";
  /** Returns the value itself, or the issues for which it is refused. */
  readonly validate: (value: unknown) => StandardResult<T>;
  readonly types?: { readonly input: T; readonly output: T } | undefined;
}

/** Result of `validate`: the value, or the issues. */
export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> };

/** An issue in the form of Standard Schema: a path and a message. */
export interface StandardIssue extends Pick<Issue, "path"> {
  readonly message: string;
}

/** The leaves of the notation, with their TypeScript types. `true` is always true if present. */
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

/** The games whose records have a member that services leave out. */
export type Game = "both games" | "game 1" | "game 2";

/** JSON types of leaves that the checks distinguish. A `uuid-v4`, for example, is a string. */
export type LeafType = "string" | "bool" | "uint" | "int" | "float" | "any";

/** The normal form of a type in the notation. */
export type Shape =
  | { readonly kind: "leaf"; readonly leaf: keyof Leaves; readonly type: LeafType }
  /** Documented words or numbers. Checks accept any value of the same type. */
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
  /** The record that contains the type, for records that contain themselves. */
  | { readonly kind: "this" };

/** The type of a member, and whether the member can be absent or null. */
export interface Member {
  readonly shape: Shape;
  readonly canBeAbsent: boolean;
  readonly canBeNull: boolean;
  /** The games in which the specification requires the member, although services leave it out. */
  readonly omitted: Game | undefined;
}
