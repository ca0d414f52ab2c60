/**
 * Captured responses of a service, read and counted as plain JSON: the independent side of every
 * comparison.
 *
 * Nothing here uses a schema, a client or a codec, so that a mistake in one of them shows as a
 * difference.
 *
 * @packageDocumentation
 */
export * from "./Captured.ts";
export * from "./Counts.ts";
export {
  bodiesWith,
  CapturedError,
  type CapturedLink,
  type Files,
  listIn,
  type Members,
  type Realm,
} from "./Files.ts";
export * from "./Links.ts";
export * from "./Records.ts";
export type { CapturedCharacter, CapturedTree } from "./singleRecords.ts";
