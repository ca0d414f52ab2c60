/** Steps of an export that may throw: writing a file. */
import * as Effect from "effect/Effect";
import { SinkError } from "../Errors.ts";

/** The file holds something that the export did not write. */
export class ForeignFile extends Error {}

/** Runs a step; what it throws is a `SinkError` whose kind says what to do about it. */
export const attempt = <A>(body: () => A): Effect.Effect<A, SinkError> =>
  Effect.try({
    try: body,
    catch: (cause) => {
      const isFull = (cause as { code?: unknown }).code === "ENOSPC";
      const kind = isFull ? "diskFull" : cause instanceof ForeignFile ? "incompatible" : "internal";
      return new SinkError({ operation: "export", kind, cause });
    },
  });
