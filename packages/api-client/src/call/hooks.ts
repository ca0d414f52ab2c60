/** Hooks of the program. */
import * as Effect from "effect/Effect";

/** Calls a hook. The call goes on if the hook throws, because it only observes. */
export const callHook = <A>(
  name: string,
  hook: ((info: A) => void) | undefined,
  info: A,
): Effect.Effect<void> =>
  hook === undefined
    ? Effect.void
    : Effect.try({ try: () => hook(info), catch: (error) => error }).pipe(
        Effect.catch((error) => Effect.logWarning(`The hook ${name} threw.`, error)),
      );
