/**
 * Members that the specification does not name, with a type.
 *
 * Records keep them. The types of the records have no index signature, so that a misspelled member
 * does not compile; these two functions are the way to the others.
 *
 * @example
 * ```ts
 * import { Item, unknownMember, withUnknown } from "@game-data/schemas";
 *
 * export const isMutated = (item: Item): boolean => unknownMember(item, "mutated") === true;
 * export const tier = (item: Item): unknown => withUnknown(item)["mapTier"];
 * ```
 */

/** A record whose further members are reachable, as `unknown`. */
export type WithUnknown<T> = T & { readonly [member: string]: unknown };

/** The record itself. Its named members keep their types, all others are `unknown`. */
export const withUnknown = <T extends object>(record: T): WithUnknown<T> =>
  record as WithUnknown<T>;

/**
 * A member that the record's type does not name; `undefined` if it is absent. A name that the type
 * has does not compile, so a program notices when a later version learns the member.
 */
export const unknownMember = <T extends object, const Name extends string>(
  record: T,
  member: Name extends keyof T ? never : Name,
): unknown =>
  Object.hasOwn(record, member) ? (record as Readonly<Record<string, unknown>>)[member] : undefined;
