/**
 * A running sandbox as an Effect resource: over real ports (`serve`), or in this process without
 * any (`inProcess`).
 *
 * Use `Sandbox.layer` in an Effect program and its tests; `startSandbox` and `createSandboxHandler`
 * are the same for everybody else. A sandbox built under `TestClock` keeps its time.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as HttpEffect from "effect/http/HttpEffect";
import type * as HttpServerRequest from "effect/http/HttpServerRequest";
import { Accounts, type SeededAccount } from "./clients/Accounts.ts";
import { type ClientCredentials, Clients } from "./clients/Clients.ts";
import { type Addresses, optionsProblem, type SandboxOptions, settle } from "./Config.ts";
import { type RegistrationRejected, SandboxStartError } from "./Errors.ts";
import {
  type CoreServices,
  coreServices,
  type FaceHandler,
  makeFaces,
  requestReferences,
} from "./internal/composition.ts";
import { openListeners } from "./internal/listeners.ts";
import type { Surface } from "./internal/surfaces.ts";
import { seedOfFile } from "./store/Store.ts";

/** What is known about a running sandbox. */
export interface SandboxInfo extends Addresses {
  /** The seeded and configured clients, with their secrets. */
  readonly clients: ReadonlyArray<ClientCredentials>;
  /** The accounts that can sign in. */
  readonly accounts: ReadonlyArray<Pick<SeededAccount, "name" | "uuid">>;
}

/** A running sandbox. */
export class Sandbox extends Context.Service<
  Sandbox,
  SandboxInfo & {
    /** Answers a request to any of the sandbox's addresses, without a port. */
    fetch(request: Request): Promise<Response>;
    /** The services inside, for tests that look behind the wire. */
    readonly services: Context.Context<CoreServices>;
  }
>()("@game-data/sandbox/Sandbox") {
  /** A sandbox on real ports. */
  static readonly layer = (
    options: SandboxOptions = {},
  ): Layer.Layer<Sandbox, SandboxStartError | RegistrationRejected> =>
    Layer.effect(Sandbox, serve(options));

  /** A sandbox in this process, reached through `fetch` alone. */
  static readonly layerInProcess = (
    options: SandboxOptions = {},
  ): Layer.Layer<Sandbox, SandboxStartError | RegistrationRejected> =>
    Layer.effect(Sandbox, inProcess(options));
}

/** Starts a sandbox on real ports; closing the scope stops it. */
export const serve = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  yield* checkOptions(options);
  const listeners = yield* openListeners(options).pipe(
    Effect.mapError((reason) => new SandboxStartError({ reason })),
  );
  const { sandbox, faces, services } = yield* build(options, listeners.addresses);
  yield* listeners.handle(faces).pipe(Effect.provide(services));
  return sandbox;
});

/** Addresses of a sandbox without ports: names that reach nothing but this process. */
const NOWHERE: Addresses = {
  authUrl: "http://auth.sandbox.localhost",
  baseUrl: "http://api.sandbox.localhost",
  controlUrl: "http://control.sandbox.localhost/control",
};

/** Builds a sandbox in this process; closing the scope ends it. */
export const inProcess = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  yield* checkOptions(options);
  return (yield* build(options, NOWHERE)).sandbox;
});

const checkOptions = (options: SandboxOptions): Effect.Effect<void, SandboxStartError> => {
  const reason = optionsProblem(options);
  return reason === undefined ? Effect.void : Effect.fail(new SandboxStartError({ reason }));
};

const build = Effect.fnUntraced(function* (options: SandboxOptions, addresses: Addresses) {
  const scope = yield* Effect.scope;
  const surroundings = yield* Effect.context<never>();
  const config = yield* Effect.try({
    try: () => settle({ ...options, seed: options.seed ?? seedOfFile(options.file) }, addresses),
    catch: (cause) => new SandboxStartError({ reason: String(cause) }),
  });
  const services = yield* Layer.buildWithScope(
    Layer.merge(coreServices(config), requestReferences),
    scope,
  );
  const context = Context.merge(surroundings, services);
  const faces = yield* makeFaces.pipe(Effect.provide(context));
  const { credentials } = Context.get(services, Clients);
  const sandbox = Sandbox.of({
    ...addresses,
    clients: credentials,
    accounts: Context.get(services, Accounts).all.map(({ name, uuid }) => ({ name, uuid })),
    services,
    fetch: webHandler(faces, addresses, context),
  });
  return { sandbox, faces, services };
});

/** Answers web requests by the face that their origin names. */
const webHandler = (
  faces: FaceHandler,
  addresses: Addresses,
  context: Context.Context<CoreServices>,
): ((request: Request) => Promise<Response>) => {
  const toWeb = HttpEffect.toWebHandlerWith<
    CoreServices,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >(context);
  const origins: Array<readonly [string, Surface]> = [
    [new URL(addresses.authUrl).origin, "auth"],
    [new URL(addresses.baseUrl).origin, "data"],
    [new URL(addresses.controlUrl).origin, "control"],
  ];
  const handlers = new Map(
    origins.map(([origin, surface]) => [origin, toWeb(faces(surface))] as const),
  );
  return (request) => {
    const handler = handlers.get(new URL(request.url).origin);
    return handler === undefined
      ? Promise.reject(new TypeError("this sandbox does not answer at that address"))
      : handler(request);
  };
};
