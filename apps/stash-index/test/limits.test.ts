/** The bounds of requests: rates, bodies and streams for each address. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { networkOf } from "../src/web/limits.ts";
import { serveIndex } from "./support/running.ts";
import { hourPage, item, market, openTestIndex, stash, stashPage } from "./support/testIndex.ts";

/** Starts a web server over an index of one listing. */
const startServer = async (ratePerSecond = 10_000) => {
  const index = await openTestIndex();
  const markets = [market("Standard", "gilt-orb|tide-shard", 4)];
  await index.apply([stashPage(1, [stash([item(1)])]), hourPage(3600, markets)]);
  return serveIndex(index, { ratePerSecond });
};

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.close());

/** Requests a path, and returns the status of the problem that it responds with. */
const problem = async (path: string, init?: RequestInit) => {
  const response = await fetch(`${server.origin}${path}`, init);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await response.json()).toMatchObject({ status: response.status });
  return response.status;
};

const post = (body: BodyInit, type = "application/json") =>
  problem("/api/filters", {
    ...{ method: "POST", body, headers: { "content-type": type }, duplex: "half" },
  });

it("answers bodies that are too large, of another type or not JSON with a problem", async () => {
  const large = " ".repeat(70_000);
  expect(await post(large)).toBe(413);
  expect(await post(new Blob([large]).stream() as never)).toBe(413);
  expect(await post("{}", "text/plain")).toBe(415);
  expect(await post('{"i')).toBe(400);
  expect(await problem("/api/suggest?q=!")).toBe(400);
  expect(await problem(`/api/suggest?q=${"a".repeat(9000)}`)).toBe(400);
});

it("limits the requests of an address, but not the probes of its health", async () => {
  const slow = await startServer(1);
  const paths = ["/api/suggest?q=a", "//api/suggest?q=a", "/%61pi/suggest?q=a", "/api/%ff"];
  const sent = await Promise.all([...paths, ...paths].map((path) => fetch(slow.origin + path)));
  const refused = sent.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(3);
  expect(refused[0]!.headers.get("retry-after")).toBe("1");
  for (let times = 0; times < 10; times += 1)
    expect((await fetch(`${slow.origin}/health`)).status).not.toBe(429);
  await slow.close();
});

it("opens 16 streams for an address, and another one after they have closed", async () => {
  const open = async () => {
    const abort = new AbortController();
    const url = `${server.origin}/api/watch?league=Standard`;
    return { abort, response: await fetch(url, { signal: abort.signal }) };
  };
  const all = await Promise.all(Array.from({ length: 20 }, open));
  const refused = all.filter(({ response }) => response.status === 429);
  expect(refused).toHaveLength(4);
  expect(refused[0]!.response.headers.get("retry-after")).toBe("1");
  expect((await refused[0]!.response.json()).detail).toContain("127.0.0.1");
  for (const { abort } of all) abort.abort();
  const again = async () => {
    const { abort, response } = await open();
    abort.abort();
    return response.status;
  };
  await expect.poll(again).toBe(200);
});

it.each([
  ["127.0.0.1", "127.0.0.1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["fe80::1%eth0", "fe80::/64"],
  ["unknown", "unknown"],
])("counts requests from %s as requests from %s", (address, network) =>
  expect(networkOf(address)).toBe(network),
);
