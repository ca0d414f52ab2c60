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
import { type Addresses, validateOptions, type SandboxOptions, resolveConfig } from "./Config.ts";
import { type RegistrationRejected, SandboxStartError } from "./Errors.ts";
import {
  type CoreServices,
  coreServices,
  type ListenerHandler,
  makeHandlers,
  requestReferences,
} from "./Application.ts";
import { openListeners } from "./http/sockets.ts";
import type { Listener } from "./http/Listener.ts";
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
  const sockets = yield* openListeners(options).pipe(
    Effect.mapError((reason) => new SandboxStartError({ reason })),
  );
  const { sandbox, handlers, services } = yield* build(options, sockets.addresses);
  yield* sockets.handle(handlers).pipe(Effect.provide(services));
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
  const reason = validateOptions(options);
  return reason === undefined ? Effect.void : Effect.fail(new SandboxStartError({ reason }));
};

const build = Effect.fnUntraced(function* (options: SandboxOptions, addresses: Addresses) {
  const scope = yield* Effect.scope;
  const surroundings = yield* Effect.context<never>();
  const config = yield* Effect.try({
    try: () =>
      resolveConfig({ ...options, seed: options.seed ?? seedOfFile(options.file) }, addresses),
    catch: (cause) => new SandboxStartError({ reason: String(cause) }),
  });
  const services = yield* Layer.buildWithScope(
    Layer.merge(coreServices(config), requestReferences),
    scope,
  );
  const context = Context.merge(surroundings, services);
  const handlers = yield* makeHandlers.pipe(Effect.provide(context));
  const { credentials } = Context.get(services, Clients);
  const sandbox = Sandbox.of({
    ...addresses,
    clients: credentials,
    accounts: Context.get(services, Accounts).all.map(({ name, uuid }) => ({ name, uuid })),
    services,
    fetch: webHandler(handlers, addresses, context),
  });
  return { sandbox, handlers, services };
});

/** Answers web requests by the listener that their origin names. */
const webHandler = (
  handlerOf: ListenerHandler,
  addresses: Addresses,
  context: Context.Context<CoreServices>,
): ((request: Request) => Promise<Response>) => {
  const toWeb = HttpEffect.toWebHandlerWith<
    CoreServices,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >(context);
  const origins: Array<readonly [string, Listener]> = [
    [new URL(addresses.authUrl).origin, "auth"],
    [new URL(addresses.baseUrl).origin, "data"],
    [new URL(addresses.controlUrl).origin, "control"],
  ];
  const handlers = new Map(
    origins.map(([origin, listener]) => [origin, toWeb(handlerOf(listener))] as const),
  );
  return (request) => {
    const handler = handlers.get(new URL(request.url).origin);
    return handler === undefined
      ? Promise.reject(new TypeError("this sandbox does not answer at that address"))
      : handler(request);
  };
};
