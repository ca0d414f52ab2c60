/**
 * Stops calling a service that keeps failing: after `failures` in a row nothing is sent for
 * `cooldown`, then one request tries.
 */
export class CircuitBreaker {
  readonly #failures: number;
  readonly #cooldown: number;
  #inARow = 0;
  #openUntil = 0;
  #isTrying = false;

  constructor(failures: number, cooldown: number) {
    this.#failures = failures;
    this.#cooldown = cooldown;
  }

  /** Whether a request may go at `now`. */
  admits(now: number): boolean {
    if (this.#inARow < this.#failures) return true;
    if (now < this.#openUntil || this.#isTrying) return false;
    this.#isTrying = true;
    return true;
  }

  /** The request that was to try was never sent: the next one tries. */
  forget(): void {
    this.#isTrying = false;
  }

  /** A request came back, or did not. */
  note(isFailure: boolean, now: number): void {
    this.#isTrying = false;
    this.#inARow = isFailure ? this.#inARow + 1 : 0;
    if (this.#inARow >= this.#failures) this.#openUntil = now + this.#cooldown;
  }
}
