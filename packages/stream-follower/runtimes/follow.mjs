// Follows a sandbox's stash stream with the runtime's own fetch: pages in order, gzip, a
// checkpoint, and a second run that begins where the first one ended.
import assert from "node:assert/strict";
import { Follower, Lease, PageSource, Sink } from "@game-data/stream-follower";
import * as Effect from "effect/Effect";

const sandbox = JSON.parse(process.env.GAME_DATA_SANDBOX);
const clientId = "example-service";
const issued = await fetch(`${sandbox.controlUrl}/tokens`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ clientId, scopes: ["service:psapi"] }),
});
const { access_token: token } = await issued.json();

const requests = [];
const source = {
  open: ({ id }) =>
    Effect.promise(async (signal) => {
      requests.push(id);
      const query = id === undefined ? "" : `?id=${encodeURIComponent(id)}`;
      const response = await fetch(`${sandbox.baseUrl}/public-stash-tabs${query}`, {
        headers: {
          authorization: `Bearer ${token}`,
          "user-agent": "OAuth runtimes/1.0.0 (contact: dev@example.com)",
        },
        signal,
      });
      // fetch has inflated the body already.
      return { status: response.status, headers: {}, body: response.body };
    }),
};

const pages = [];
let checkpoint;
const sink = {
  claim: () => Effect.succeed(checkpoint),
  commit: ({ page }, epoch) =>
    Effect.sync(() => {
      pages.push(page);
      const { checksum, nextId, receivedAt, seq } = page;
      checkpoint = { nextId, seq, epoch, checksum, receivedAt };
    }),
};
const follow = Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
  Effect.provideService(PageSource.PageSource, source),
  Effect.provideService(Sink.Sink, sink),
  Effect.provide(Lease.none),
);
const first = await Effect.runPromise(follow);
assert.ok(first.pages > 1, `${first.pages} pages`);
const seqs = pages.map(({ seq }) => seq);
assert.deepEqual(
  seqs,
  seqs.map((_, index) => BigInt(index + 1)),
);
for (const [index, page] of pages.entries()) {
  if (index > 0) assert.equal(page.requestedId, pages[index - 1].nextId);
}

const asked = requests.length;
await Effect.runPromise(follow);
assert.equal(requests[asked], pages[first.pages - 1].nextId);
console.log("ok");
// fetch keeps connections open for a while.
process.exit(0);
