/**
 * What strangers send over HTTP while this process follows the stream: each request costs little,
 * the follower keeps its lease, and pages go on arriving.
 */
import { once } from "node:events";
import { get as httpGet, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuOf } from "@game-data/test-support";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningIndex, startIndex } from "./support/running.ts";

/** Milliseconds of CPU, of all threads and of the sandbox, which is in this process too. */
const MOST_MILLIS = 200;

const WORST = [
  "",
  "a".repeat(7000),
  " ".repeat(7000),
  "1".repeat(7000),
  `~price 1${" ".repeat(7000)}x`,
  Array.from({ length: 1000 }, (_, n) => `w${n}`).join(" "),
  "a b c d e f g h i j k l m n o p q r s t u v w x y z ".repeat(3),
  '"*" OR NEAR(a b) - ^ {',
  "%_'\";--\u0000\u202e",
  "-1",
  "NaN",
  "1e308",
  "9".repeat(300),
];

/** Every GET of the API that answers at once, with each of its parameters. */
const PARAMETERS: Readonly<Record<string, string>> = {
  search:
    "league q name base rarity ilvlMin ilvlMax socketsMin linksMin corrupted modText mod priceMin priceMax currency limit cursor sort",
  "price-check": "q name base modText mod currency priceMin",
  suggest: "q what",
  watch: "q cursor",
  changes: "since limit",
  "exchange/markets": "league limit",
  "exchange/history": "league first second",
  "exchange/routes": "league from to",
  "exchange/currencies": "league",
  "me/sources": "league",
  "me/items": "league tab character",
};

/** Bodies of `POST /api/filters`. */
const ITEMS: ReadonlyArray<unknown> = [
  `Rarity: Rare\nA\nB\n--------\n1${" ".repeat(59_000)}x`,
  `Rarity: Rare\nA\n${"a ".repeat(240)}\n--------\n${`1${" ".repeat(120)}x\n`.repeat(290)}`,
  "{".repeat(59_000),
  `{"explicitMods":[${'"1 2 3 4 5 6 7 8 9",'.repeat(1500)}"1"]}`,
  `{"note":${JSON.stringify(`~price 1${" ".repeat(50_000)}x`)}}`,
  { toString: 1, valueOf: 1 },
];

let index: RunningIndex;
beforeAll(async () => {
  index = await startIndex({ queryMillis: 500 });
}, 90_000);
afterAll(() => index.close());

/** Looks at the lease until it is stopped; gives its epochs, and the times at which it was over. */
const watchLease = () => {
  const db = new DatabaseSync(index.path, { readOnly: true });
  const find = db.prepare("SELECT epoch, expires_at AS until FROM lease WHERE source = 'stashes'");
  const epochs = new Set<unknown>();
  let lost = 0;
  const look = () => {
    const lease = find.get();
    epochs.add(lease?.["epoch"]);
    if (Number(lease?.["until"]) < Date.now()) lost += 1;
  };
  look();
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    db.close();
    return { epochs: epochs.size, lost };
  };
};

const ask = async (path: string, init?: RequestInit): Promise<number> => {
  const response = await fetch(`${index.origin}/api/${path}`, init);
  await response.text();
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  return response.status;
};

describe("beside a follower", () => {
  it("answers every parameter's worst input at little cost, and keeps the lease", async () => {
    const stop = watchLease();
    const { seq } = await index.get<{ seq: number }>("status");
    for (const [path, names] of Object.entries(PARAMETERS))
      for (const name of names.split(" "))
        for (const text of WORST) {
          // A watch that is taken stays open: what it is asked for is refused instead.
          const query = new URLSearchParams({ [name]: text, ...(path === "watch" && { x: "1" }) });
          if (name !== "league" && path.startsWith("exchange")) query.set("league", "Standard");
          const { millis } = await cpuOf(MOST_MILLIS, async () => {
            const status = await ask(`${path}?${query}`);
            expect([200, 400, 401, 404], `${path} ${name}`).toContain(status);
          });
          expect(millis, `${path} ${name} ${text.slice(0, 20)}`).toBeLessThan(MOST_MILLIS);
        }
    for (const item of ITEMS) {
      const body = JSON.stringify({ item });
      const headers = { "content-type": "application/json" };
      const { millis } = await cpuOf(MOST_MILLIS, async () => {
        expect([200, 400, 413]).toContain(await ask("filters", { method: "POST", body, headers }));
      });
      expect(millis, `filters ${body.slice(0, 40)}`).toBeLessThan(MOST_MILLIS);
    }
    await index.advance("2 minutes");
    await expect
      .poll(async () => (await index.get<{ seq: number }>("status")).seq, { timeout: 20_000 })
      .toBeGreaterThan(seq);
    expect(stop()).toEqual({ epochs: 1, lost: 0 });
  }, 120_000);

  it.skipIf(process.platform !== "linux")(
    "opens 400 of 800 streams from fifty addresses, tells the others, and answers meanwhile",
    async () => {
      const stop = watchLease();
      const streams = await Promise.all(
        Array.from({ length: 800 }, async (_, n) => {
          const localAddress = `127.0.0.${2 + (n % 50)}`;
          const request = httpGet(`${index.origin}/api/watch?league=Standard&q=a`, {
            localAddress,
            agent: false,
          });
          const [response] = (await once(request, "response")) as [IncomingMessage];
          response.on("error", () => undefined).resume();
          return { request, response };
        }),
      );
      const told = streams.filter(({ response }) => response.statusCode === 429);
      expect(streams.filter(({ response }) => response.statusCode === 200)).toHaveLength(400);
      expect(told).toHaveLength(400);
      for (const { response } of told) expect(response.headers["retry-after"]).toBe("1");
      const next = await fetch(`${index.origin}/api/live`);
      expect(await next.json()).toMatchObject({
        detail: "All places for streams are taken; come back later.",
      });
      expect(await ask("search?league=Standard&q=a")).toBe(200);
      for (const { request } of streams) request.destroy();
      await expect
        .poll(async () => {
          const ended = new AbortController();
          const { status } = await fetch(`${index.origin}/api/live`, { signal: ended.signal });
          ended.abort();
          return status;
        })
        .toBe(200);
      expect(stop()).toEqual({ epochs: 1, lost: 0 });
    },
    60_000,
  );

  it("ends a request that does not come to its end, and one to nowhere, with nosniff", async () => {
    const { hostname, port } = new URL(index.origin);
    const socket = connect(Number(port), hostname);
    const head = "POST /api/filters HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    socket.on("error", () => undefined).write(`${head}content-length: 50\r\n\r\n{`);
    const said = await Promise.race([once(socket.resume(), "close"), sleep(20_000, "open")]);
    expect(said).not.toBe("open");
    for (const path of ["nowhere", "search/", "../nowhere"])
      for (const method of ["GET", "POST", "DELETE"])
        expect([200, 404]).toContain(await ask(path, { method }));
  }, 40_000);
});
