/** `contract` and `rate-limit`, which import nothing of each other, read `Retry-After` alike. */
import { assert, it } from "vitest";
import { retryAfterMillis } from "@game-data/contract/retryAfter";
import { retryAfterMillis as retryAfterOfLimiter } from "@game-data/rate-limit";

const DATES = [
  "Thu, 01 Jan 1970 00:10:00 GMT",
  "Thu Jan  1 00:10:00 1970",
  "1970-01-01T00:10:00Z",
  "Jan 1",
  "1 10:00:00",
];
const WAITS = [undefined, "", " 0 ", "17", " 0.25\t", "1.123", "1.", "-5", "5x", "1e3", "99999999"];

it("the packages contract and rate-limit read each Retry-After header alike", () => {
  for (const wait of [...WAITS, ...DATES])
    for (const date of [undefined, "nonsense", ...DATES])
      for (const now of [0, 1_000, 1_000_000]) {
        const headers = { "retry-after": wait, date };
        assert.strictEqual(
          retryAfterMillis(headers, now),
          retryAfterOfLimiter(headers, now),
          JSON.stringify({ headers, now }),
        );
      }
});
