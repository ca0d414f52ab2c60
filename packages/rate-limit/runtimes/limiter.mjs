// The limiter in this runtime: a service that permits three requests a second gets no more, the
// others wait, and those that may not wait fail at once.
import assert from "node:assert/strict";
import { RequestNotSent } from "@game-data/rate-limit";
import { createLimiter, limitFetch } from "@game-data/rate-limit/promise";

const sentAt = [];
const service = () => {
  const now = performance.now();
  sentAt.push(now);
  const hits = sentAt.filter((at) => at > now - 1000).length;
  return new Response("{}", {
    status: hits > 3 ? 429 : 200,
    headers: {
      "x-rate-limit-policy": "runtime",
      "x-rate-limit-rules": "ip",
      "x-rate-limit-ip": "3:1:10",
      "x-rate-limit-ip-state": `${hits}:1:0`,
    },
  });
};

const limiter = createLimiter();
const limited = limitFetch(limiter, async () => service());
const responses = await Promise.all(
  Array.from({ length: 7 }, () => limited("https://api.example/users/7")),
);
assert.deepEqual(
  responses.map(({ status }) => status),
  Array.from({ length: 7 }, () => 200),
);
assert.ok(sentAt.at(-1) - sentAt[0] > 1900, "the seventh request waits for two windows");

const route = { route: "GET api.example/users/{id}" };
const { knowledge, policies } = await limiter.limits(route);
assert.equal(knowledge, "learned");
assert.equal(policies[0].name, "runtime");
assert.equal((await limiter.forecast(route, 6)).startsInMillis.length, 6);
assert.equal(await limiter.waiting(), 0);
const results = await Promise.allSettled(
  Array.from({ length: 8 }, () => limiter.run({ ...route, maxWait: 0 }, service)),
);
const refused = results.filter(({ status }) => status === "rejected");
assert.ok(refused.length >= 5);
assert.ok(refused.every(({ reason }) => reason instanceof RequestNotSent));
await limiter.close();
