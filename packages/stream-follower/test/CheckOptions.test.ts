/** Options that cannot work are told by their names, before anything is opened or requested. */
import { Effect } from "effect";
import { expect, it } from "vitest";
import {
  checkRetention,
  checkRunOptions,
  checkSubscribeOptions,
} from "../src/core/checkOptions.ts";

const source = "stashes";
const key = { source, realm: "pc" };
const checks = {
  run: (options: object) => checkRunOptions({ source, ...options }),
  subscribe: (options: object) =>
    checkSubscribeOptions({ key, ...options } as Parameters<typeof checkSubscribeOptions>[0]),
  retention: (options: object) => checkRetention(options),
};
const told = (check: keyof typeof checks, options: object) => {
  try {
    checks[check](options);
    return undefined;
  } catch (cause) {
    const { expected, option } = cause as { readonly option: string; readonly expected: string };
    return `${option}: ${expected}`;
  }
};

const words = (...list: ReadonlyArray<string>) =>
  list.map((word) => JSON.stringify(word)).join(" or ");
const DURATION = 'a duration of at least 0, such as "30 seconds"';
const COUNT = "an integer of at least 1";
const REALMS = words("pc", "console_a", "console_b");
const FROM = `${words("checkpoint", "start")} or an object with id`;
const REJECTED = `${words("halt", "restartFromStart")} or an object with jumpTo`;
const POSITION = "a bigint of at least 0n, or an object with it as version and the page's nextId";

it.each<[keyof typeof checks, option: string, expected: string, ...wrong: ReadonlyArray<object>]>([
  ["run", "source", words("stashes", "exchange"), { source: "trades" }, { source: undefined }],
  ["run", "realm", REALMS, { realm: "game2" }],
  [
    ...(["run", "realm"] as const),
    words("pc", "console_a", "console_b", "game2"),
    ...[{ source: "exchange", realm: "game3" }],
  ],
  ["run", "from", FROM, { from: "end" }, { from: {} }, { from: { id: "" } }, { from: null }],
  ["run", "until", words("caughtUp", "forever"), { until: "never" }, { until: () => true }],
  ["run", "prefetch", words("early", "afterBody", "none"), { prefetch: "late" }],
  ["run", "window", COUNT, { window: 0 }, { window: 1.5 }],
  ["run", "maxBufferedBytes", "a number of at least 1", { maxBufferedBytes: 0.5 }],
  ["run", "maxRetries", "a number of at least 0", { maxRetries: -1 }, { maxRetries: "3" }],
  ["run", "maxRetries", "a number of at least 0", { maxRetries: NaN }],
  ["run", "responseTimeout", DURATION, { responseTimeout: -1 }, { responseTimeout: "soon" }],
  ["run", "pollInterval", "an object", { pollInterval: 1 }, { pollInterval: null }],
  ["run", "pollInterval.min", DURATION, { pollInterval: { min: "x", max: 1 } }],
  ["run", "pollInterval.max", DURATION, { pollInterval: { min: 1, max: "x" } }],
  ["run", "backoff.base", DURATION, { backoff: { base: "x", cap: 1 } }],
  ["run", "backoff.cap", DURATION, { backoff: { base: 1, cap: "x" } }],
  ["run", "badPageRetryDelays", "a list", { badPageRetryDelays: {} }],
  ["run", "badPageRetryDelays[1]", DURATION, { badPageRetryDelays: [1, "x"] }],
  ["run", "onIdRejected", REJECTED, { onIdRejected: "jump" }, { onIdRejected: { jumpTo: 7 } }],
  ["run", "onCycle", words("pause", "accept", "halt"), { onCycle: "x" }],
  ["run", "onMalformedPage", words("halt", "pause"), { onMalformedPage: "x" }],
  ["run", "onPageTooLarge", words("halt", "skip"), { onPageTooLarge: "x" }],
  ["run", "onGap", words("continue", "halt"), { onGap: "x" }],
  ["run", "decode", words("envelope", "items", "full"), { decode: "x" }],
  ["run", "stopWhen", "an effect", { stopWhen: () => undefined }],
  ["run", "onLeaseLost", words("standby", "fail"), { onLeaseLost: "x" }],
  ["run", "onCommitted", "a function", { onCommitted: 1 }],
  ["subscribe", "key", "an object", { key: undefined }, { key: "stashes" }],
  ["subscribe", "key.source", words("stashes", "exchange"), { key: { source: "x", realm: "pc" } }],
  ["subscribe", "realm", REALMS, { key: { source, realm: "game2" } }],
  [
    ...(["subscribe", "after", POSITION] as const),
    ...[{ after: -1n }, { after: 1 }, { after: null }, { after: { version: 1n } }],
    ...[{ after: { version: 1n, nextId: "" } }, { after: { version: -1n, nextId: "a" } }],
    ...[{ after: { version: 1, nextId: "a" } }, { after: { nextId: "a" } }],
  ],
  [
    ...(["subscribe", "until"] as const),
    `${words("caughtUp", "forever")} or a function`,
    ...[{ until: "x" }],
  ],
  ["subscribe", "maxPages", COUNT, { maxPages: 0 }],
  ["subscribe", "shards", "an object", { shards: 4 }],
  ["subscribe", "shards.count", COUNT, { shards: { count: 0, mine: new Set([0]) } }],
  [
    ...(["subscribe", "shards.mine", "a set of shards below 2"] as const),
    ...[[0], new Set(), new Set([2]), new Set([0, 2]), new Set([-1]), new Set(["0"])].map(
      (mine) => ({ shards: { count: 2, mine } }),
    ),
  ],
  ["retention", "keepBytes", "a number of at least 100000000", { keepBytes: 99_999_999 }],
  ["retention", "keepMillis", "a number of at least 1", { keepMillis: 0 }],
  ["retention", "keepPages", "a number of at least 1", { keepPages: 0 }, { keepPages: "all" }],
])("%s: %s must be %s", (check, option, expected, ...wrong) => {
  for (const options of wrong) expect(told(check, options)).toBe(`${option}: ${expected}`);
});

it.each<[keyof typeof checks, ReadonlyArray<object>]>([
  [
    "run",
    [
      ...[
        {},
        { realm: "console_a" },
        { realm: "console_b" },
        { source: "exchange", realm: "game2" },
      ],
      ...[{ from: { id: "a" } }, { onIdRejected: { jumpTo: "a" } }, { stopWhen: Effect.void }],
      ...[
        { maxRetries: 0 },
        { maxRetries: Infinity },
        { stallTimeout: 0 },
        { maxBufferedBytes: 1 },
      ],
      ...[{ pollInterval: { min: 0, max: "1 hour" } }, { badPageRetryDelays: [] }],
    ],
  ],
  [
    "subscribe",
    [
      ...[
        {},
        { until: () => true },
        { until: "forever" },
        { after: 0n },
        { apply: () => undefined },
      ],
      ...[{ after: { version: 0n, nextId: "a" } }, { shards: { count: 2, mine: new Set([0, 1]) } }],
    ],
  ],
  ["retention", [{}, { keepBytes: 100_000_000, keepMillis: 1, keepPages: 1 }]],
])("%s takes what works", (check, right) => {
  for (const options of right) expect(told(check, options)).toBe(undefined);
});

it("names that no option has are told", () => {
  expect(told("run", { windows: 1 })).toMatch(/^windows: one of source, realm, from, /u);
  expect(told("subscribe", { key: { ...key, id: "a" } })).toBe("key.id: one of source, realm");
});
