/**
 * A database that hangs or is down, and the follower's status: not ready within twenty seconds, with
 * the reason and a growing lag, and ready within twenty seconds of the recovery.
 */
import { describeWithService } from "@game-data/test-support";
import { Effect, Fiber, References } from "effect";
import { beforeEach, expect, it } from "vitest";
import { type OwnPostgres, startPostgres } from "../chaos/Postgres.ts";
import * as Health from "../src/Health.ts";
import { Follower, PageSource, Status } from "../src/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { answerHistory, startFaultServer } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { useCleanups } from "./support/hooks.ts";
import { httpSource } from "./support/HttpSource.ts";
import { KEY, run } from "./support/Run.ts";

const LIMIT_MILLIS = 20_000;
const history = makeHistory({ pages: 1500, stashPool: 60, stashesPerPage: 3, itemsPerStash: 1 });

const { cleanups } = useCleanups();

/** Follows in this process, and returns a probe of its health. */
const startFollower = async (address: string) => {
  let visible = 5;
  const timer = setInterval(() => (visible = Math.min(history.length, visible + 1)), 100);
  const server = await startFaultServer({ answer: answerHistory(history, () => visible) });
  cleanups.push(
    () => clearInterval(timer),
    () => server.close(),
  );
  const health = Promise.withResolvers<string>();
  const program = Effect.gen(function* () {
    health.resolve(yield* Health.serve());
    const store = yield* StoreUrl.open(KEY, yield* StoreUrl.parse(address));
    yield* Follower.run({ source: "stashes", pollInterval: { min: 200, max: 200 } }).pipe(
      Effect.provideContext(store),
      Effect.provideService(PageSource.PageSource, httpSource(server.url)),
    );
  });
  const fiber = Effect.runFork(
    Effect.scoped(program).pipe(
      Effect.provideService(Status.Streams, new Map()),
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
  );
  cleanups.push(() => run(Fiber.interrupt(fiber)));
  const url = await health.promise;
  return async () => {
    const response = await fetch(`${url}/health/ready`);
    const report = (await response.json()) as Status.Report;
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const lag = /^game_data_follower_lag_seconds\{.*\} (.+)$/mu.exec(metrics)?.[1];
    return { status: response.status, report, lag: Number(lag) };
  };
};

type Probe = Awaited<ReturnType<typeof startFollower>>;
type Look = Awaited<ReturnType<Probe>>;

/** Probes until the status is `status`; returns the milliseconds that it took, and the last look. */
const until = async (probe: Probe, status: number, isMet: (look: Look) => boolean = () => true) => {
  const begun = performance.now();
  while (true) {
    const look = await probe();
    // There is one follower, and a restart would not help against a store that is unavailable.
    expect(look.report.streams[0]?.state).not.toBe("standby");
    expect(look.report.live).toBe(true);
    const millis = performance.now() - begun;
    if (look.status === status && isMet(look)) return { millis, look };
    expect(millis).toBeLessThan(3 * LIMIT_MILLIS);
    await run(Effect.sleep(200));
  }
};

const headOf = ({ report }: Look) => Number(report.streams[0]?.headSeq ?? 0);

describeWithService("postgres", "a follower of PostgreSQL", () => {
  let postgres: OwnPostgres;
  beforeEach(async () => {
    postgres = (await startPostgres())!;
    cleanups.push(() => postgres.close());
  });

  const expectToOutlast = async (begin: () => unknown, end: () => unknown) => {
    const probe = await startFollower(postgres.url);
    await until(probe, 200, (look) => headOf(look) > 5);
    await begin();
    const red = await until(probe, 503);
    expect(red.millis).toBeLessThan(LIMIT_MILLIS);
    let lag = -1;
    for (let looks = 0; looks < 6; looks += 1) {
      const look = await probe();
      expect([look.status, look.report.live]).toEqual([503, true]);
      expect(look.report.reason).toMatch(/(?:commit|lease) retrying/u);
      expect(look.lag).toBeGreaterThan(lag);
      lag = look.lag;
      await run(Effect.sleep(1000));
    }
    await end();
    const green = await until(probe, 200, (look) => headOf(look) > headOf(red.look));
    expect(green.millis).toBeLessThan(LIMIT_MILLIS);
    await until(probe, 200, (look) => look.lag < 5);
  };

  it("a follower is not ready while its database is frozen, and ready again afterwards", async () => {
    cleanups.push(() => postgres.signal("SIGCONT"));
    await expectToOutlast(
      () => postgres.signal("SIGSTOP"),
      () => postgres.signal("SIGCONT"),
    );
  }, 120_000);

  it("a follower is not ready while its database is down, and ready again afterwards", async () => {
    await expectToOutlast(
      () => postgres.stop("crash"),
      () => postgres.start(),
    );
  }, 120_000);

  it("a follower serves its health before its database is started", async () => {
    const { url } = postgres;
    await postgres.stop("fast");
    const probe = await startFollower(url);
    const isWaiting = ({ report }: Look) => (report.reason ?? "").includes("store retrying");
    const { look } = await until(probe, 503, isWaiting);
    expect(look.report.reason).toContain("The store failed in");
    expect(look.report.reason).toContain("unavailable");
    await postgres.start();
    await until(probe, 200, (each) => headOf(each) > 5);
  }, 120_000);
});
