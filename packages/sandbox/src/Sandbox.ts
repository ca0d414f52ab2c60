/**
 * A running sandbox as an Effect resource: over real ports (`Sandbox.layer`), or in this process
 * without any (`Sandbox.layerInProcess`).
 *
 * `startSandbox` and `createSandboxHandler` are the same for programs without Effect. A sandbox
 * built under `TestClock` keeps its time; its log goes to Effect's logger, and every request is a
 * span.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import { SandboxClock } from "./clock/SandboxClock.ts";
import { controlOf, type SandboxControl } from "./control.ts";
import type { SandboxOptions } from "./Config.ts";
import { type SandboxError, SandboxFailure, SandboxStartError } from "./Errors.ts";
import { fetchHandler } from "./http/fetchHandler.ts";
import type { JournalEntry } from "./journal/JournalEntry.ts";
import {
  build,
  checkOptions,
  infoOf,
  type Running,
  type SandboxInfo,
  serve as serveSandbox,
  type Surroundings,
} from "./StartSandbox.ts";

/** A running sandbox. */
export class Sandbox extends Context.Service<
  Sandbox,
  SandboxInfo &
    SandboxControl & {
      /** Answers a request to any of the sandbox's addresses, without a port. */
      fetch(request: Request): Promise<Response>;
      /** Its virtual clock. */
      readonly clock: SandboxClock["Service"];
    }
>()("@game-data/sandbox/Sandbox") {
  /** A sandbox on real ports. */
  static readonly layer = (options: SandboxOptions = {}): Layer.Layer<Sandbox, SandboxError> =>
    Layer.effect(Sandbox, serve(options));

  /** A sandbox in this process, reached through `fetch` alone. */
  static readonly layerInProcess = (
    options: SandboxOptions = {},
  ): Layer.Layer<Sandbox, SandboxError> => Layer.effect(Sandbox, acquire(options, build));
}

/** Starts a sandbox on real ports; closing the scope stops it. */
export const serve = (
  options: SandboxOptions = {},
): Effect.Effect<Sandbox["Service"], SandboxError, Scope.Scope> => acquire(options, serveSandbox);

const acquire = Effect.fnUntraced(function* (
  options: SandboxOptions,
  start: (options: SandboxOptions, surroundings: Surroundings) => Promise<Running>,
) {
  const base = yield* Clock.Clock;
  const context = yield* Effect.context<never>();
  const run = Effect.runForkWith(context);
  const surroundings: Surroundings = {
    baseClock: () => base.currentTimeMillisUnsafe(),
    sleep: (milliseconds) => Effect.runPromiseWith(context)(Effect.sleep(milliseconds)),
    log: (message, cause) => void run(Effect.logError(message, cause)),
  };
  const { application } = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        await checkOptions(options);
        return start(options, surroundings);
      },
      catch: (cause) =>
        cause instanceof SandboxFailure
          ? (cause as SandboxError)
          : new SandboxStartError({ reason: String(cause), cause }),
    }),
    ({ close }) => Effect.promise(close),
  );
  yield* Effect.promise(async () => application.ready("auth"));
  const stop = application.service.journal.subscribe((entry) => void run(spanOf(entry)));
  yield* Effect.addFinalizer(() => Effect.sync(stop));
  const info = infoOf(application);
  const send = fetchHandler(application);
  return Sandbox.of({
    ...info,
    ...controlOf(info, send),
    clock: SandboxClock.from(application.clock),
    fetch: send,
  });
});

/** A span of a request that has ended. It carries what the journal does, hence no secret. */
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
