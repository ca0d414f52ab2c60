/**
 * A store that hangs or is gone, and a follower's status: red within twenty seconds and with its
 * reason, the lag rising at every look, and green within twenty seconds of the recovery.
 */
import { describeWithService } from "@game-data/test-support";
import { Effect, Fiber, References } from "effect";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { useCleanups } from "./support/hooks.ts";
import { type OwnPostgres, startPostgres } from "../chaos/Postgres.ts";
import { HealthServer } from "../src/http/index.ts";
import { Follower, PageSource, Parts, type Status } from "../src/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { answerHistory, startFaultServer } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { httpSource } from "./support/HttpSource.ts";
import { KEY } from "./support/Run.ts";
import { type NatsCluster, startCluster } from "./support/NatsCluster.ts";

const LIMIT_MILLIS = 20_000;
const history = makeHistory({ pages: 1500, stashPool: 60, stashesPerPage: 3, itemsPerStash: 1 });

const { cleanups } = useCleanups();

/** A follower in this process, and its health as a probe sees it. */
const followed = async (address: string) => {
  let visible = 5;
  const timer = setInterval(() => (visible = Math.min(history.length, visible + 1)), 100);
  const server = await startFaultServer({ answer: answerHistory(history, () => visible) });
  cleanups.push(
    () => clearInterval(timer),
    () => server.close(),
  );
  const address$ = Promise.withResolvers<string>();
  const program = Effect.gen(function* () {
    address$.resolve(yield* HealthServer.serve());
    const stores = yield* StoreUrl.open(KEY, yield* StoreUrl.parse(address), {
      keepBytes: 100_000_000,
    });
    const options = { pollInterval: { min: 200, max: 200 }, prefetch: "none" } as const;
    yield* Follower.run({ ...options, source: "stashes" }).pipe(
      Effect.provideContext(stores),
      Effect.provideService(PageSource.PageSource, httpSource(server.url)),
    );
  });
  const fiber = Effect.runFork(
    Effect.scoped(program).pipe(
      Effect.provideService(Parts.Parts, new Map()),
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
  );
  cleanups.push(() => Effect.runPromise(Fiber.interrupt(fiber)));
  const url = await address$.promise;
  return {
    look: async () => {
      const response = await fetch(`${url}/health/ready`);
      const report = (await response.json()) as Status.Report;
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const lag = /^game_data_follower_lag_seconds\{.*\} (.+)$/mu.exec(metrics)?.[1];
      return { status: response.status, report, lag: Number(lag) };
    },
  };
};

type Followed = Awaited<ReturnType<typeof followed>>;
type Look = Awaited<ReturnType<Followed["look"]>>;

/** Looks until the probe says `status`; the milliseconds that it took, and the last look. */
const until = async (
  probe: Followed,
  status: number,
  isSo: (look: Look) => boolean = () => true,
) => {
  const begun = performance.now();
  while (true) {
    const look = await probe.look();
    // There is one follower, and a store that hangs is waited for: nobody else, and no restart.
    expect(look.report.streams[0]?.state).not.toBe("standby");
    expect(look.report.live).toBe(true);
    const millis = performance.now() - begun;
    if ((look.status === status && isSo(look)) || millis > 3 * LIMIT_MILLIS)
      return { millis, look };
    await sleep(200);
  }
};

const headOf = ({ report }: Look) => Number(report.streams[0]?.headSeq ?? 0);

interface Outage {
  readonly begin: () => unknown;
  readonly end: () => unknown;
}

/** Breaks the store for as long as the status needs, and mends it. */
const expectToOutlast = async (address: string, { begin, end }: Outage) => {
  const probe = await followed(address);
  await until(probe, 200, (look) => headOf(look) > 5);
  await begin();
  const red = await until(probe, 503);
  expect(red.look.status).toBe(503);
  expect(red.millis).toBeLessThan(LIMIT_MILLIS);
  const lags: Array<number> = [];
  for (let looks = 0; looks < 6; looks += 1) {
    const { lag, report, status } = await probe.look();
    expect([status, report.live, report.reason]).toEqual([
      503,
      true,
      expect.stringMatching(/(commit|lease) retrying/u),
    ]);
    expect(report.streams[0]!.state).not.toBe("standby");
    lags.push(lag);
    await sleep(1000);
  }
  for (const [index, lag] of lags.entries()) {
    if (index > 0) expect(lag).toBeGreaterThan(lags[index - 1]!);
  }
  await end();
  const green = await until(probe, 200, (look) => headOf(look) > headOf(red.look));
  expect(green.millis).toBeLessThan(LIMIT_MILLIS);
  await until(probe, 200, ({ lag }) => lag < 5);
};

describeWithService("postgres", "a follower into PostgreSQL", () => {
  let postgres: OwnPostgres;
  beforeEach(async () => {
    postgres = (await startPostgres())!;
    cleanups.push(() => postgres.close());
  });

  it("is not ready while the database is frozen, and ready after it", async () => {
    cleanups.push(() => postgres.signal("SIGCONT"));
    await expectToOutlast(postgres.url, {
      begin: () => postgres.signal("SIGSTOP"),
      end: () => postgres.signal("SIGCONT"),
    });
  }, 120_000);

  it("serves its health before the database is there", async () => {
    const url = new URL(postgres.url);
    await postgres.close();
    cleanups.length = 0;
    const probe = await followed(url.href);
    const red = await until(probe, 503, ({ report }) => report.reason !== undefined);
    const { look } = await until(probe, 503, ({ report }) =>
      (report.reason ?? "").includes("store retrying"),
    );
    expect([red.look.report.live, look.report.live]).toEqual([true, true]);
    expect(look.report.reason).toContain(
      "store retrying: The store failed in connect (unavailable)",
    );
  }, 120_000);
});

describeWithService("nats", "a follower into three NATS servers", (program) => {
  it("is not ready while two of them are frozen, and ready after it", async () => {
    const cluster: NatsCluster = await startCluster(program, 3);
    cleanups.push(() => cluster.close());
    const two = cluster.nodes.slice(0, 2);
    const all = (signal: "SIGSTOP" | "SIGCONT") => {
      for (const node of two) node.signal(signal);
    };
    cleanups.push(() => all("SIGCONT"));
    await expectToOutlast(cluster.urlOf("outage"), {
      begin: () => all("SIGSTOP"),
      end: () => all("SIGCONT"),
    });
  }, 180_000);
});
