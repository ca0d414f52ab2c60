/** The granted requests of this process that have no recorded outcome yet, the oldest first. */
import type { Grant, RequestsInFlight } from "./plan.ts";

/** Accounts whose full windows are remembered. */
const MAX_ACCOUNTS = 10_000;

export class InFlightTable implements RequestsInFlight {
  readonly #prefix: string;
  readonly #grants = new Map<string, Grant>();
  readonly #roundTrips = new Map<string, number>();
  readonly #fullAt = new Map<string, number>();
  /** Requests whose outcomes the store did not record, and when the documents forget them. */
  readonly #unrecorded = new Map<string, number>();
  /** Grants of the current transaction, which may run again. */
  #added: Array<Grant> = [];
  #serial = 0;

  /** `prefix` tells the requests of this process apart in a shared store. */
  constructor(prefix: string) {
    this.#prefix = `${prefix}-`;
  }

  get size(): number {
    return this.#grants.size + this.#added.length;
  }

  nextId(): string {
    return `${this.#prefix}${this.#serial++}`;
  }

  /** Starts a transaction, or starts it again. */
  begin(): void {
    this.#added = [];
  }

  add(grant: Grant): void {
    this.#added.push(grant);
  }

  commit(): void {
    for (const grant of this.#added) this.#grants.set(grant.id, grant);
    this.#added = [];
  }

  /** Removes a request whose outcome was recorded. Returns `false` if it was removed before. */
  remove({ id }: Grant): boolean {
    return this.#grants.delete(id);
  }

  /** Removes a request whose outcome was not recorded: its place stays reserved until `lostAt`. */
  abandon({ id }: Grant, now: number, lostAt: number): void {
    for (const [each, until] of this.#unrecorded) if (until < now) this.#unrecorded.delete(each);
    this.#grants.delete(id);
    this.#unrecorded.set(id, lostAt);
  }

  /** Updates the mean round trip of a request's policies. */
  observe({ policies }: Grant, roundTrip: number): void {
    for (const name of policies) {
      const mean = this.roundTrip(name);
      this.#roundTrips.set(name, mean + (roundTrip - mean) * (mean === 0 ? 1 : 0.1));
    }
  }

  roundTrip(policy: string): number {
    return this.#roundTrips.get(policy) ?? 0;
  }

  fullAt(account: string, now: number): number {
    const last = this.#fullAt.get(account);
    if (last === undefined) this.markFull(account, now);
    return last ?? now;
  }

  markFull(account: string, now: number): void {
    this.#fullAt.delete(account);
    this.#fullAt.set(account, now);
    const [oldest] = this.#fullAt.keys();
    if (this.#fullAt.size > MAX_ACCOUNTS) this.#fullAt.delete(oldest!);
  }

  /** Returns the time at which the oldest request was sent. */
  oldest(): number {
    for (const { sent } of this.#grants.values()) return sent;
    return Number.POSITIVE_INFINITY;
  }

  /** Returns the requests that have had no outcome for `timeout` milliseconds. */
  expired(now: number, timeout: number): ReadonlyArray<Grant> {
    return [...this.#grants.values()].filter(({ sent }) => sent + timeout <= now);
  }

  forPolicy(policy: string): ReadonlyArray<Grant> {
    return [...this.#grants.values(), ...this.#added].filter(({ policies }) =>
      policies.includes(policy),
    );
  }

  isOrphan(id: string): boolean {
    return (
      id.startsWith(this.#prefix) &&
      !this.#grants.has(id) &&
      !this.#unrecorded.has(id) &&
      !this.#added.some((grant) => grant.id === id)
    );
  }
}
