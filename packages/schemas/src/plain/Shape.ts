/** The members of a record and their types as data, small enough to travel with the check. */

/**
 * A type of the wire:
 *
 * - a string of letters, any of them: `s` string, `n` null, `b` Boolean, `i` integer, `u` unsigned
 *   integer, `f` finite number, `a` anything;
 * - a structure by its members; `?` behind a name says that the member may be absent;
 * - a list `["[", element]`, a dictionary `["{", value]`, a tuple `["(", exact, …elements]`;
 * - literals `["=", …values]`, alternatives `["|", …types]`, a record `["@", record]`;
 * - a function for a record inside itself.
 */
export type Shape =
  | string
  | { readonly [member: string]: Shape }
  | readonly ["[" | "{", Shape]
  | readonly ["(", boolean, ...Shape[]]
  | readonly ["=", ...ReadonlyArray<string | number | boolean>]
  | readonly ["|", ...Shape[]]
  | readonly ["@", Shaped]
  | (() => Shaped);

/** A record as far as shapes refer to it. */
interface Shaped {
  readonly shape: Shape;
}
