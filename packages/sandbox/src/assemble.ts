/**
 * Puts a sandbox together, the same on every runtime. From the inside out:
 *
 * - `State`: the store, and clock, accounts, applications and grants over it.
 * - `Server`: answers the OAuth server and the data API.
 * - `control/ControlPlane`: answers tests and the console; loaded with the first request to it.
 * - `assemble`: builds the three for a file, a runtime and addresses.
 * - `Sandbox`: runs on Node, over ports or in process. `web`: runs without Node.
 * - `Exec`, `audit`: run a program with a sandbox. `main`: the command line.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import type { ClientCredentials } from "./clients/Clients.ts";
import type { WordsTranslation } from "./data/words.ts";
import { SandboxFailure, type SandboxError, SandboxStartError } from "./Errors.ts";
import type { Handle } from "./http/Exchange.ts";
import type { Addresses } from "./Options.ts";
import { makeServer } from "./Server.ts";
import { openState, type StateParts } from "./State.ts";

export interface Parts extends Omit<StateParts, "realNow"> {
  readonly words?: WordsTranslation | undefined;
  /** Whether the OpenAPI documents are served. */
  readonly hasDocuments: boolean;
}

/** Addresses, clients and accounts of a running sandbox. */
export interface SandboxInfo extends Addresses {
  /** The seeded and configured clients, with their secrets. */
  readonly clients: ReadonlyArray<ClientCredentials>;
  readonly accounts: ReadonlyArray<{ readonly name: string; readonly uuid: string }>;
  /** Key of the control plane, if it requires one. */
  readonly controlKey?: string;
}

/** Makes a sandbox that keeps the time of the surrounding `Clock`. */
export const assemble = Effect.fnUntraced(function* (parts: Parts) {
  const clock = yield* Clock.Clock;
  const { state, server } = yield* Effect.try({
    try: () => {
      const made = openState({ ...parts, realNow: () => clock.currentTimeMillisUnsafe() });
      return { state: made, server: makeServer(made, parts.words) };
    },
    catch: startError,
  });
  // This scope is never closed, because the control plane holds nothing to release.
  const scope = yield* Scope.make();
  const control = yield* Effect.cached(
    Effect.promise(() => import("./control/ControlPlane.ts")).pipe(
      Effect.flatMap(({ makeControlPlane }) =>
        makeControlPlane(state, server, parts.hasDocuments).pipe(Scope.provide(scope)),
      ),
    ),
  );
  const handle: Handle = (listener, incoming) =>
    listener === "control"
      ? Effect.flatMap(control, (answer) => answer(incoming))
      : server.respond(listener, incoming);
  const { authUrl, baseUrl, controlKey, controlUrl } = state.config;
  const info: SandboxInfo = {
    authUrl,
    baseUrl,
    controlUrl,
    clients: state.clients.credentials,
    accounts: state.accounts.all.map(({ name, uuid }) => ({ name, uuid })),
    ...(controlKey !== undefined && { controlKey }),
  };
  return { state, server, handle, info };
});

/** Turns an exception at the start into an error of this package. */
export const startError = (cause: unknown): SandboxError =>
  cause instanceof SandboxFailure
    ? (cause as SandboxError)
    : new SandboxStartError({ reason: (cause as Error).message, cause });
