/**
 * The oracle of status: it knows what was done to the processes and to their store, and compares
 * what each process says of itself at every scrape.
 *
 * After a change a process has twenty seconds to tell the truth. Once it has told that the store is
 * away, it may not take that back before the store is there again, and its lag grows. A process that
 * does not answer takes nothing back: it has twenty seconds as well.
 */
import type { Status } from "../src/index.ts";

/** Time in which a status must become true. */
export const LIMIT_MILLIS = 20_000;

/** What is so, known by who did it. */
export interface Truth {
  /** Time of the last change of anything here. */
  readonly changedAt: number;
  readonly isStoreThere: boolean;
  /** Pages that the service has. */
  readonly pages: number;
  /** Names of the processes that run: neither killed nor frozen. */
  readonly running: ReadonlyArray<string>;
}

/** What a process says of itself; nothing where it does not answer. */
export interface Look {
  readonly name: string;
  readonly at: number;
  readonly said?: {
    readonly isReady: boolean;
    readonly report: Status.Report;
    /** Body of `/metrics`. */
    readonly metrics: string;
  };
}

/** Who works; a process that waits for its lease has no say. */
const isHolding = ({ state }: Status.StreamStatus): boolean =>
  state === "following" || state === "caughtUp" || state === "retrying" || state === "stuck";

/** What is said and not so, or so and not said, in one round of looks. */
export const falsehoods = (truth: Truth, looks: ReadonlyArray<Look>): ReadonlyArray<string> => [
  ...looks.flatMap((look) => ofProcess(truth, look).map((text) => `${look.name} ${text}`)),
  ...ofAll(truth, looks),
];

const ofProcess = (truth: Truth, { said }: Look): ReadonlyArray<string> => {
  const stream = said?.report.streams[0];
  if (said === undefined || stream === undefined) return [SILENCE];
  const { isReady, report } = said;
  const claims: ReadonlyArray<readonly [isFalse: boolean, text: string]> = [
    [!report.live, "says that a restart helps"],
    [isReady !== truth.isStoreThere, isReady ? "says ready" : "says not ready"],
    [isReady !== report.ready, "contradicts itself about ready"],
    [gaugeOf(said.metrics, "ready") !== Number(isReady), "has another gauge of ready"],
    [
      (gaugeOf(said.metrics, "lag_seconds") === undefined) !== (stream.lagSeconds === undefined),
      "has another gauge of lag",
    ],
    [!truth.isStoreThere && stream.state === "standby", "says that another follows"],
    [!truth.isStoreThere && stream.isCaughtUp, "says caught up"],
    [
      !truth.isStoreThere && !NAMES_THE_STORE.test(report.reason ?? ""),
      "names no store as the reason",
    ],
    [Number(stream.headSeq) > truth.pages, "has more pages than there are"],
    [stream.isCaughtUp && Number(stream.headSeq) < truth.pages, "says caught up before the end"],
  ];
  return claims.flatMap(([isFalse, text]) => (isFalse ? [text] : []));
};

const SILENCE = "says nothing";
const NAMES_THE_STORE = /(store|lease|commit) (retrying|stuck|waiting)/u;

/** One of them follows to the end, the others stand by. */
const ofAll = (truth: Truth, looks: ReadonlyArray<Look>): ReadonlyArray<string> => {
  if (!truth.isStoreThere || looks.length === 0) return [];
  const streams = looks.flatMap(({ said }) => said?.report.streams ?? []);
  const owners = streams.filter(isHolding);
  if (owners.length !== 1) return [`${owners.length} say that they follow`];
  const { isCaughtUp, lagSeconds, headSeq, state } = owners[0]!;
  // How fast it gets to the end is the machine's; that it says so on the way is what counts. The
  // service fails one request in five, which is told as well.
  if (Number(headSeq) !== truth.pages || state === "retrying") return [];
  return isCaughtUp && lagSeconds === 0 ? [] : ["the owner does not say caught up"];
};

/** A gauge of the only stream. */
const gaugeOf = (metrics: string, name: string): number | undefined => {
  const value = new RegExp(`^game_data_follower_${name}\\{.*\\} (.+)$`, "mu").exec(metrics)?.[1];
  return value === undefined ? undefined : Number(value);
};

/** Compares round after round. */
export class Oracle {
  /** Falsehoods that lasted too long, or that came back. */
  readonly problems: Array<string> = [];
  /** Milliseconds until everything said was true, for each change that was waited for. */
  readonly waits: Array<number> = [];
  rounds = 0;
  private changedAt = 0;
  private isTrue = false;
  private looks: ReadonlyArray<Look> = [];
  private readonly since = new Map<string, number>();
  private readonly lags = new Map<string, number>();

  /** One round; a look that began before the truth changed says nothing about it. */
  compare(truth: Truth, round: ReadonlyArray<Look>, deed: string): void {
    if (truth.changedAt !== this.changedAt) {
      this.changedAt = truth.changedAt;
      this.isTrue = false;
      this.since.clear();
      this.lags.clear();
    }
    const looks = round.filter(
      ({ at, name }) => at > truth.changedAt && truth.running.includes(name),
    );
    if (looks.length < truth.running.length) return;
    this.rounds += 1;
    const found = falsehoods(truth, looks);
    for (const text of this.since.keys()) if (!found.includes(text)) this.since.delete(text);
    this.looks = looks;
    const now = Math.max(0, ...looks.map(({ at }) => at));
    for (const text of found) {
      // Another cause is no recovery: what counts is the time since the change, or since all was true.
      if (!this.since.has(text)) this.since.set(text, now);
      const isBack = this.isTrue && !truth.isStoreThere && !text.endsWith(SILENCE);
      if (isBack) this.report(`${text} again`, deed);
      else if (now - this.since.get(text)! > LIMIT_MILLIS) this.report(text, deed);
    }
    if (found.length === 0 && !this.isTrue) {
      this.isTrue = true;
      this.waits.push(now - truth.changedAt);
    }
    if (this.isTrue && !truth.isStoreThere) this.compareLags(looks, deed);
  }

  /** Whether all was true in a round since the last change. */
  isSettled(truth: Truth): boolean {
    return this.isTrue && this.changedAt === truth.changedAt;
  }

  /** What is false now. */
  get open(): ReadonlyArray<string> {
    return [...this.since.keys()];
  }

  /** Notes a problem, once for each deed. */
  report(text: string, deed: string): void {
    const told = this.looks.map(({ name, said }) => {
      const { headSeq, state } = said?.report.streams[0] ?? {};
      return `${name}: ${state} at ${headSeq}, ${said?.report.reason ?? "no reason"}`;
    });
    const problem = `after ${deed}: ${text}`;
    if (this.problems.some((known) => known.startsWith(problem))) return;
    this.problems.push(`${problem} (${told.join("; ")})`);
  }

  private compareLags(looks: ReadonlyArray<Look>, deed: string): void {
    for (const { name, said } of looks) {
      if (said === undefined) continue;
      const lag = gaugeOf(said.metrics, "lag_seconds");
      const before = this.lags.get(name);
      if (before !== undefined && !(lag !== undefined && lag > before)) {
        this.report(`${name} has a lag that does not grow`, deed);
      }
      if (lag !== undefined) this.lags.set(name, lag);
    }
  }
}
