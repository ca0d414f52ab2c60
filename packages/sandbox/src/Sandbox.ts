/**
 * A running sandbox on Node: over real ports or in this process, as an Effect layer or as promises.
 *
 * A sandbox that is built under `TestClock` keeps its time, its log goes to Effect's logger, and every
 * request is a span of the program's tracer.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Logger from "effect/Logger";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Tracer from "effect/Tracer";
import { isLoopbackHost } from "@game-data/contract/SecureUrl";
import { assemble, type SandboxInfo, startError } from "./assemble.ts";
import { SandboxClock } from "./clock/VirtualClock.ts";
import { controlOf, type SandboxControl } from "./control.ts";
import { makeTranslation } from "./data/words.ts";
import { SandboxClosed, type SandboxError, SandboxStartError } from "./Errors.ts";
import { fetchFunction } from "./http/fetch.ts";
import { openServer, requestListener, urlOf } from "./http/node.ts";
import type { JournalEntry } from "./journal/Journal.ts";
import {
  type Addresses,
  NOWHERE,
  optionsError,
  publicAddresses,
  resolveConfig,
  type SandboxOptions,
} from "./Options.ts";
import { nodePlatform } from "./platform/node.ts";

export type { SandboxInfo } from "./assemble.ts";

/** A running sandbox as an Effect service: addresses, test helpers, `fetch` and the clock. */
export class Sandbox extends Context.Service<
  Sandbox,
  SandboxInfo &
    SandboxControl & {
      /** Answers a request to any of the sandbox's addresses, without a port. */
      fetch(request: Request): Promise<Response>;
      readonly clock: SandboxClock["Service"];
    }
>()("@game-data/sandbox/Sandbox") {
  /** Starts a sandbox on real ports, and stops it when the layer's scope closes. */
  static readonly layer = (options: SandboxOptions = {}): Layer.Layer<Sandbox, SandboxError> =>
    Layer.effect(
      Sandbox,
      Effect.map(serve(options), ({ sandbox }) => sandbox),
    );

  /** Builds a sandbox without a port, which only its own `fetch` reaches. */
  static readonly layerInProcess = (
    options: SandboxOptions = {},
  ): Layer.Layer<Sandbox, SandboxError> =>
    Layer.effect(
      Sandbox,
      checkOptions(options).pipe(
        Effect.andThen(build(options, NOWHERE)),
        Effect.map(({ sandbox }) => sandbox),
      ),
    );
}

/** A sandbox that answers on real ports until it is closed. */
export interface RunningSandbox extends SandboxInfo, SandboxControl, AsyncDisposable {
  /** Stops answering and releases ports and database. */
  close(): Promise<void>;
}

/** A sandbox in this process, without a port. */
export interface SandboxHandler extends RunningSandbox {
  /** Answers a request to one of the sandbox's addresses. */
  fetch(request: Request): Promise<Response>;
}

/**
 * Starts a sandbox on real ports.
 *
 * @example
 * ```ts
 * import { startSandbox } from "@game-data/sandbox";
 *
 * const sandbox = await startSandbox({ seed: 1 });
 * const token = await sandbox.token({ scopes: ["account:profile"] });
 * const headers = { authorization: `Bearer ${token}` };
 * const response = await fetch(`${sandbox.baseUrl}/profile`, { headers });
 * console.log(response.status); // 200
 * await sandbox.close();
 * ```
 */
export const startSandbox = async (options: SandboxOptions = {}): Promise<RunningSandbox> => {
  const { fetch: _, ...running } = await runningFrom(Sandbox.layer(options));
  return { ...running, ...controlOf(running) };
};

/**
 * Builds a sandbox that answers `Request`s in this process and opens no port.
 *
 * @example
 * ```ts
 * import { createSandboxHandler } from "@game-data/sandbox";
 *
 * const sandbox = await createSandboxHandler({ seed: 1 });
 * const response = await sandbox.fetch(new Request(`${sandbox.baseUrl}/league`));
 * console.log(response.status); // 401, without a token
 * await sandbox.close();
 * ```
 */
export const createSandboxHandler = (options: SandboxOptions = {}): Promise<SandboxHandler> =>
  runningFrom(Sandbox.layerInProcess(options));

const runningFrom = async (layer: Layer.Layer<Sandbox, SandboxError>): Promise<SandboxHandler> => {
  const runtime = ManagedRuntime.make(Layer.provideMerge(layer, LOG_TO_STDERR));
  const { clock: _, ...sandbox } = await runtime.runPromise(Sandbox);
  const close = () => runtime.dispose();
  return { ...sandbox, close, [Symbol.asyncDispose]: close };
};

/** Writes the log to stderr, because stdout belongs to the program that starts the sandbox. */
export const LOG_TO_STDERR = Logger.layer([Logger.withConsoleError(Logger.formatSimple)]);

/** Serves a sandbox on real ports; closing the scope stops it. */
export const serve = Effect.fnUntraced(function* (options: SandboxOptions) {
  yield* checkOptions(options);
  const { host = "127.0.0.1", port = 0, publicUrl, singlePort = false } = options;
  if (!isLoopbackHost(host.toLowerCase()) && options.allowRemote !== true)
    return yield* Effect.fail(
      new SandboxStartError({
        reason: `${host} can be reached from other machines, and the sandbox protects nothing (allow it with allowRemote, --allow-remote)`,
      }),
    );
  const listeners = singlePort ? ([undefined] as const) : (["auth", "data", "control"] as const);
  const servers = yield* Effect.forEach(listeners, (_, index) =>
    Effect.mapError(openServer(host, port === 0 ? 0 : port + index), startError),
  );
  const [authUrl = "", baseUrl = authUrl, control = authUrl] = servers.map(urlOf);
  const built = yield* build(
    options,
    publicUrl === undefined
      ? { authUrl, baseUrl, controlUrl: `${control}/control` }
      : publicAddresses(publicUrl, singlePort),
  );
  const context = yield* Effect.context<never>();
  for (const [index, listener] of listeners.entries())
    servers[index]!.on("request", requestListener(built.handle, listener, context));
  return built;
});

const checkOptions = (options: SandboxOptions) =>
  Effect.suspend(() => {
    const error = optionsError(options);
    return error === undefined ? Effect.void : Effect.fail(error);
  });

/** Builds a sandbox with these addresses. Expects options that were checked. */
const build = Effect.fnUntraced(function* (options: SandboxOptions, addresses: Addresses) {
  const { allowRemote = false, file: path, words } = options;
  const file = path === undefined ? undefined : yield* openFile(path);
  const controlKey = options.controlKey ?? (allowRemote ? nodePlatform.random(32) : undefined);
  const assembled = yield* assemble({
    config: resolveConfig(options, addresses, controlKey),
    platform: nodePlatform,
    file,
    words: yield* Effect.try({
      try: () => (words === undefined ? undefined : makeTranslation(words)),
      catch: startError,
    }),
    hasDocuments: true,
  }).pipe(Effect.mapError((error) => (path === undefined ? error : inFile(path, error))));
  const { state, handle, info, server } = assembled;
  const context = yield* Effect.context<never>();
  // A span costs more than answering a request, so make spans only if a tracer was provided.
  if (context.mapUnsafe.has(Tracer.TracerKey)) {
    const run = Effect.runForkWith(context);
    yield* Effect.acquireRelease(
      Effect.sync(() => server.journal.subscribe((entry) => void run(spanOf(entry)))),
      (stop) => Effect.sync(stop),
    );
  }
  const send = fetchFunction(handle, info, context);
  let isOpen = true;
  yield* Effect.addFinalizer(() => Effect.sync(() => (isOpen = false)));
  const fetch = async (request: Request): Promise<Response> => {
    if (!isOpen) throw new SandboxClosed({ url: info.authUrl });
    return send(request);
  };
  const sandbox = Sandbox.of({
    ...info,
    ...controlOf(info, fetch),
    clock: SandboxClock.from(state.clock),
    fetch,
  });
  return { ...assembled, sandbox };
});

const openFile = (path: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      // Node 22 warns that `node:sqlite` is experimental: load it only if there is a file.
      try: async () => (await import("./store/sqlite.ts")).sqliteFile(path),
      catch: (cause) => inFile(path, startError(cause)),
    }),
    (file) => Effect.sync(() => file.close()),
  );

const inFile = (path: string, error: SandboxError): SandboxError =>
  error instanceof SandboxStartError
    ? new SandboxStartError({ reason: `${path}: ${error.reason}`, cause: error.cause })
    : error;

/** Records a span of a finished request. The journal has no secret, so the span has none. */
const spanOf = (entry: JournalEntry): Effect.Effect<void> =>
  Effect.void.pipe(
    Effect.withSpan(`sandbox ${entry.method} ${entry.route ?? "?"}`, {
      attributes: {
        "http.request.method": entry.method,
        "http.route": entry.route ?? "",
        "http.response.status_code": entry.status ?? 0,
        "sandbox.endpoint": entry.endpoint ?? "",
        "sandbox.client": entry.clientId ?? "",
      },
    }),
  );
