/** Runs the effects of a client as promises and async iterables, until it is closed. */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Fiber from "effect/Fiber";
import type * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Pull from "effect/Pull";
import * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import type { RawResponse } from "../Api.ts";
import type { Call } from "../call/Call.ts";
import { CallObserver } from "../call/runCall.ts";
import { TransportError } from "../Errors.ts";
import type { GameApi } from "../GameApi.ts";

/** A response whose body has not been read yet. Read it to the end, or `close` it. */
export interface PromiseRawResponse extends Omit<RawResponse, "bytes"> {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly close: () => Promise<void>;
}

export class Runner {
  readonly #runtime: ManagedRuntime.ManagedRuntime<GameApi, unknown>;
  readonly #fibers = new Set<Fiber.Fiber<unknown, unknown>>();
  #isClosed = false;

  constructor(layer: Layer.Layer<GameApi, unknown>) {
    this.#runtime = ManagedRuntime.make(layer);
  }

  /** Rejects with the signal's reason if it aborts, and with `closed` if the client closes. */
  run<A, E>(
    operation: string,
    effect: Effect.Effect<A, E, GameApi>,
    signal?: AbortSignal,
  ): Promise<A> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closed(operation));
      if (signal?.aborted) return reject(signal.reason);
      let call: Call | undefined;
      const observe = (started: Call) => {
        call = started;
      };
      const fiber = this.#runtime.runFork(Effect.provideService(effect, CallObserver, observe));
      const abort = () => fiber.interruptUnsafe();
      signal?.addEventListener("abort", abort, { once: true });
      this.#fibers.add(fiber);
      fiber.addObserver((exit) => {
        this.#fibers.delete(fiber);
        signal?.removeEventListener("abort", abort);
        if (Exit.isSuccess(exit)) resolve(exit.value);
        else if (!Cause.hasInterruptsOnly(exit.cause)) reject(Cause.squash(exit.cause));
        else reject(signal?.aborted ? signal.reason : closed(operation, call));
      });
    });
  }

  /** Iterates over a stream. Each step ends with the signal. */
  async *iterate<A, E>(
    operation: string,
    stream: Effect.Effect<Stream.Stream<A, E>, E, GameApi>,
    signal?: AbortSignal,
  ): AsyncGenerator<A> {
    const scope = Scope.makeUnsafe();
    try {
      const opening = Scope.provide(Stream.toPull(Stream.unwrap(stream)), scope);
      const pull = await this.run(operation, opening, signal);
      const step = Pull.catchDone(pull, () => Effect.succeed([]));
      for (;;) {
        const items = await this.run(operation, step, signal);
        if (items.length === 0) return;
        yield* items;
      }
    } finally {
      await closeScope(scope);
    }
  }

  /** Opens a response whose connection stays open until its bytes are read or it is closed. */
  async open<E>(
    operation: string,
    response: Effect.Effect<RawResponse, E, GameApi | Scope.Scope>,
    signal?: AbortSignal,
  ): Promise<PromiseRawResponse> {
    const scope = Scope.makeUnsafe();
    const opened = await this.run(operation, Scope.provide(response, scope), signal);
    const bytes = Stream.ensuring(opened.bytes, Scope.close(scope, Exit.void));
    return {
      ...opened,
      bytes: this.iterate(operation, Effect.succeed(bytes), signal),
      close: () => closeScope(scope),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const fiber of this.#fibers) fiber.interruptUnsafe();
    await this.#runtime.dispose();
  }
}

const closeScope = (scope: Scope.Closeable) => Effect.runPromise(Scope.close(scope, Exit.void));

const closed = (operation: string, call?: Call) =>
  new TransportError({
    operation,
    route: call?.request.route ?? "",
    attempts: call?.attempts ?? 0,
    reason: "closed",
  });
