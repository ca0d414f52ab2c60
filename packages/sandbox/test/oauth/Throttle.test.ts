/** The brake on guessing. */
import { expect, it } from "vitest";
import type { OAuthFailure } from "../../src/oauth/OAuthErrors.ts";
import { makeThrottle } from "../../src/oauth/ClientAuthentication.ts";

it("remembers a thousand names, and forgets the oldest first", () => {
  let now = 0;
  const throttle = makeThrottle(1, () => now);
  const waits = (name: string) => {
    try {
      throttle.check(name);
      return undefined;
    } catch (cause) {
      return (cause as OAuthFailure).headers["retry-after"];
    }
  };
  for (let index = 0; index < 1_001; index += 1) throttle.failed(`name ${index}`);
  expect([waits("name 0"), waits("name 1")]).toEqual([undefined, "60"]);
  now = 59_999;
  expect(waits("name 1000")).toBe("1");
  now = 60_000;
  expect(waits("name 1000")).toBeUndefined();
});
