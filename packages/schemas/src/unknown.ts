/**
 * Access to members that the specification does not name.
 *
 * Records keep such members. Their types have no index signature, so that a misspelled member does
 * not compile.
 */

/** A record that may have further members of type `unknown`. */
export type WithUnknown<T> = T & { readonly [member: string]: unknown };

/** Returns the record itself. Named members keep their types, and all others are `unknown`. */
export const withUnknown = <T extends object>(record: T): WithUnknown<T> =>
  record as WithUnknown<T>;

/**
 * Returns a member that the record's type does not name, or `undefined` if it is absent. A named
 * member does not compile, so you notice when a later version names the member.
 */
export const unknownMember = <T extends object, const Name extends string>(
  record: T,
  member: Name extends keyof T ? never : Name,
): unknown =>
  Object.hasOwn(record, member) ? (record as Readonly<Record<string, unknown>>)[member] : undefined;
