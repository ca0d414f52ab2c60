/** A store that fails in five ways, and the story of a browser that signs in over it. */
import { decode } from "../../src/internal/Grant.ts";
import { makeSealer } from "../../src/makeSealer.ts";
import { memoryStore, reveal, type Backend } from "../../src/promise/index.ts";
import type { SignIn } from "../../src/web/index.ts";
import { Browser, cookieOf, KEYS, makeApp, makeOAuthServer } from "./app.ts";
import { pause } from "./virtualTime.ts";

/** Ways in which a call fails. */
const WAYS = ["throws", "throws after", "hangs", "hangs after", "late"] as const;

/** One fault: the way, the call from which on, and for how long (0: this call alone). */
export interface Fault {
  readonly way: (typeof WAYS)[number];
  readonly at: number;
  readonly lasts: number;
}

const never = new Promise<never>(() => undefined);

/** A store in memory that fails by plan, and remembers its keys. */
export const badStore = (fault: Fault | undefined) => {
  const memory = memoryStore();
  const keys = new Set<string>();
  let calls = 0;
  let since: number | undefined;
  const spoil = async <A>(run: () => Promise<A>): Promise<A> => {
    calls += 1;
    if (fault === undefined || calls < fault.at) return run();
    since ??= Date.now();
    const isOver = fault.lasts === 0 ? calls > fault.at : Date.now() - since >= fault.lasts;
    if (isOver) return run();
    if (fault.way === "late") {
      await pause(3_750);
      return run();
    }
    if (fault.way.endsWith("after")) await run();
    if (fault.way.startsWith("hangs")) return never;
    throw Object.assign(new Error("refresh-sentinel"), { code: "ECONNRESET" });
  };
  const store: Backend = {
    read: (key) => spoil(() => memory.read(key)),
    write: (key, expected, next) => {
      keys.add(key);
      return spoil(() => memory.write(key, expected, next));
    },
  };
  /** The refresh tokens in the store. */
  const stored = async () => {
    const sealer = await makeSealer({ ...KEYS, purpose: "tokens" });
    const found = new Set<string>();
    for (const key of keys) {
      const entry = await memory.read(key);
      const opened = entry && (await sealer.open(entry.text, key));
      const token = opened && decode(opened)?.tokens?.refreshToken;
      if (token) found.add(reveal(token));
    }
    return found;
  };
  return { store, stored };
};

/** A case of the run. */
export interface Case {
  readonly fault: Fault | undefined;
  /** Milliseconds of the exchange. */
  readonly exchange: number;
  /** Servers that take the requests in turn. */
  readonly servers: number;
}

const ANSWER_MILLIS = 10_000;
const STORE_MILLIS = 3_000;

/** Signs a browser in, as a patient user would, and says what went wrong. */
const tellStory = async ({ exchange, fault, servers }: Case): Promise<ReadonlyArray<string>> => {
  const findings: Array<string> = [];
  const scope = "account:characters oauth:revoke";
  const oauth = makeOAuthServer({ delayMillis: exchange, scope });
  const { store, stored } = badStore(fault);
  const texts: Array<string> = [];
  const log = (line: string) => texts.push(line);
  const apps = await Promise.all(
    Array.from({ length: servers }, () => makeApp(oauth, { store, log })),
  );
  let turn = 0;
  const nextApp = (): SignIn => apps[turn++ % apps.length]!;
  const timed = async <A>(limit: number, run: () => Promise<A>): Promise<A | undefined> => {
    const started = Date.now();
    try {
      const first = await Promise.race([run(), pause(2 * limit).then(() => "late" as const)]);
      if (first === "late" || Date.now() - started > limit + 1)
        findings.push("late, or not at all");
      return first === "late" ? undefined : first;
    } catch {
      findings.push("`handle` or `user` rejected");
      return undefined;
    }
  };
  const browser = new Browser(async (request) => {
    const app = nextApp();
    const response = await timed(ANSWER_MILLIS, () => app.handle(request));
    return response ?? new Response(null, { status: 503 });
  });
  const visit = async (path: string) => {
    const response = await browser.visit(path);
    texts.push(await response.clone().text());
    if (response.status === 400 || response.status === 500)
      findings.push("400 or 500 for a good flow");
    return response;
  };
  /** Reloads as long as the page says that waiting helps. */
  const comeBack = async () => {
    const path = await browser.consent();
    for (let reloads = 0; reloads < 20; reloads++) {
      const { headers, status } = await visit(path);
      if (status === 303) return;
      if (status !== 202 && status !== 503) return;
      await pause(1_000 * Number(headers.get("refresh") ?? headers.get("retry-after") ?? 5));
    }
  };
  const isSignedIn = async () => {
    for (let tries = 0; tries < 20; tries++) {
      const app = nextApp();
      const state = await timed(STORE_MILLIS, () => app.user(cookieOf(browser)));
      if (state && state._tag !== "Unavailable") return state._tag === "SignedIn";
      await pause(5_000);
    }
    return false;
  };
  await comeBack();
  // A code lives for 30 seconds only: a user whose store fails for longer signs in again.
  if (!(await isSignedIn())) await comeBack();
  if (!(await isSignedIn())) findings.push("not signed in in the end");
  await pause(60_000);
  await Promise.all(apps.map((app) => app.close()));
  const kept = await stored();
  for (let issued = 1; issued <= oauth.state.exchanges; issued++) {
    const token = `refresh-sentinel-${issued}`;
    if (!kept.has(token) && !oauth.state.revoked.includes(token))
      findings.push("a refresh token is neither stored nor revoked");
  }
  if (texts.join().includes("sentinel")) findings.push("a secret in a text");
  return findings;
};

/** Runs the cases beside each other. Returns those that found something. */
export const runAll = async (cases: ReadonlyArray<Case>) => {
  const stories = await Promise.all(
    cases.map(async (one) => ({ one, findings: await tellStory(one) })),
  );
  return stories.filter(({ findings }) => findings.length > 0);
};

/** The cases of a run: every way, at every call, once and for 35 seconds. */
export const casesOf = (
  calls: number,
  exchanges: ReadonlyArray<number>,
  servers: number,
): ReadonlyArray<Case> =>
  WAYS.flatMap((way) =>
    Array.from({ length: calls }, (_, at) => at + 1).flatMap((at) =>
      [0, 35_000].flatMap((lasts) =>
        exchanges.map((exchange) => ({ servers, exchange, fault: { way, at, lasts } })),
      ),
    ),
  );
