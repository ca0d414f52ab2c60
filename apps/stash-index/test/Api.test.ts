/** The API over HTTP, over a sandbox, with its limits: what `npm run stash-index` serves. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { networkOf } from "../src/web/limits.ts";
import { type RunningIndex, startIndex } from "./support/running.ts";

const league = "Standard";
let index: RunningIndex;
beforeAll(async () => {
  index = await startIndex();
  await index.untilIndexed();
});
afterAll(() => index?.close());

const posted = (text: BodyInit, type = "application/json") =>
  ({ method: "POST", body: text, headers: { "content-type": type }, duplex: "half" }) as const;
const large = " ".repeat(70_000);
const streamed = posted(new Blob([large]).stream() as never);

it.each<[status: number, request: string, path: string, init?: RequestInit]>([
  [404, "a path that does not exist", "/nowhere"],
  [400, "a parameter without a word", "/api/suggest?q=!"],
  [400, "a long parameter", `/api/suggest?q=${"a".repeat(9000)}`],
  [400, "a body that is not JSON", "/api/filters", posted('{"i')],
  [413, "a large body", "/api/filters", posted(large)],
  [413, "a large body without a length", "/api/filters", streamed],
  [415, "a body of another type", "/api/filters", posted("{}", "text/plain")],
])("the API responds with %i and a problem document to %s", async (status, _, path, init) => {
  const response = await fetch(`${index.origin}${path}`, init);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect([response.status, (await response.json()).status]).toEqual([status, status]);
});

it.each([
  ["priceMin", { priceMin: "cheap" }],
  ["ilvlMin", { ilvlMin: "-1" }],
  ["limit", { limit: "101" }],
  ["sort", { sort: "luck" }],
  ["cursor", { cursor: "bm90IG9uZQ" }],
  ["league", { league: "Nowhere" }],
  ["currency", { currency: "pebbles" }],
  ["mod", { mod: "+# to maximum Vigour:9:3" }],
  ["priceMin", { priceMin: "5", priceMax: "1" }],
  ["ilvlMin", { ilvlMin: "80", ilvlMax: "60" }],
  ["q", { q: "!!" }],
  ["leage", { leage: "Standard" }],
])("a search with a bad %s is refused with the parameter's name: %j", async (parameter, query) => {
  const refused = await index.get("search", query);
  expect(refused).toMatchObject({ httpStatus: 400, status: 400, parameter });
  expect(refused.detail.length).toBeGreaterThan(5);
});

it("POST filters converts a pasted item to filters, and refuses text that is not an item", async () => {
  const item = [
    "Item Class: Rings\r\nRarity: Rare\r\nQuiet Anchor\r\nSlate Band",
    "Sockets: R-G-B-B-R G ",
    "Item Level: 72",
    "+12% to all Resistances (implicit)",
    "+64 to maximum Vigour\r\nAdds 4 to 10 Ember Damage",
    "Corrupted",
  ].join("\r\n--------\r\n");
  expect(await index.post("filters", { item })).toMatchObject({
    ...{ base: "Slate Band", rarity: "rare", linksMin: 5 },
    mod: [
      "+#% to all Resistances:10.8:",
      "+# to maximum Vigour:57.6:",
      "Adds # to # Ember Damage:6.3:",
    ],
  });
  for (const bad of ['{"id": 5}', "{", "a sword", 5]) {
    const refused = await index.post("filters", { item: bad });
    expect(refused).toMatchObject({ httpStatus: 400, parameter: "item" });
  }
});

it("the API returns markets by movement, and a market's hours for either order of its currencies", async () => {
  const { markets } = await index.get("exchange/markets", { league });
  const movements = markets.map(({ change }: any) => Math.abs(change));
  expect(movements).toEqual(movements.toSorted((a: number, b: number) => b - a));
  const [{ first, second }] = markets;
  const { hours } = await index.get("exchange/history", { league, first, second });
  const turned = await index.get("exchange/history", { league, first: second, second: first });
  expect(hours.length).toBeGreaterThan(0);
  expect(turned.hours).toHaveLength(hours.length);
  expect(turned.hours[0].typical * hours[0].typical).toBeCloseTo(1, 9);
});

const watchUrl = () => `${index.origin}/api/watch?league=Standard`;
/** Reads events of a watch until `isEnough` is true of their changes. */
const watch = async (lastEventId?: string, isEnough?: (changes: ReadonlyArray<any>) => boolean) => {
  const abort = new AbortController();
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const response = await fetch(watchUrl(), { headers, signal: abort.signal });
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = [...text.matchAll(/^id: (\d+)\n(?:event: message\n)?data: (.+)\n\n/gmu)];
    const changes = events.flatMap(([, , data]) => JSON.parse(data!) as ReadonlyArray<any>);
    if (events.length === 0 || isEnough?.(changes) === false) continue;
    abort.abort();
    return { id: events[0]![1]!, changes };
  }
  throw new Error("The stream has ended.");
};

it("watch sends the listings that were added or ended after the last event of the client", async () => {
  const first = await watch();
  expect(first.changes).toEqual([]);
  const moved = (async () => {
    for (let times = 0; times < 20; times += 1) await index.advance("2 minutes");
  })();
  await watch(undefined, (changes) => {
    const endings = new Set(changes.map(({ ended }) => ended));
    return endings.has(null) && (endings.has("sold") || endings.has("unlisted"));
  });
  await moved;
  // A client that was cut off receives the changes since its last page, and a client of an index
  // that was made again begins now.
  expect((await watch(first.id)).changes.length).toBeGreaterThan(0);
  const ahead = await watch("999999999");
  expect(ahead.changes).toEqual([]);
  expect(Number(ahead.id)).toBeLessThan(999_999_999);
  const refused = await index.get("watch", { league }, { headers: { "last-event-id": "today" } });
  expect(refused).toMatchObject({ httpStatus: 400, parameter: "last-event-id" });
});

it("/health reports every part on the port for operators, and only the verdict on the web port", async () => {
  await expect.poll(async () => (await fetch(`${index.opsUrl}/health/ready`)).status).toBe(200);
  const body: any = await (await fetch(`${index.opsUrl}/health`)).json();
  const parts = body.streams[0].parts.map(({ name }: any) => name);
  expect(parts).toEqual(expect.arrayContaining(["commit", "indexer search", "lease", "source"]));
  expect(await index.get("../health")).toEqual({ httpStatus: 200, ok: true });
});

it("the web server limits the requests of an address, but not requests of /health", async () => {
  const { close, origin } = await startIndex({ ratePerSecond: 1, roles: new Set(["web"]) });
  const paths = ["/api/suggest?q=a", "//api/suggest?q=a", "/%61pi/suggest?q=a", "/api/%ff"];
  // More than a slow machine sends within the time that permits them.
  const sent = await Promise.all(
    Array.from({ length: 60 }, (_, at) => fetch(origin + paths[at % paths.length])),
  );
  const refused = sent.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(3);
  expect(refused[0]!.headers.get("retry-after")).toBe("1");
  for (let times = 0; times < 10; times += 1)
    expect((await fetch(`${origin}/health`)).status).not.toBe(429);
  await close();
});

it("an address may open 16 event streams, and another stream after they have closed", async () => {
  const open = async () => {
    const abort = new AbortController();
    return { abort, response: await fetch(watchUrl(), { signal: abort.signal }) };
  };
  const all = await Promise.all(Array.from({ length: 20 }, open));
  const refused = all.filter(({ response }) => response.status === 429);
  expect(refused).toHaveLength(4);
  expect(refused[0]!.response.headers.get("retry-after")).toBe("1");
  for (const { abort } of all) abort.abort();
  const isOpen = () => open().then(({ abort, response }) => (abort.abort(), response.ok));
  await expect.poll(isOpen).toBe(true);
});

it("networkOf returns an IPv4 address, or the /64 network of an IPv6 address", () => {
  const addresses = ["127.0.0.1", "::ffff:10.0.0.1", "2001:db8:1:2:3:4:5:6", "fe80::1%eth0", "?"];
  const networks = ["127.0.0.1", "10.0.0.1", "2001:db8:1:2::/64", "fe80::/64", "?"];
  expect(addresses.map(networkOf)).toEqual(networks);
});
