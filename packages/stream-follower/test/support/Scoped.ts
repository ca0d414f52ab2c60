/** Resources of a test file that live until it ends. */
import { Effect, Exit, Scope } from "effect";

/** Opens resources, and closes all of them. */
export const makeScoped = () => {
  const scope = Effect.runSync(Scope.make());
  return {
    scoped: <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
      Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope)),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  };
};
