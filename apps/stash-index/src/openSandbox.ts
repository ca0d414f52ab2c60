/**
 * The service for a first look: a sandbox in this process, whose world goes on while it runs.
 */
import { failure } from "@game-data/terminal/Failure";
import { Effect, Redacted } from "effect";
import type { WorldOptions } from "@game-data/sandbox";
import type { Service } from "./follower/follow.ts";
import type { SignInClient } from "./web/signIn.ts";

/** A service to follow, and how its users sign in. */
export interface Target {
  readonly service: Service;
  readonly signIn?: (origin: string) => Promise<SignInClient>;
  /** Members of the ready line besides the server's addresses. */
  readonly announced?: Readonly<Record<string, unknown>>;
}

/** Enough listings to search in, and a change every second or two. */
const WORLD: WorldOptions = {
  streamStashes: 600,
  streamPageSize: 100,
  streamItems: 48,
  streamHistoryPages: 12,
  streamChangesPerMinute: 60,
};

/** Starts the sandbox; it closes with the scope. */
export const openSandbox = Effect.fnUntraced(function* (seed: number, world: WorldOptions = WORLD) {
  const { startSandbox } = yield* Effect.promise(() => import("@game-data/sandbox"));
  const sandbox = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => startSandbox({ seed, world }),
      catch: (cause) => failure("setting-invalid", (cause as Error).message),
    }).pipe(Effect.catch((error) => error)),
    (running) => Effect.promise(() => running.close()),
  );
  const { authUrl, baseUrl, controlUrl } = sandbox;
  const application = sandbox.clients.find(({ clientId }) => clientId === "example-service")!;
  const contact = "stash-index@example.com";
  return {
    service: {
      authUrl,
      baseUrl,
      clientId: application.clientId,
      clientSecret: Redacted.make(application.clientSecret ?? ""),
      contact,
    },
    signIn: async (origin) => {
      const redirectUri = `${origin}/callback`;
      const clientId = "stash-index";
      const response = await fetch(`${controlUrl}/clients`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          clientId,
          name: "Stash index",
          kind: "public",
          redirectUris: [redirectUri],
        }),
      });
      if (!response.ok)
        throw new Error(`the sandbox registers no client (HTTP ${response.status})`);
      return { authUrl, clientId, redirectUri };
    },
    announced: { controlUrl },
  } satisfies Target as Target;
});
