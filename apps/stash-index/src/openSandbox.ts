/** Starts a sandbox as the service for a first look. Its world changes while it runs. */
import type { WorldOptions } from "@game-data/sandbox";
import { Data, Effect, Redacted } from "effect";

/** The sandbox cannot start, for example because another process has its file open. */
class SandboxFailed extends Data.TaggedError("SandboxFailed")<{
  readonly message: string;
}> {}

/** Options of the world: enough listings to search, and a change every one or two seconds. */
const WORLD: WorldOptions = {
  streamStashes: 600,
  streamPageSize: 100,
  streamItems: 48,
  streamHistoryPages: 12,
  streamChangesPerMinute: 60,
};

/**
 * Starts the sandbox, which stops with the scope. A later sandbox with the same file continues its
 * stream.
 */
export const openSandbox = Effect.fnUntraced(function* (file: string, world = WORLD) {
  const { startSandbox } = yield* Effect.promise(() => import("@game-data/sandbox"));
  const { authUrl, baseUrl, clients, controlUrl } = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => startSandbox({ seed: 1, world, file }),
      catch: (cause) => new SandboxFailed({ message: (cause as Error).message }),
    }),
    (running) => Effect.promise(() => running.close()),
  );
  const { clientId, clientSecret = "" } = clients.find(
    (each) => each.clientId === "example-service",
  )!;
  const secret = Redacted.make(clientSecret);
  const contact = "stash-index@example.com";
  return { controlUrl, service: { authUrl, baseUrl, clientId, clientSecret: secret, contact } };
});
