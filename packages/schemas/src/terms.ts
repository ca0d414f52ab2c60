/** The types of the notation, the functions that make them, and the types of their values. */
import type { Game, Leaves, PlainRecord } from "./PlainRecord.ts";

/** A type in the notation: a text, a list, a table, a record, or the result of a function below. */
export type Notation =
  | `${keyof Leaves | "this"}${"" | "[]"}`
  | PlainRecord<unknown>
  | readonly [Notation]
  | readonly ["dictionary", Notation, ReadonlyArray<string> | undefined]
  | readonly ["either" | "pair", Notation, Notation]
  | readonly ["words", ...ReadonlyArray<string>]
  | readonly ["numbers", ...ReadonlyArray<number>]
  | readonly ["literal", ...ReadonlyArray<boolean | string>]
  | readonly ["cases", string, PlainRecord<unknown>, PlainRecord<unknown>]
  | Table;

/** The members of a structure or a record, by name. */
export interface Table {
  readonly [member: string]: MemberNotation;
}

/** The type of a member, which may be marked as optional, nullable, absentable or omitted. */
export type MemberNotation =
  | Notation
  | `?${keyof Leaves | "this"}${"" | "[]"}`
  | readonly ["?" | "nullable" | "absentable", Notation]
  | readonly ["omitted", Notation, Game];

/** Makes the type of a member that may be absent or null. */
export const optional = <const N extends Notation>(type: N) => ["?", type] as const;

/** Makes the type of a member that may be null and is never absent. */
export const nullable = <const N extends Notation>(type: N) => ["nullable", type] as const;

/** Makes the type of a member that may be absent and is never null. */
export const absentable = <const N extends Notation>(type: N) => ["absentable", type] as const;

/**
 * Makes the type of a member that the specification requires and services leave out. `Drift`
 * reports its absence. `game` is the game whose records have the member. Default: both games.
 */
export const omitted = <const N extends Notation>(type: N, game: Game = "both games") =>
  ["omitted", type, game] as const;

/**
 * Makes the type of an object whose values have one type. `[]` is accepted as well, because
 * services send `[]` for an empty object. `keys` are the keys that the specification names.
 */
export const dictionary = <const N extends Notation>(type: N, keys?: ReadonlyArray<string>) =>
  ["dictionary", type, keys] as const;

/**
 * Makes the type of an open enumeration. `Drift` reports words that are not listed. A space
 * separates two words, so that `words("S D I")` equals `words("S", "D", "I")`.
 */
export const words = <const W extends ReadonlyArray<string>>(...all: W) =>
  ["words", ...all] as const;

/** Makes an open enumeration of unsigned integers. `Drift` reports numbers that are not listed. */
export const numbers = <const W extends ReadonlyArray<number>>(...all: W) =>
  ["numbers", ...all] as const;

/** Makes a closed enumeration. Other booleans and strings are refused. */
export const literal = <const V extends ReadonlyArray<boolean | string>>(...values: V) =>
  ["literal", ...values] as const;

/** Accepts the documented type, or the type that services send. Their JSON types must differ. */
export const either = <const A extends Notation, const B extends Notation>(
  documented: A,
  deployed: B,
) => ["either", documented, deployed] as const;

/** Makes the type of a list that begins with two types. Further elements are kept. */
export const pair = <const A extends Notation, const B extends Notation>(first: A, second: B) =>
  ["pair", first, second] as const;

/** Makes a type that is `ifTrue` if `member` is `true`, and `ifFalse` if `member` is `false`. */
export const cases = <A, B>(member: string, ifTrue: PlainRecord<A>, ifFalse: PlainRecord<B>) =>
  ["cases", member, ifTrue, ifFalse] as const;

/** The TypeScript type of a record with this table. `Self` is the record that `"this"` means. */
export type Members<T, Self = never> = Flat<
  RequiredMembers<T, RequiredKeys<T>, Self> & OptionalMembers<T, OptionalKeys<T>, Self>
>;

/** The TypeScript type of the values that a type in the notation accepts. */
export type Read<N, Self = never> = N extends string
  ? ReadText<N, Self>
  : N extends PlainRecord<infer T>
    ? T
    : N extends ReadonlyArray<unknown>
      ? ReadTagged<N, Self>
      : Members<N, Self>;

type CanBeAbsent<N> = N extends
  | `?${string}`
  | readonly ["?" | "omitted" | "absentable", ...ReadonlyArray<unknown>]
  ? true
  : false;
type Null<N> = N extends
  | `?${string}`
  | readonly ["?" | "omitted" | "nullable", ...ReadonlyArray<unknown>]
  ? null
  : never;
type OptionalKeys<T> = { [K in keyof T]-?: CanBeAbsent<T[K]> extends true ? K : never }[keyof T];
type RequiredKeys<T> = { [K in keyof T]-?: CanBeAbsent<T[K]> extends true ? never : K }[keyof T];
// A mapped type with `as` would lose the members' declarations, so editors would not show their
// comments.
type RequiredMembers<T, K extends keyof T, Self> = {
  readonly [P in K]: Read<T[P], Self> | Null<T[P]>;
};
type OptionalMembers<T, K extends keyof T, Self> = {
  readonly [P in K]?: Read<T[P], Self> | Null<T[P]>;
};
type Flat<T> = { [K in keyof T]: T[K] } & {};

type Split<S> = S extends `${infer First} ${infer Rest}` ? First | Split<Rest> : S;

type ReadText<N extends string, Self> = N extends keyof Leaves
  ? Leaves[N]
  : N extends "this"
    ? Self
    : N extends `?${infer Of}`
      ? ReadText<Of, Self>
      : N extends `${infer Of}[]`
        ? ReadonlyArray<ReadText<Of, Self>>
        : never;

type ReadTagged<N, Self> = N extends readonly [infer Of]
  ? ReadonlyArray<Read<Of, Self>>
  : N extends readonly ["?" | "omitted" | "absentable" | "nullable", infer Of, ...infer _]
    ? Read<Of, Self>
    : N extends readonly ["dictionary", infer Of, ...infer _]
      ? { readonly [key: string]: Read<Of, Self> }
      : N extends readonly ["words", ...infer Words]
        ? Split<Words[number]> | (string & {})
        : N extends readonly ["numbers", ...infer Numbers]
          ? Numbers[number] | (number & {})
          : N extends readonly ["either", infer A, infer B]
            ? Read<A, Self> | Read<B, Self>
            : N extends readonly ["pair", infer A, infer B]
              ? readonly [Read<A, Self>, Read<B, Self>, ...ReadonlyArray<unknown>]
              : N extends readonly ["literal", ...infer Values]
                ? Values[number]
                : N extends readonly ["cases", string, PlainRecord<infer A>, PlainRecord<infer B>]
                  ? A | B
                  : never;
