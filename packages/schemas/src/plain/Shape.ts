/** The members of a record and their types as data, small enough to travel with the check. */

/**
 * A type of the wire:
 *
 * - a string of letters, any of them: `s` string, `n` null, `b` Boolean, `i` integer, `u` unsigned
 *   integer, `f` finite number, `a` anything;
 * - a structure by its members; `?` behind a name says that the member may be absent;
 * - a list `["[", element]`, a dictionary `["{", value]`, a tuple `["(", exact, …elements]`;
 * - literals `["=", …values]`, a record `["@", record]`;
 * - alternatives `["|", …types]`, each of another JSON type; an exact tuple may stand before a list;
 * - structures that a literal member tells apart, `["?", member, literals, cases]`;
 * - a function for a record inside itself.
 */
export type Shape =
  | string
  | { readonly [member: string]: Shape }
  | readonly ["[" | "{", Shape]
  | readonly ["(", boolean, ...Shape[]]
  | readonly ["=", ...ReadonlyArray<string | number | boolean>]
  | readonly ["|", ...Shape[]]
  | readonly ["?", string, Shape, { readonly [literal: string]: Shape }]
  | readonly ["@", Shaped]
  | (() => Shaped);

/** A record as far as shapes refer to it. */
export interface Shaped {
  readonly name: string;
  readonly shape: Shape;
  /** The check; a record without one is walked in any case. */
  readonly is?: ((value: unknown) => boolean) | undefined;
}
