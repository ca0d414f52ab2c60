import { assert, it } from "@effect/vitest";
import { retryAfterMillis } from "@game-data/contract/retryAfter";

const DAY_MILLIS = 86_400_000;
const DATE = "Thu, 01 Jan 1970 00:10:00 GMT";
const UNREADABLE = ["", " ", "-5", "5x", "x5", "1.", "1.x", "1970-01-01T00:10:00Z", "Jan 1"];

it.each<readonly [string | undefined, string | undefined, number | undefined]>([
  ["17", undefined, 17_000],
  [" 0.25\t", undefined, 250],
  ["1.123", undefined, 1_123],
  ["99999999", undefined, DAY_MILLIS],
  [DATE, undefined, 599_000],
  [DATE, "Thu, 01 Jan 1970 00:09:58 GMT", 2_000],
  [DATE, "nonsense", 599_000],
  [DATE, "Thu, 01 Jan 1970 00:11:00 GMT", 0],
  ["Thu Jan  1 00:10:00 1970", undefined, 599_000],
  ...[...UNREADABLE, "1 10:00:00", undefined].map((text) => [text, undefined, undefined] as const),
])("retryAfterMillis of a Retry-After %j and a Date %j is %s ms", (text, date, wait) => {
  assert.strictEqual(retryAfterMillis({ "retry-after": text, date }, 1_000), wait);
});

it.each(["America/New_York", "Asia/Kolkata"])(
  "retryAfterMillis reads a date without a zone as UTC in %s",
  (zone) => {
    const { TZ } = process.env;
    process.env["TZ"] = zone;
    try {
      assert.notStrictEqual(new Date(0).getTimezoneOffset(), 0);
      const date = "Thu Jan  1 00:10:00 1970";
      assert.strictEqual(retryAfterMillis({ "retry-after": date }, 0), 600_000);
      assert.strictEqual(retryAfterMillis({ "retry-after": DATE, date }, 0), 0);
    } finally {
      if (TZ === undefined) delete process.env["TZ"];
      else process.env["TZ"] = TZ;
    }
  },
);
