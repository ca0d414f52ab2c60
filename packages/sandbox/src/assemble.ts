/** Puts a sandbox together from its state, its service and its control plane. */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import type { ClientCredentials } from "./clients/Clients.ts";
import type { Addresses } from "./Config.ts";
import { type CoreParts, makeCore } from "./Core.ts";
import type { WordsTranslation } from "./data/words.ts";
import { SandboxFailure, type SandboxError, SandboxStartError } from "./Errors.ts";
import type { Handle } from "./http/Exchange.ts";
import { makeService } from "./Service.ts";

export interface Parts extends Omit<CoreParts, "realNow"> {
  readonly words?: WordsTranslation | undefined;
  /** Whether the OpenAPI documents are served. */
  readonly hasDocuments: boolean;
}

/** Addresses, clients and accounts of a running sandbox. */
export interface SandboxInfo extends Addresses {
  /** The seeded and configured clients, with their secrets. */
  readonly clients: ReadonlyArray<ClientCredentials>;
  readonly accounts: ReadonlyArray<{ readonly name: string; readonly uuid: string }>;
  /** Key of the control plane, if it asks for one. */
  readonly controlKey?: string;
}

export type Assembled = Effect.Success<ReturnType<typeof assemble>>;

/** Makes a sandbox that tells the time by the surrounding `Clock`. */
export const assemble = Effect.fnUntraced(function* (parts: Parts) {
  const clock = yield* Clock.Clock;
  const { core, service } = yield* Effect.try({
    try: () => {
      const made = makeCore({ ...parts, realNow: () => clock.currentTimeMillisUnsafe() });
      return { core: made, service: makeService(made, parts.words) };
    },
    catch: startError,
  });
  // The table of the control plane holds nothing that has to be closed.
  const scope = yield* Scope.make();
  const control = yield* Effect.cached(
    Effect.promise(() => import("./control/ControlPlane.ts")).pipe(
      Effect.flatMap(({ makeControlPlane }) =>
        makeControlPlane(core, service, parts.hasDocuments).pipe(Scope.provide(scope)),
      ),
    ),
  );
  const handle: Handle = (listener, incoming) =>
    listener === "control"
      ? Effect.flatMap(control, (plane) => plane(incoming))
      : service.respond(listener, incoming);
  const { authUrl, baseUrl, controlKey, controlUrl } = core.config;
  const info: SandboxInfo = {
    authUrl,
    baseUrl,
    controlUrl,
    clients: core.clients.credentials,
    accounts: core.accounts.all.map(({ name, uuid }) => ({ name, uuid })),
    ...(controlKey !== undefined && { controlKey }),
  };
  return { core, service, handle, info };
});

/** What prevents a start, as an error of the package. */
export const startError = (cause: unknown): SandboxError => {
  if (cause instanceof SandboxFailure) return cause as SandboxError;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SandboxStartError({ reason, cause });
};
