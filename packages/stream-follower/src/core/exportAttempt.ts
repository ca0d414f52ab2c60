/** Steps of an export that may throw: writing a file. */
import * as Effect from "effect/Effect";
import { SinkError } from "../Errors.ts";
import { sinkError } from "./attempt.ts";

/** The failure of a file that holds something which the export did not write. */
export const foreignFile = (detail: string): SinkError =>
  sinkError("export", "incompatible", detail);

/** Runs a step; what it throws is a `SinkError` whose kind says what to do about it. */
export const attempt = <A>(body: () => A): Effect.Effect<A, SinkError> =>
  Effect.try({
    try: body,
    catch: (cause) => {
      if (cause instanceof SinkError) return cause;
      const isFull = (cause as { code?: unknown }).code === "ENOSPC";
      return new SinkError({ operation: "export", kind: isFull ? "diskFull" : "internal", cause });
    },
  });
