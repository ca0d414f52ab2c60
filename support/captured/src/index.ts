/**
 * Captured answers of a service, read and counted as plain JSON: the other side of every
 * comparison.
 *
 * Nothing here knows a schema, a client or a codec, and nothing here may: a mistake in one of them
 * then shows as a difference.
 *
 * @packageDocumentation
 */
export * from "./Captured.ts";
export * from "./Figures.ts";
export { CapturedError, type Members, type Realm } from "./Files.ts";
export * from "./Links.ts";
export * from "./Records.ts";
export type { CapturedCharacter, CapturedTree } from "./Singles.ts";
