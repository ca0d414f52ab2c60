/**
 * Puts the parts together: services below, one router of all routes above, and the handler that
 * serves a listener of it.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Logger from "effect/Logger";
import * as References from "effect/References";
import type * as Scope from "effect/Scope";
import * as Headers from "effect/http/Headers";
import * as HttpRouter from "effect/http/HttpRouter";
import * as HttpServer from "effect/http/HttpServer";
import type * as HttpServerRequest from "effect/http/HttpServerRequest";
import type * as HttpServerResponse from "effect/http/HttpServerResponse";
import * as UrlParams from "effect/http/UrlParams";
import { routerConfig } from "@game-data/contract";
import { Accounts } from "./clients/Accounts.ts";
import { Clients } from "./clients/Clients.ts";
import { SandboxClock } from "./clock/SandboxClock.ts";
import { SandboxConfig } from "./Config.ts";
import { BearerAuthLive } from "./oauth/BearerAuthLive.ts";
import { OAuthRoutes } from "./oauth/OAuthRoutes.ts";
import { OAuthServer } from "./oauth/OAuthServer.ts";
import { TokenVerifier } from "./oauth/TokenVerifier.ts";
import { Store } from "./store/Store.ts";
import * as Parts from "./internal/parts.ts";
import { CurrentListener, type Listener } from "./http/Listener.ts";

/** Services that every part may use. */
export type CoreServices =
  | SandboxConfig
  | Store
  | SandboxClock
  | Accounts
  | Clients
  | TokenVerifier
  | OAuthServer;

/** The services of a sandbox with a settled configuration. */
export const coreServices = (config: SandboxConfig["Service"]) =>
  OAuthServer.layer.pipe(
    Layer.provideMerge(TokenVerifier.layer),
    Layer.provideMerge(Clients.layer),
    Layer.provideMerge(Layer.mergeAll(Accounts.layer, SandboxClock.layer)),
    Layer.provideMerge(Store.layer),
    Layer.provideMerge(Layer.succeed(SandboxConfig, config)),
  );

/**
 * Every route and middleware, over the services of all parts. The first middleware in is the
 * outermost.
 */
const appLayer = Layer.mergeAll(OAuthRoutes, Parts.DataRoutes, Parts.ControlRoutes).pipe(
  Layer.provideMerge(Parts.ControlMiddleware),
  Layer.provideMerge(Parts.DataFront),
  Layer.provide(BearerAuthLive),
  Layer.provide(Layer.mergeAll(Parts.DataServices, Parts.ControlServices)),
  Layer.provide(HttpServer.layerServices),
);

/** A handler of requests for one listener. */
export type ListenerHandler = (
  listener: Listener,
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>;

/** Builds the router once and answers the handlers of its listeners. */
export const makeHandlers: Effect.Effect<ListenerHandler, never, CoreServices | Scope.Scope> =
  Effect.gen(function* () {
    const clock = yield* SandboxClock;
    const handle = yield* HttpRouter.toHttpEffect(appLayer).pipe(
      Effect.provideService(HttpRouter.RouterConfig, routerConfig),
    );
    return (listener) =>
      handle.pipe(
        Effect.provideService(CurrentListener, listener),
        Effect.provideService(Clock.Clock, clock.effectClock),
      );
  });

/** Parameters whose values never reach a span: they stand in URLs, which spans record. */
const SECRET_PARAMETERS = [
  "code",
  "state",
  "code_challenge",
  "code_verifier",
  "client_secret",
  "token",
  "access_token",
  "refresh_token",
  "csrf",
];

/** References under which requests run: logs on stderr, secrets out of spans. */
export const requestReferences = Layer.mergeAll(
  Layer.succeed(Logger.LogToStderr, true),
  Layer.succeed(References.MinimumLogLevel, "Warn"),
  Layer.succeed(UrlParams.CurrentRedactedNames, SECRET_PARAMETERS),
  Layer.succeed(Headers.CurrentRedactedNames, [
    "authorization",
    "cookie",
    "set-cookie",
    "location",
    "x-api-key",
  ]),
);
