/**
 * An independent model of the other side: true sliding windows over hits that are counted in hidden
 * buckets.
 *
 * It shares no code with the limiter. A hit stays counted until the end of its bucket plus the
 * period.
 */
export interface ServerWindow {
  max: number;
  readonly period: number;
  readonly bucket: number;
  readonly penalty: number;
}

export class SlidingServer {
  windows: Array<ServerWindow>;
  readonly policy: string;
  readonly hits: Array<number> = [];
  violations = 0;
  served = 0;
  restrictedUntil = 0;
  /** Where the buckets begin. */
  readonly phase: number;
  readonly state: boolean;

  constructor(
    policy: string,
    windows: ReadonlyArray<ServerWindow>,
    options: { phase?: number; state?: boolean } = {},
  ) {
    this.policy = policy;
    this.windows = windows.map((window) => ({ ...window }));
    this.phase = options.phase ?? 0;
    this.state = options.state ?? true;
  }

  counted(window: ServerWindow, now: number): number {
    return this.hits.filter((hit) => {
      const end =
        window.bucket === 0
          ? hit
          : (Math.floor((hit - this.phase) / window.bucket) + 1) * window.bucket + this.phase;
      return now < end + window.period;
    }).length;
  }

  handle(now: number): { status: number; headers: Record<string, string> } {
    this.hits.push(now);
    const longest = Math.max(...this.windows.map((window) => window.period + window.bucket));
    while ((this.hits[0] ?? now) < now - longest - 1000) this.hits.shift();
    const over = this.windows.filter((window) => this.counted(window, now) > window.max);
    const refused = now < this.restrictedUntil || over.length > 0;
    for (const window of over) {
      this.restrictedUntil = Math.max(this.restrictedUntil, now + window.penalty);
    }
    if (refused) this.violations++;
    else this.served++;
    const left = Math.ceil(Math.max(0, this.restrictedUntil - now) / 1000);
    return {
      status: refused ? 429 : 200,
      headers: {
        "x-rate-limit-policy": this.policy,
        "x-rate-limit-rules": "Account",
        "x-rate-limit-account": this.windows
          .map((w) => `${w.max}:${w.period / 1000}:${w.penalty / 1000}`)
          .join(","),
        ...(this.state && {
          "x-rate-limit-account-state": this.windows
            .map((w) => `${this.counted(w, now)}:${w.period / 1000}:${refused ? left : 0}`)
            .join(","),
        }),
        ...(refused && { "retry-after": String(left) }),
      },
    };
  }
}
