/** A callback that passed every check, and the one exchange that it is good for. */
import type * as Redacted from "effect/Redacted";
import type { Flow } from "../Flow.ts";

/** Made by `PkceFlow.validateCallback` only: a private member keeps look-alikes and copies out. */
export class ValidatedCallback {
  readonly code: Redacted.Redacted;
  readonly flow: Flow;
  readonly validatedAt: number;
  #spent = false;

  constructor(code: Redacted.Redacted, flow: Flow, validatedAt: number) {
    this.code = code;
    this.flow = flow;
    this.validatedAt = validatedAt;
  }

  /** True for the first caller. */
  take(): boolean {
    const first = !this.#spent;
    this.#spent = true;
    return first;
  }

  /** Undoes `take`, when certainly nothing was sent. */
  giveBack(): void {
    this.#spent = false;
  }
}
