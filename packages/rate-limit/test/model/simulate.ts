/** Drives the planning core against the model in virtual time. */
import { xRateLimit } from "../../src/Headers.ts";
import type { Grant } from "../../src/plan.ts";
import { Planner, type PlannerOptions } from "./planner.ts";
import { type ModelOptions, ModelServer, oracle } from "./Server.ts";

export const generator = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};

export interface Regime {
  readonly name: string;
  readonly server: (random: () => number) => Omit<ModelOptions, "random">;
  readonly hours?: number;
  /** Requests in flight at once, in all. */
  readonly fibers?: number;
  /** Milliseconds of one way. */
  readonly oneWay?: (random: () => number) => number;
  /** Milliseconds by which a response is late; `Infinity`: it never comes. */
  readonly late?: (random: () => number) => number;
  readonly core?: PlannerOptions;
  readonly identities?: ReadonlyArray<string>;
  readonly routes?: ReadonlyArray<string>;
  /** The time at which other programs send, in milliseconds. */
  readonly foreign?: (random: () => number, millis: number) => ReadonlyArray<number>;
  readonly change?: (server: ModelServer, now: number) => void;
  readonly changesAt?: ReadonlyArray<number>;
  /** The client dies this often. */
  readonly restart?: { readonly every: number; readonly keeps: boolean };
  /** The error of the client's wall clock. */
  readonly wall?: (now: number) => number;
  /** The least utilisation: per cent of the oracle's requests, 0.3 less than was measured. */
  readonly target: number;
  /** The most refused requests of one seed. The long test permits two more. Default: 0. */
  readonly violations?: number;
  /** The reason, if 95 % without a violation is impossible. */
  readonly because?: string;
}

export interface Run {
  readonly served: number;
  readonly oracle: number;
  readonly violations: number;
  readonly utilisation: number;
}

interface Flight {
  readonly grant: Grant;
  readonly born: number;
  readonly arrivesAt: number;
  readonly answersAt: number;
  answer?: ReturnType<ModelServer["handle"]>;
}

/** A run of a regime in virtual time. */
export const simulate = (regime: Regime, seed: number): Run => {
  const random = generator(seed * 7919 + 17);
  const millis = (regime.hours ?? 1) * 3_600_000;
  const model: ModelOptions = { ...regime.server(random), random };
  const server = new ModelServer(model);
  const identities = regime.identities ?? ["me"];
  const routes = regime.routes ?? ["GET /x"];
  const oneWay = regime.oneWay ?? ((next) => 15 + next() * 30);
  const foreign = regime.foreign?.(random, millis) ?? [];
  const planner = new Planner(regime.core);
  let generation = 0;
  let serial = 0;
  let nextForeign = 0;
  let turn = 0;
  let now = 0;
  let flights: Array<Flight> = [];
  const fibers = regime.fibers ?? 3;
  let lastRestart = 0;
  while (now < millis) {
    regime.change?.(server, now);
    if (regime.restart && now - lastRestart >= regime.restart.every) {
      lastRestart = now;
      generation++;
      planner.restart(regime.restart.keeps, now);
    }
    while (nextForeign < foreign.length && foreign[nextForeign]! <= now) {
      server.handle(foreign[nextForeign]!, {
        route: routes[0]!,
        identity: identities[0]!,
        foreign: true,
      });
      nextForeign++;
    }
    for (const flight of flights
      .filter((each) => !each.answer && each.arrivesAt <= now)
      .toSorted((a, b) => a.arrivesAt - b.arrivesAt)) {
      flight.answer = server.handle(flight.arrivesAt, flight.grant);
    }
    planner.expire(now);
    if (planner.firstDeadline <= now) throw new Error(`a request outlives its deadline at ${now}`);
    flights = flights.filter((flight) => {
      if (flight.answersAt > now)
        return flight.answersAt < Number.POSITIVE_INFINITY || !flight.answer;
      if (flight.born !== generation) return false;
      const { headers, status } = flight.answer!;
      const wall = 1_700_000_000_000 + now + (regime.wall?.(now) ?? 0);
      planner.settle(flight.grant, status, xRateLimit(headers, wall), now);
      return false;
    });
    let until = Number.POSITIVE_INFINITY;
    let refused = 0;
    while (planner.size < fibers) {
      const identity = identities[turn % identities.length]!;
      const route = routes[serial % routes.length]!;
      const answer = planner.acquire({ route, identity }, now);
      turn++;
      if ("until" in answer) {
        until = Math.min(until, answer.until);
        if (++refused >= identities.length) break;
        continue;
      }
      refused = 0;
      serial++;
      const arrivesAt = now + oneWay(random);
      flights.push({
        grant: answer,
        born: generation,
        arrivesAt,
        answersAt: arrivesAt + oneWay(random) + (regime.late?.(random) ?? 0),
      });
    }
    const next = Math.min(
      until,
      planner.firstDeadline,
      foreign[nextForeign] ?? Number.POSITIVE_INFINITY,
      ...flights.map((each) => (each.answer ? each.answersAt : each.arrivesAt)),
      ...(regime.restart ? [lastRestart + regime.restart.every] : []),
      ...(regime.changesAt ?? []).filter((at) => at > now),
    );
    if (!Number.isFinite(next))
      throw new Error(`${regime.name}: nothing will ever happen at ${now}`);
    now = Math.max(next, now + 0.01);
  }
  const { served } = server;
  const { change, changesAt } = regime;
  return {
    served,
    // Costs more than the run, and a recorded plan needs none.
    get oracle() {
      return oracle(model, millis, { identities, routes, foreign, change, changesAt });
    },
    violations: server.violations,
    get utilisation() {
      return (100 * served) / this.oracle;
    },
  };
};
