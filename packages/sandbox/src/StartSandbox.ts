/**
 * The sandbox for programs without Effect: on real ports with `startSandbox`, in process with
 * `createSandboxHandler`.
 */
import { type Application, infoOf, makeApplication, type SandboxInfo } from "./Application.ts";
import type { ApplicationParts } from "./Core.ts";
import { controlOf, type SandboxControl } from "./control.ts";
import {
  type Addresses,
  NOWHERE,
  resolveConfig,
  type SandboxOptions,
  validateOptions,
} from "./Config.ts";
import { SandboxFailure, SandboxStartError } from "./Errors.ts";
import { fetchHandler } from "./http/fetchHandler.ts";
import { nodeListener } from "./http/nodeListener.ts";
import { openSockets } from "./http/sockets.ts";
import type { Log } from "./internal/log.ts";
import { nodePlatform } from "./platform/node.ts";
import { memoryEngine } from "./store/memory.ts";
import { type Engine, META } from "./store/Store.ts";

export { infoOf, type SandboxInfo } from "./Application.ts";

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

/** Starts a sandbox on real ports. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<RunningSandbox> => {
  await checkOptions(options);
  const { application, close } = await serve(options);
  const info = infoOf(application);
  return { ...info, ...controlOf(info), close, [Symbol.asyncDispose]: close };
};

/** Builds a sandbox that answers `Request`s in this process and opens no port. */
export const createSandboxHandler = async (
  options: SandboxOptions = {},
): Promise<SandboxHandler> => {
  await checkOptions(options);
  const { application, close } = await build(options);
  const info = infoOf(application);
  const send = fetchHandler(application);
  const control = controlOf(info, send);
  return { ...info, ...control, fetch: send, close, [Symbol.asyncDispose]: close };
};

/** Clock, timer and log that a sandbox uses instead of the platform's. */
export type Surroundings = Partial<Pick<ApplicationParts, "baseClock" | "log" | "sleep">>;

export interface Running {
  readonly application: Application;
  close(): Promise<void>;
}

export const serve = async (
  options: SandboxOptions,
  surroundings: Surroundings = {},
): Promise<Running> => {
  check(options);
  const sockets = await openSockets(options);
  try {
    const application = await open(options, surroundings, sockets.addresses);
    sockets.serve((listener) => nodeListener(application, listener));
    return {
      application,
      close: async () => {
        await sockets.close();
        application.close();
      },
    };
  } catch (cause) {
    await sockets.close();
    throw cause;
  }
};

export const build = async (
  options: SandboxOptions,
  surroundings: Surroundings = {},
): Promise<Running> => {
  const application = await open(options, surroundings, NOWHERE);
  await application.ready("auth");
  return { application, close: async () => application.close() };
};

/** Throws for options that are none: unknown members, wrong types, and values that make no sense. */
export const checkOptions = async (options: SandboxOptions): Promise<void> => {
  const { misfitOf } = await import("./optionDocuments.ts");
  const reason = misfitOf(options, "ConfigDocument");
  if (reason !== undefined) throw new SandboxStartError({ reason });
  check(options);
};

const check = (options: SandboxOptions): void => {
  const reason = validateOptions(options);
  if (reason !== undefined) throw new SandboxStartError({ reason });
};

const toStderr: Log = (message, ...cause) => console.error(message, ...cause);

const open = async (
  options: SandboxOptions,
  { log = toStderr, ...surroundings }: Surroundings,
  addresses: Addresses,
): Promise<Application> => {
  const { allowRemote = false, file } = options;
  const controlKey = options.controlKey ?? (allowRemote ? nodePlatform.random(32) : undefined);
  let engine: Engine | undefined;
  try {
    const words = await loadWords(options);
    engine =
      file === undefined ? memoryEngine() : (await import("./store/sqlite.ts")).sqliteEngine(file);
    const seed = options.seed ?? seedOf(engine);
    const application = makeApplication({
      ...surroundings,
      config: resolveConfig({ ...options, seed }, addresses, controlKey),
      platform: nodePlatform,
      engine,
      log,
      words,
      documents: (path) =>
        import("./control/docs.ts").then(({ document }) => document(path, addresses)),
    });
    // Policies of one's own are checked at the start, the ready-made ones are known to be good.
    if (typeof options.rates === "object") await application.ready("auth");
    return application;
  } catch (cause) {
    engine?.close();
    throw startError(cause, file);
  }
};

/** Loads the translation, if the options name words of a deployment. */
const loadWords = async ({ words }: SandboxOptions) =>
  words === undefined
    ? undefined
    : (await import("./data/words.ts")).makeTranslation(words).translation;

/** The seed of the world that a file holds, if it is one of ours. */
const seedOf = (engine: Engine): number | undefined => {
  const seed = engine.open(META).get("seed")?.["value"];
  return seed == null ? undefined : Number(seed);
};

/** What prevents the start, as an error of the package. */
const startError = (cause: unknown, file: string | undefined): Error => {
  if (cause instanceof SandboxFailure) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SandboxStartError({
    reason: file === undefined ? reason : `${file}: ${reason}`,
    cause,
  });
};
