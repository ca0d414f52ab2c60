/** Loads a driver whose optional peer dependency may not be installed. */
import * as Effect from "effect/Effect";
import { DriverMissing } from "./Errors.ts";

/** Fails with `DriverMissing` if `peer` is not installed. */
export const loadOptional = <A>(
  peer: string,
  load: () => Promise<A>,
): Effect.Effect<A, DriverMissing> =>
  Effect.tryPromise({ try: load, catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      isMissing(cause, peer)
        ? Effect.fail(new DriverMissing({ package: peer, install: `npm install ${peer}`, cause }))
        : Effect.die(cause),
    ),
  );

const isMissing = (cause: unknown, peer: string): boolean =>
  cause instanceof Error &&
  (cause as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND" &&
  cause.message.includes(peer);
