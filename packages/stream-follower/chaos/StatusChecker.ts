/**
 * Compares what each process says of itself with what was done to the processes and their store.
 *
 * After a change a process has twenty seconds until its status is true. Once it has said that the
 * store is unavailable, it must not take that back before the store is available again, and its lag
 * must grow.
 */
import type { Status } from "../src/index.ts";

/** Time in which a status must become true. */
export const LIMIT_MILLIS = 20_000;

/** The facts, known by the program that caused them. */
export interface ExpectedStatus {
  /** Time of the last change. */
  readonly changedAt: number;
  readonly isStoreAvailable: boolean;
  /** Pages that the service has. */
  readonly pages: number;
  /** Names of the processes that are neither killed nor frozen. */
  readonly running: ReadonlyArray<string>;
}

/** What a process said of itself; nothing if it did not respond. */
export interface Observation {
  readonly name: string;
  readonly at: number;
  /** Body of `/health/ready`. */
  readonly report?: Status.Report;
  /** Body of `/metrics`. */
  readonly metrics?: string;
}

const STORE_PARTS = /\b(?:store|lease|commit)\b/u;
const HOLDING: ReadonlySet<string> = new Set(["following", "caughtUp", "retrying", "stuck"]);

/** Returns the false statements of one round of observations. */
const falseStatements = (
  expected: ExpectedStatus,
  observations: ReadonlyArray<Observation>,
): ReadonlyArray<string> => [
  ...observations.flatMap((one) =>
    processFaults(expected, one).map((text) => `${one.name} ${text}`),
  ),
  ...ownerFaults(expected, observations),
];

const processFaults = (
  { isStoreAvailable, pages }: ExpectedStatus,
  { metrics = "", report }: Observation,
): ReadonlyArray<string> => {
  const stream = report?.streams[0];
  if (report === undefined || stream === undefined) return ["does not respond"];
  const { headSeq, lagSeconds, reason = "", state } = stream;
  const statements: ReadonlyArray<readonly [isFalse: boolean, text: string]> = [
    [!report.live, "says that a restart helps"],
    [report.ready !== isStoreAvailable, `says ready: ${report.ready}`],
    [gauge(metrics, "ready") !== Number(report.ready), "has another gauge of ready"],
    [
      (gauge(metrics, "lag_seconds") === undefined) !== (lagSeconds === undefined),
      "has another lag",
    ],
    [!isStoreAvailable && state === "standby", "says that another process follows"],
    [!isStoreAvailable && state === "caughtUp", "says caught up"],
    [!isStoreAvailable && !STORE_PARTS.test(reason), "does not name the store as the reason"],
    [Number(headSeq) > pages, "has more pages than the service"],
    [state === "caughtUp" && Number(headSeq) < pages, "says caught up before the end"],
  ];
  return statements.flatMap(([isFalse, text]) => (isFalse ? [text] : []));
};

/** One process follows to the end, the others stand by. */
const ownerFaults = (
  { isStoreAvailable, pages }: ExpectedStatus,
  observations: ReadonlyArray<Observation>,
): ReadonlyArray<string> => {
  if (!isStoreAvailable || observations.length === 0) return [];
  const streams = observations.flatMap(({ report }) => report?.streams ?? []);
  const owners = streams.filter(({ state }) => HOLDING.has(state));
  const [owner] = owners;
  if (owner === undefined || owners.length > 1) return [`${owners.length} processes follow`];
  if (Number(owner.headSeq) < pages) return ["the owner is not at the end"];
  // The service fails now and then, and the status says so.
  if (owner.state === "retrying") return [];
  return owner.state === "caughtUp" && owner.lagSeconds === 0 ? [] : ["the owner is not caught up"];
};

const gauge = (metrics: string, name: string): number | undefined => {
  const value = new RegExp(`^game_data_follower_${name}\\{.*\\} (.+)$`, "mu").exec(metrics)?.[1];
  // The lag of a process that stands by is not a number.
  return value === undefined || value === "NaN" ? undefined : Number(value);
};

/** Compares round after round. */
export class StatusChecker {
  /** Statements that were false for too long, or false again. */
  readonly problems: Array<string> = [];
  rounds = 0;
  /** The longest time until every statement was true. */
  slowestMillis = 0;
  private changedAt = 0;
  private isTrue = false;
  private open: ReadonlyArray<string> = [];
  private readonly lags = new Map<string, number>();

  /** Compares one round. An observation from before the last change counts for nothing. */
  compare(expected: ExpectedStatus, round: ReadonlyArray<Observation>, cause: string): void {
    if (expected.changedAt !== this.changedAt) {
      this.changedAt = expected.changedAt;
      this.isTrue = false;
      this.lags.clear();
    }
    const current = round.filter(
      ({ at, name }) => at > expected.changedAt && expected.running.includes(name),
    );
    if (current.length < expected.running.length) return;
    this.rounds += 1;
    this.open = falseStatements(expected, current);
    const waitedMillis = Math.max(0, ...current.map(({ at }) => at)) - this.changedAt;
    if (this.open.length === 0 && !this.isTrue) {
      this.isTrue = true;
      this.slowestMillis = Math.max(this.slowestMillis, waitedMillis);
    }
    if (!this.isTrue || expected.isStoreAvailable) return;
    for (const text of this.open)
      if (!text.endsWith("does not respond")) this.report(`${text} again`, cause);
    this.compareLags(current, cause);
  }

  /** Whether every statement was true in a round since the last change. */
  isSettled(expected: ExpectedStatus): boolean {
    return this.isTrue && this.changedAt === expected.changedAt;
  }

  /** Reports what is still false. */
  reportOpen(cause: string): void {
    const texts = this.open.length > 0 ? this.open : ["no process responds"];
    for (const text of texts) this.report(text, cause);
  }

  report(text: string, cause: string): void {
    const problem = `after ${cause}: ${text}`;
    if (!this.problems.includes(problem)) this.problems.push(problem);
  }

  private compareLags(observations: ReadonlyArray<Observation>, cause: string): void {
    for (const { metrics, name } of observations) {
      if (metrics === undefined) continue;
      const lag = gauge(metrics, "lag_seconds");
      const before = this.lags.get(name);
      if (before !== undefined && !(lag !== undefined && lag > before))
        this.report(`${name} has a lag that does not grow`, cause);
      if (lag !== undefined) this.lags.set(name, lag);
    }
  }
}
