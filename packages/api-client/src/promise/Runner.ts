/**
 * Runs the calls of a client as promises.
 */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Fiber from "effect/Fiber";
import { TransportError } from "../Errors.ts";

/** Runs the calls of a client and ends them when it is closed. */
export class Runner {
  private readonly fibers = new Set<Fiber.Fiber<unknown, unknown>>();
  private isClosed = false;

  run<A, E>(effect: Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      if (this.isClosed) {
        reject(closed());
        return;
      }
      const fiber = Effect.runFork(effect);
      this.fibers.add(fiber);
      fiber.addObserver((exit) => {
        this.fibers.delete(fiber);
        if (Exit.isSuccess(exit)) resolve(exit.value);
        else if (signal?.aborted) reject(signal.reason as Error);
        else if (this.isClosed && Cause.hasInterruptsOnly(exit.cause)) reject(closed());
        else reject(Cause.squash(exit.cause) as Error);
      });
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const ended = [...this.fibers].map(
      (fiber) => new Promise<void>((resolve) => fiber.addObserver(() => resolve())),
    );
    for (const fiber of this.fibers) fiber.interruptUnsafe();
    await Promise.all(ended);
  }
}

const closed = () =>
  new TransportError({ operation: "close", route: "", attempts: 0, kind: "closed" });
