/**
 * Every member of every collaborator of a follower fails, hangs, dies and throws, once and for
 * ever, through exported names alone: a run is whole in the end, or ends with what the collaborator
 * said. It never hangs, and a driver's defect that may pass ends nothing.
 *
 * The tables are total over the members: a new one without a case does not compile.
 */
import {
  Changes,
  Follower,
  Indexer,
  Lease,
  PageLog,
  PageSource,
  Parts,
  Sink,
  SinkError,
} from "@game-data/stream-follower";
import { SinkSqlite } from "@game-data/stream-follower/sqlite";
import { Cause, Effect, Exit } from "effect";
import { describe, expect, it } from "vitest";
import { virtually } from "../support/Run.ts";
import * as SinkMemory from "../support/SinkMemory.ts";

const PAGES = 4;
const HOUR_MILLIS = 3_600_000;

/** What a database driver throws where it should fail: a connection that broke may come back. */
const passing = () =>
  Object.assign(new Error("Connection closed"), { _tag: "SqlError", isRetryable: true });

class Bug extends Error {}

const WAYS = {
  fails: () => Effect.fail(new SinkError({ operation: "any", kind: "unavailable" })),
  "dies of what may pass": () => Effect.die(passing()),
  hangs: () => Effect.never,
  dies: () => Effect.die(new Bug("dies")),
  throws: () => {
    throw new Bug("throws");
  },
} as const;
type Way = keyof typeof WAYS;

/** Calls of one member, of which those that `isBad` names go wrong. */
type Bend = <F extends (...args: never) => unknown>(real: F) => F;

const bend = (way: Way, isBad: (call: number) => boolean): Bend => {
  let calls = 0;
  return <F extends (...args: never) => unknown>(real: F) =>
    ((...args: Parameters<F>) => {
      calls += 1;
      return isBad(calls) ? WAYS[way]() : real(...(args as never));
    }) as unknown as F;
};

const page = (id: string | undefined) => {
  const at = Number(id ?? 0);
  const stashes = at < PAGES ? [{ id: `${at}`.padStart(64, "0"), public: true, items: [] }] : [];
  return JSON.stringify({ next_change_id: `${Math.min(PAGES, at + 1)}`, stashes });
};

const source: PageSource.PageSourceService = {
  open: ({ id }) =>
    Effect.succeed({
      status: 200,
      headers: {},
      body: (async function* () {
        yield Buffer.from(page(id));
      })(),
    }),
};

const lease = (): Lease.LeaseStore => {
  let epoch = 0;
  return {
    take: () => Effect.sync(() => (epoch += 1)),
    renew: () => Effect.succeed(true),
    release: () => Effect.void,
  };
};

type Bent<S> = (real: S) => Partial<S>;
interface World {
  readonly sink?: Bent<Sink.SinkService>;
  readonly lease?: Bent<Lease.LeaseStore>;
  readonly source?: Partial<PageSource.PageSourceService>;
  readonly run?: Partial<Follower.StashRun>;
}

/** Follows all pages; how the run ended, and what the sink holds. */
const followed = async (world: World) => {
  const memory = SinkMemory.empty();
  const real = { ...SinkMemory.make(memory), polled: () => Effect.void };
  const store = lease();
  const exit = await virtually(
    Follower.run({ source: "stashes", until: "caughtUp", batchPages: 1, ...world.run }).pipe(
      Effect.provideService(Sink.Sink, { ...real, ...world.sink?.(real) }),
      Effect.provideService(
        Lease.Lease,
        Lease.fromStore({ ...store, ...world.lease?.(store) }, { renewInterval: "1 second" }),
      ),
      Effect.provideService(PageSource.PageSource, { ...source, ...world.source }),
      Effect.provideService(Parts.Parts, new Map()),
    ),
    { limitMillis: HOUR_MILLIS },
  );
  return { exit, seqs: memory.pages.map(({ seq }) => Number(seq)) };
};

/** The sequence of a page is its place: each once, in order. */
const WHOLE = Array.from({ length: PAGES }, (_, at) => at + 1);

const expectWhole = async (world: World) => {
  const { exit, seqs } = await followed(world);
  expect([Exit.isSuccess(exit) ? "whole" : Cause.pretty(exit.cause), seqs]).toEqual([
    "whole",
    WHOLE,
  ]);
};

/** A bug of a collaborator is shown as it is, unless the member is one that may be gone. */
const expectWholeOrBug = async (world: World) => {
  const { exit, seqs } = await followed(world);
  expect(seqs).toEqual(WHOLE.slice(0, seqs.length));
  if (Exit.isSuccess(exit)) expect(seqs).toEqual(WHOLE);
  else expect(Cause.squash(exit.cause)).toBeInstanceOf(Bug);
};

type Members<S> = {
  [
    Member in keyof S as S[Member] extends ((...args: never) => unknown) | undefined
      ? Member
      : never
  ]-?: (way: Bend) => World;
};

const sinkMembers: Members<Required<Omit<Sink.SinkService, "level">>> = {
  claim: (bad) => ({ sink: ({ claim }) => ({ claim: bad(claim) }) }),
  commit: (bad) => ({ sink: ({ commit }) => ({ commit: bad(commit) }) }),
  polled: (bad) => ({ sink: ({ polled }) => ({ polled: bad(polled!) }) }),
};
const leaseMembers: Members<Lease.LeaseStore> = {
  take: (bad) => ({ lease: ({ take }) => ({ take: bad(take) }) }),
  renew: (bad) => ({ lease: ({ renew }) => ({ renew: bad(renew) }) }),
  release: (bad) => ({ lease: ({ release }) => ({ release: bad(release) }) }),
};
const MEMBERS = [
  ...Object.entries(sinkMembers).map(([name, of]) => [`sink.${name}`, of] as const),
  ...Object.entries(leaseMembers).map(([name, of]) => [`lease.${name}`, of] as const),
];

/** Long enough for a renewal of the lease and its loss. */
const slowly: World["source"] = {
  open: (request) => Effect.andThen(Effect.sleep("3 seconds"), source.open(request)),
};

/** The member goes wrong at its first call, and at its second. */
const expectAtEach = async (
  of: (bad: Bend) => World,
  way: Way,
  expectIt: (world: World) => Promise<void>,
) => {
  for (const bad of [1, 2]) {
    await expectIt({ ...of(bend(way, (call) => call === bad)), source: slowly });
  }
};

describe.each(MEMBERS)("%s", (_, of) => {
  it.each(["fails", "dies of what may pass", "hangs"] as const)(
    "%s once: the run is whole",
    (way) => expectAtEach(of, way, expectWhole),
  );

  it.each(["dies", "throws"] as const)("%s: the run is whole or says so", (way) =>
    expectAtEach(of, way, expectWholeOrBug),
  );
});

describe("a source", () => {
  const opening = (way: Way) => ({ open: bend(way, (call) => call === 2)(source.open) as never });

  it("whose open hangs once is asked again", () => expectWhole({ source: opening("hangs") }));

  it.each(["dies", "throws"] as const)("whose open %s is shown as it is", (way) =>
    expectWholeOrBug({ source: opening(way) }),
  );

  /** A source whose second response is another one. */
  const second = (other: Partial<PageSource.PageResponse>): World => {
    let opened = 0;
    const open: typeof source.open = (request) =>
      Effect.map(source.open(request), (response) =>
        (opened += 1) === 2 ? { ...response, ...other } : response,
      );
    return { source: { open } };
  };

  const bodies: Record<string, () => AsyncIterable<Uint8Array>> = {
    "is no text": async function* () {
      yield 5 as never;
    },
    "is empty": async function* () {},
    "never ends": async function* () {
      yield Buffer.from("{");
      await new Promise(() => {});
    },
    throws: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("broken")) }),
    }),
    "is HTML": async function* () {
      yield Buffer.from("<html>");
    },
  };
  it.each(Object.entries(bodies))("whose body %s once is asked again", (_, body) =>
    expectWhole(second({ body: body() })),
  );

  it.each([0, -1, 99, 600, Number.NaN, 1.5])(
    "that answers with the status %d once is asked again",
    (status) => expectWhole(second({ status })),
  );
});

const throwing = () => {
  throw new Bug("callback");
};
it.each([
  ["onCommitted that throws, and the page is in the store", { onCommitted: throwing }, [1]],
  ["stopWhen that dies", { stopWhen: Effect.die(new Bug("stop")) }, []],
])("a callback is shown as it is: %s", async (_, run, stored) => {
  const { exit, seqs } = await followed({ run });
  expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBeInstanceOf(Bug);
  expect(seqs).toEqual(stored);
});

it.each([
  ["after", { after: null }],
  ["after", { after: 5 }],
  ["after", { after: -3n }],
  ["shards.count", { shards: { count: 0, mine: new Set([0]) } }],
  ["shards.count", { shards: { count: 2.5, mine: new Set([0]) } }],
  ["shards.mine", { shards: { count: 2, mine: new Set() } }],
  ["shards.mine", { shards: { count: 2, mine: new Set([2]) } }],
  ["maxPages", { maxPages: 0 }],
  ["until", { until: "foo" }],
  ["key.realm", { key: { source: "stashes", realm: "moon" } }],
])("an option that would read nothing names itself: %s", async (option, change) => {
  const key = { source: "stashes", realm: "pc" } as const;
  const reading = async () => {
    const options = { key, until: "caughtUp", ...change } as never;
    for await (const _ of Changes.iterate(SinkSqlite.layer({ path: ":memory:" }), options)) break;
  };
  await expect(reading()).rejects.toMatchObject({ _tag: "ConfigurationInvalid", option });
});

describe("a page log, for who reads it", () => {
  const key = { source: "stashes", realm: "pc" } as const;

  interface Readers {
    readonly log?: Bent<PageLog.PageLogService>;
    readonly indexer?: Bent<Indexer.Indexer>;
  }

  /** The pages that a consumer and an indexer have applied, one after another. */
  const applied = async ({ indexer, log }: Readers) => {
    const program = Effect.gen(function* () {
      const store = yield* SinkSqlite.make({ path: ":memory:" });
      yield* Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
        Effect.provideService(Sink.Sink, store),
        Effect.provide(Lease.none),
        Effect.provideService(PageSource.PageSource, source),
      );
      const bent = { ...store, ...log?.(store) };
      const consumed: Array<number> = [];
      yield* Changes.run({
        key,
        until: "caughtUp",
        apply: ({ version }) => Effect.sync(() => void consumed.push(Number(version))),
      }).pipe(Effect.provideService(PageLog.PageLog, bent));
      const indexed: Array<number> = [];
      let stands = 0n;
      const real: Indexer.Indexer = {
        name: "own",
        version: 1,
        position: () => Effect.sync(() => stands),
        apply: (_, pages) =>
          Effect.sync(() => {
            for (const { seq } of pages) indexed.push(Number((stands = seq)));
          }),
      };
      yield* Indexer.run({ ...real, ...indexer?.(real) }, { key, until: "caughtUp" }).pipe(
        Effect.provideService(PageLog.PageLog, bent),
      );
      return { consumed, indexed };
    });
    const exit = await virtually(
      Effect.scoped(program).pipe(Effect.provideService(Parts.Parts, new Map())),
      { limitMillis: HOUR_MILLIS },
    );
    return Exit.isSuccess(exit) ? exit.value : Cause.pretty(exit.cause);
  };

  const cases: Record<string, (bad: Bend) => Readers> = {
    "log.read": (bad) => ({ log: ({ read }) => ({ read: bad(read) }) }),
    "log.acknowledge": (bad) => ({ log: (real) => ({ acknowledge: bad(real.acknowledge) }) }),
    "log.positions": (bad) => ({
      log: ({ positions }) => ({ positions: Effect.suspend(bad(() => positions)) }),
    }),
    "indexer.position": (bad) => ({ indexer: (real) => ({ position: bad(real.position) }) }),
    "indexer.apply": (bad) => ({ indexer: (real) => ({ apply: bad(real.apply) }) }),
  };
  describe.each(Object.entries(cases))("%s", (_, of) => {
    it.each(["fails", "dies of what may pass", "hangs"] as const)(
      "that %s once is asked again, and each page is applied once",
      async (way) => {
        const readers = of(bend(way, (call) => call === 1));
        expect(await applied(readers)).toEqual({ consumed: WHOLE, indexed: WHOLE });
      },
    );
  });
});
