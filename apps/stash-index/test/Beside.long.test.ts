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

/** Values with which a request is taken whose other parameter is the worst. */
const GOOD: Readonly<Record<string, string>> = {
  league: "Standard",
  q: "a",
  ...{ first: "gilt-orb", second: "tide-shard", from: "gilt-orb", to: "tide-shard" },
};

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: ReadonlyArray<{
    readonly name: string;
    readonly in: "query" | "path" | "header";
    readonly required?: boolean;
  }>;
}

/** The API as it describes itself: a parameter that is new is tried as well. */
const operations = async (): Promise<ReadonlyArray<Operation>> => {
  const document = await (await fetch(`${index.origin}/openapi.json`)).json();
  expect(document.paths["/api/filters"].post.requestBody.content["application/json"].schema)
    // Its one member has the worst inputs of `ITEMS`.
    .toMatchObject({ required: ["item"], additionalProperties: false });
  return Object.entries<Record<string, any>>(document.paths).flatMap(([path, { get }]) =>
    get === undefined
      ? []
      : {
          // A stream stays open, so that its head is asked for: it is made like the whole.
          method: "text/event-stream" in get.responses[200].content ? "HEAD" : "GET",
          path,
          parameters: get.parameters,
        },
  );
};

/** A request with the worst text for one parameter. */
const requestOf = ({ parameters, path }: Operation, worst: string, text: string) => {
  const query = new URLSearchParams();
  const headers = new Headers();
  let filled = path.replace(/^\/api\//u, "");
  for (const { in: where, name, required } of parameters) {
    const value = name === worst ? text : required === true ? GOOD[name] : undefined;
    if (name !== worst && required === true) expect([path, name, value]).not.toContain(undefined);
    if (value === undefined) continue;
    if (where === "query") query.set(name, value);
    // Longer heads end in Node.
    else if (where === "header") headers.set(name, value.replaceAll(/[^ -~]/gu, "?"));
    else filled = filled.replace(`{${name}}`, encodeURIComponent(value.slice(0, 4000)));
  }
  return { target: `${filled}?${query}`, headers };
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
  const find = db.prepare("SELECT epoch, expires_at AS until FROM stream WHERE source = 'stashes'");
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

const seqOf = async () => (await index.get<{ seq: number }>("status")).seq;

const ask = async (path: string, init?: RequestInit): Promise<number> => {
  const response = await fetch(`${index.origin}/api/${path}`, init);
  await response.text();
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  return response.status;
};

describe("beside a follower", () => {
  it("answers every parameter's worst input at little cost, and keeps the lease", async () => {
    const stop = watchLease();
    const seq = await seqOf();
    const tried = new Set<string>();
    for (const operation of await operations())
      for (const { name } of operation.parameters)
        for (const text of WORST) {
          const { method, path } = operation;
          const { headers, target } = requestOf(operation, name, text);
          const { millis } = await cpuOf(MOST_MILLIS, async () => {
            const status = await ask(target, { method, headers });
            expect([200, 400, 401, 404], `${path} ${name}`).toContain(status);
          });
          expect(millis, `${path} ${name} ${text.slice(0, 20)}`).toBeLessThan(MOST_MILLIS);
          tried.add(`${path} ${name}`);
        }
    expect(tried.size).toBeGreaterThan(55);
    for (const item of ITEMS) {
      const body = JSON.stringify({ item });
      const headers = { "content-type": "application/json" };
      const { millis } = await cpuOf(MOST_MILLIS, async () => {
        expect([200, 400, 413]).toContain(await ask("filters", { method: "POST", body, headers }));
      });
      expect(millis, `filters ${body.slice(0, 40)}`).toBeLessThan(MOST_MILLIS);
    }
    await index.advance("2 minutes");
    await expect.poll(seqOf, { timeout: 20_000 }).toBeGreaterThan(seq);
    expect(stop()).toEqual({ epochs: 1, lost: 0 });
  }, 240_000);

  it("takes pages whose every text is the worst, and keeps the lease", async () => {
    const stop = watchLease();
    const before = await seqOf();
    const text = `~price 1${" ".repeat(300)}x`;
    const member = { note: text, name: text, typeLine: text, baseType: text, explicitMods: [text] };
    const add = { ...member, accountName: text, stash: text, stashType: text, icon: { text } };
    await index.control("faults", {
      match: { endpoint: "publicStashTabs" },
      fault: { kind: "members", add },
    });
    await index.advance("1 minute");
    const isApplied = async () => {
      const { behind, seq } = await index.get<{ behind: number; seq: number }>("status");
      return behind === 0 && seq > before;
    };
    await expect.poll(isApplied, { timeout: 30_000 }).toBe(true);
    const during = await seqOf();
    await index.advance("1 minute");
    await expect.poll(seqOf, { timeout: 30_000 }).toBeGreaterThan(during);
    expect(stop()).toEqual({ epochs: 1, lost: 0 });
    expect((await fetch(`${index.controlUrl}/faults`, { method: "DELETE" })).ok).toBe(true);
  }, 90_000);

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
      const refused = streams.filter(({ response }) => response.statusCode !== 200);
      expect(refused).toHaveLength(400);
      for (const { response } of refused) {
        // 503 if the machine is too busy to look for a place.
        expect([429, 503]).toContain(response.statusCode);
        expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
      }
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

  it("ends a request that does not come to its end", async () => {
    const { hostname, port } = new URL(index.origin);
    const socket = connect(Number(port), hostname);
    const head = "POST /api/filters HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    socket.on("error", () => undefined).write(`${head}content-length: 50\r\n\r\n{`);
    const said = await Promise.race([once(socket.resume(), "close"), sleep(20_000, "open")]);
    expect(said).not.toBe("open");
  }, 40_000);
});
