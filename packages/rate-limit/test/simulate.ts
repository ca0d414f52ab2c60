/**
 * Drives the planner against the independent server in virtual time, as several clients with
 * several requests in flight.
 */
import { begin } from "../src/internal/Planner.ts";
import { settle } from "../src/internal/observeResponse.ts";
import { unknownPolicy } from "../src/internal/PolicyState.ts";
import { xRateLimit } from "../src/RateLimitDialect.ts";
import type { SlidingServer } from "./SlidingServer.ts";

export interface Simulation {
  readonly server: SlidingServer;
  readonly minutes: number;
  /** Milliseconds for a request and its answer. */
  readonly latency?: number;
  /** Milliseconds of one way instead, from a number between 0 and 1. */
  readonly oneWay?: (random: () => number) => number;
  readonly assumedBucketOf?: (period: number) => number;
  readonly inFlight?: number;
  readonly seed?: number;
  readonly start?: number;
  /** Called as time passes, to change the server's mind. */
  readonly change?: (server: SlidingServer, elapsed: number) => void;
}

interface Flight {
  readonly id: string;
  readonly sentAt: number;
  readonly arrivesAt: number;
  readonly doneAt: number;
  answer?: { readonly status: number; readonly headers: Record<string, string> };
}

export const generator = (seed: number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
};

const assumedBucketOf = (period: number) => (period < 60_000 ? 5000 : 60_000);

/** Sends as fast as the planner allows; the server keeps the score. */
export const simulate = (options: Simulation): void => {
  const { server, minutes, latency = 60, inFlight = 8 } = options;
  const oneWay = options.oneWay ?? ((next) => (latency / 2) * (0.5 + next()));
  const random = generator(options.seed ?? 1);
  const begun = 1_700_000_000_000 + (options.start ?? 0);
  const end = begun + minutes * 60_000;
  const flights = new Set<Flight>();
  let state = unknownPolicy("policy");
  let now = begun;
  for (let id = 0; now < end;) {
    options.change?.(server, now - begun);
    let until = Number.POSITIVE_INFINITY;
    while (flights.size < inFlight) {
      const decision = begin(state, {
        id: String(id),
        now,
        lease: 60_000,
        concurrencyWithoutHeaders: 4,
        counted: true,
      });
      state = decision.state;
      if (!decision.go) {
        until = decision.until;
        break;
      }
      const arrivesAt = now + oneWay(random);
      const doneAt = arrivesAt + oneWay(random);
      flights.add({ id: String(id++), sentAt: now, arrivesAt, doneAt });
    }
    const events = [...flights].map((flight) => (flight.answer ? flight.doneAt : flight.arrivesAt));
    now = Math.max(now, Math.min(until, ...events));
    const arriving = [...flights].filter((flight) => !flight.answer && flight.arrivesAt <= now);
    for (const flight of arriving.toSorted((a, b) => a.arrivesAt - b.arrivesAt))
      flight.answer = server.handle(flight.arrivesAt);
    for (const flight of flights) {
      if (flight.answer !== undefined && flight.doneAt <= now) {
        flights.delete(flight);
        state = settle(state, {
          id: flight.id,
          now,
          sentAt: flight.sentAt,
          status: flight.answer.status,
          reading: xRateLimit.read(flight.answer.headers, now),
          counted: true,
          assumedBucketOf: options.assumedBucketOf ?? assumedBucketOf,
        });
      }
    }
  }
};
