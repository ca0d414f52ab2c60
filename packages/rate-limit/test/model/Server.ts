/**
 * An independent model of the other side: true sliding windows over hits that are kept to the end
 * of
 * hidden buckets. Refused requests count, penalties grow. It shares no code with the limiter.
 */
export interface ModelWindow {
  readonly rule: string;
  max: number;
  readonly period: number;
  /** Hits are kept to the end of a bucket of this length; 0: none. */
  readonly bucket: number;
}

export interface ModelPolicy {
  readonly name: string;
  windows: Array<ModelWindow>;
}

export interface ModelOptions {
  readonly policies: ReadonlyArray<ModelPolicy>;
  /** The policy that counts a request; the name of the first one by default. */
  readonly policyAt?: (route: string, now: number, index: number) => string;
  readonly penalty?: number;
  readonly state?: boolean;
  readonly phase?: number;
  /** The server's clock: drift as a share, jitter in milliseconds either way. */
  readonly drift?: number;
  readonly jitter?: number;
  readonly sharedRules?: ReadonlyArray<string>;
  /** Changes the headers of a response. */
  readonly headers?: (
    headers: Record<string, string>,
    now: number,
    random: () => number,
  ) => Record<string, string>;
  /** The status of a permitted request. */
  readonly status?: (random: () => number) => number;
  /** Requests that are refused without being over a limit. */
  readonly refuse?: (now: number) => number;
  readonly random: () => number;
}

interface Book {
  readonly hits: Array<number>;
  restrictedUntil: number;
  penalties: number;
}

export class ModelServer {
  readonly options: ModelOptions;
  readonly books = new Map<string, Book>();
  violations = 0;
  served = 0;
  foreignRefused = 0;
  handled = 0;

  constructor(options: ModelOptions) {
    this.options = options;
  }

  policy(route: string, now: number): ModelPolicy {
    const { policies, policyAt } = this.options;
    const name = policyAt?.(route, now, this.handled);
    return policies.find((each) => each.name === name) ?? policies[0]!;
  }

  book(policy: ModelPolicy, window: ModelWindow, identity: string): Book {
    const isShared = (this.options.sharedRules ?? ["ip", "client"]).includes(window.rule);
    const key = `${policy.name} ${window.rule} ${window.period} ${isShared ? "" : identity}`;
    const known = this.books.get(key);
    if (known) return known;
    const made = { hits: [], restrictedUntil: Number.NEGATIVE_INFINITY, penalties: 0 };
    this.books.set(key, made);
    return made;
  }

  /** The time at which a hit stamped `stamp` is no longer counted. */
  leaves(window: ModelWindow, stamp: number): number {
    if (window.bucket === 0) return stamp + window.period;
    const phase = this.options.phase ?? 0;
    const end = (Math.floor((stamp - phase) / window.bucket) + 1) * window.bucket + phase;
    return end + window.period;
  }

  count(window: ModelWindow, book: Book, clock: number): number {
    while (book.hits.length > 0 && this.leaves(window, book.hits[0]!) < clock - 2000)
      book.hits.shift();
    let counted = 0;
    for (let index = book.hits.length - 1; index >= 0; index--) {
      const leaves = this.leaves(window, book.hits[index]!);
      if (leaves > clock) counted++;
      else if (leaves < clock - 1000) break;
    }
    return counted;
  }

  clock(now: number): number {
    const { drift = 0, jitter = 0, random } = this.options;
    return now * (1 + drift) + (jitter === 0 ? 0 : (random() * 2 - 1) * jitter);
  }

  handle(
    now: number,
    request: { readonly route: string; readonly identity: string; readonly foreign?: boolean },
  ): { readonly status: number; readonly headers: Record<string, string> } {
    const { options } = this;
    const { random } = options;
    const clock = this.clock(now);
    const policy = this.policy(request.route, now);
    this.handled++;
    const states = new Map<string, Array<string>>();
    const limits = new Map<string, Array<string>>();
    let isRefused = false;
    let longest = 0;
    const forced = options.refuse?.(now) ?? 0;
    for (const window of policy.windows) {
      const book = this.book(policy, window, request.identity);
      book.hits.push(clock);
      const count = this.count(window, book, clock);
      const isRestricted = clock < book.restrictedUntil;
      if (count > window.max || isRestricted) {
        isRefused = true;
        const penalty = (options.penalty ?? 60_000) * 2 ** Math.min(book.penalties, 4);
        if (!isRestricted) book.penalties++;
        if (count > window.max)
          book.restrictedUntil = Math.max(book.restrictedUntil, clock + penalty);
      }
      const left = Math.ceil(Math.max(0, book.restrictedUntil - clock) / 1000);
      longest = Math.max(longest, left);
      const rule = window.rule;
      const seconds = window.period / 1000;
      limits.set(rule, [
        ...(limits.get(rule) ?? []),
        `${window.max}:${seconds}:${(options.penalty ?? 60_000) / 1000}`,
      ]);
      states.set(rule, [
        ...(states.get(rule) ?? []),
        `${count}:${seconds}:${isRefused ? left : 0}`,
      ]);
    }
    if (forced > 0) {
      isRefused = true;
      longest = forced;
    }
    if (request.foreign) {
      if (isRefused) this.foreignRefused++;
    } else if (isRefused) this.violations++;
    else this.served++;
    let headers: Record<string, string> = {
      "x-rate-limit-policy": policy.name,
      "x-rate-limit-rules": [...limits.keys()].join(","),
    };
    for (const [rule, list] of limits) {
      headers[`x-rate-limit-${rule}`] = list.join(",");
      if (options.state !== false) headers[`x-rate-limit-${rule}-state`] = states.get(rule)!.join();
    }
    if (isRefused) headers["retry-after"] = String(longest);
    if (options.headers) headers = options.headers(headers, now, random);
    return { status: isRefused ? 429 : (options.status?.(random) ?? 200), headers };
  }
}

/**
 * Counts the requests of a greedy client that sees the server's state, has no latency, and knows
 * when others
 * send. `identities` take turns.
 */
export const oracle = (
  options: ModelOptions,
  millis: number,
  input: {
    readonly identities: ReadonlyArray<string>;
    readonly routes: ReadonlyArray<string>;
    readonly foreign?: ReadonlyArray<number>;
    readonly change?: ((server: ModelServer, now: number) => void) | undefined;
    readonly changesAt?: ReadonlyArray<number>;
  },
): number => {
  const server = new ModelServer({ ...options, jitter: 0 });
  const foreign = input.foreign ?? [];
  let served = 0;
  let nextForeign = 0;
  let now = 0;
  let turn = 0;
  const fits = (policy: ModelPolicy, identity: string): number => {
    let at = now;
    for (const window of policy.windows) {
      const { hits } = server.book(policy, window, identity);
      const leaving = hits.map((hit) => server.leaves(window, hit)).filter((time) => time > now);
      if (leaving.length >= window.max)
        at = Math.max(at, leaving.toSorted((a, b) => a - b)[leaving.length - window.max]!);
      // Room for what others will send while this request counts.
      const until = server.leaves(window, now);
      let coming = 0;
      for (let index = nextForeign; index < foreign.length && foreign[index]! < until; index++) {
        coming++;
        const staying = leaving.filter((time) => time > foreign[index]!).length;
        if (staying + 1 + coming > window.max) at = Math.max(at, foreign[index]! + 0.001);
      }
    }
    return at;
  };
  while (now < millis) {
    input.change?.(server, now);
    while (nextForeign < foreign.length && foreign[nextForeign]! <= now) {
      const policy = server.policy(input.routes[0]!, now);
      for (const window of policy.windows)
        server.book(policy, window, input.identities[0]!).hits.push(foreign[nextForeign]!);
      nextForeign++;
    }
    let soonest = Math.min(
      foreign[nextForeign] ?? millis,
      ...(input.changesAt ?? []).filter((at) => at > now),
      millis,
    );
    let sent = false;
    for (let offset = 0; offset < input.identities.length; offset++) {
      const identity = input.identities[(turn + offset) % input.identities.length]!;
      const route = input.routes[served % input.routes.length]!;
      const policy = server.policy(route, now);
      const at = fits(policy, identity);
      if (at <= now) {
        for (const window of policy.windows) {
          const { hits } = server.book(policy, window, identity);
          hits.push(now);
          while (server.leaves(window, hits[0]!) < now - 1000) hits.shift();
        }
        served++;
        server.handled++;
        turn += offset + 1;
        sent = true;
        break;
      }
      soonest = Math.min(soonest, at);
    }
    if (!sent) now = Math.max(now + 0.001, soonest);
  }
  return served;
};
