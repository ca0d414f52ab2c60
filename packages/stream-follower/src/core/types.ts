/** Type-only re-exports, so that public modules name Effect's array types in one way. */
export type * as Arr from "effect/Array";
