import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { Effect, Exit, Layer, Logger, Metric, Stream, Tracer } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import type { GameApiError, GameApiOptions } from "../src/index.ts";
import { decoded } from "../src/raw.ts";
import { userAgent } from "./sandbox.ts";

const SECRET = "s3cret-access-token-0123456789";

let server: Server;
let baseUrl: string;
let seen: Array<{ readonly request: IncomingMessage; readonly body: string }> = [];
let answer: (url: string) => {
  readonly status?: number;
  readonly body: string;
  readonly headers?: Record<string, string>;
};

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      seen.push({ request, body });
      const { status = 200, headers, body: text } = answer(request.url ?? "");
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  seen = [];
  answer = () => ({ body: '{"uuid":"u","name":"n"}' });
});
afterAll(() => {
  server.close();
});

const layerOf = (options: Partial<GameApiOptions> = {}, transport = NodeHttpClient.layerUndici) =>
  GameApi.layer({
    baseUrl,
    userAgent,
    credentials: SECRET,
    retry: { times: 0 },
    ...options,
  }).pipe(Layer.provide(transport));

const call = <A>(
  use: (api: GameApi["Service"]) => Effect.Effect<A, GameApiError>,
  options: Partial<GameApiOptions> = {},
) => Effect.runPromise(Effect.provide(Effect.exit(Effect.flatMap(GameApi, use)), layerOf(options)));

describe("requests", () => {
  it("carry the token as a bearer credential, the User-Agent, and nothing that propagates traces [DA-02]", async () => {
    await call((api) => api.profile.get());
    const headers = seen[0]?.request.headers;
    expect(headers?.authorization).toBe(`Bearer ${SECRET}`);
    expect(headers?.["user-agent"]).toBe("OAuth example-web/1.0.0 (contact: dev@example.com)");
    expect(headers?.accept).toBe("application/json");
    expect(Object.keys(headers ?? {})).not.toContain("traceparent");
    expect(Object.keys(headers ?? {})).not.toContain("b3");
  });

  it("go without a token where there is none", async () => {
    await call((api) => api.profile.get(), { credentials: undefined });
    expect(seen[0]?.request.headers.authorization).toBeUndefined();
  });

  it("go to {base_url} alone, path and all; the OAuth server's address is another [DA-04]", async () => {
    await call((api) => api.profile.get(), { baseUrl: `${baseUrl}/v1/` });
    expect(seen.map(({ request }) => request.url)).toEqual(["/v1/profile"]);
  });

  it("keep the realm out of the path for pc, and percent-encode names [DA-06] [NS-26]", async () => {
    answer = () => ({ body: '{"stash":null,"character":null}' });
    await call((api) => api.stashes.get({ realm: "pc", league: "A/B %", stash_id: "0123456789" }));
    await call((api) =>
      api.stashes.get({ realm: "console_b", league: "X", stash_id: "0123456789" }),
    );
    await call((api) => api.characters.get({ realm: "game2", name: "Ünïcode" }));
    await call((api) => api.characters.get({ name: "console_a" }));
    expect(seen.map(({ request }) => request.url)).toEqual([
      "/stash/A%2FB%20%25/0123456789",
      "/stash/console_b/X/0123456789",
      "/character/game2/%C3%9Cn%C3%AFcode",
      "/character/pc/console_a",
    ]);
  });

  it("send filters as JSON, with `validate` in the query [DA-14] [DA-15]", async () => {
    answer = () => ({ body: "{}" });
    const filter = { filter_name: "F", realm: "pc", filter: "Show" } as const;
    await call((api) => api.itemFilters.create(filter, { validate: true }));
    expect(seen[0]?.request.headers["content-type"]).toBe("application/json");
    expect(seen[0]?.request.url).toBe("/item-filter?validate=true");
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual(filter);
  });
});

describe("the User-Agent", () => {
  it("has the form that the service asks for", async () => {
    await call((api) => api.profile.get(), { userAgent: { ...userAgent, comment: "Extra" } });
    expect(seen[0]?.request.headers["user-agent"]).toBe(
      "OAuth example-web/1.0.0 (contact: dev@example.com) Extra",
    );
  });
});

describe("a deployment's own words", () => {
  const words = { console_a: "xa", console_b: "xb", game2: "g2", livestream: "tv" };

  it("stand on the wire, and neutral words in requests and results", async () => {
    answer = (url) => ({
      body: url.startsWith("/profile")
        ? '{"uuid":"u","name":"n","tv":{"name":"live"}}'
        : url.startsWith("/league")
          ? '{"leagues":[{"id":"L","realm":"xa"}]}'
          : '{"characters":[]}',
    });
    const profile = await call((api) => api.profile.get(), { words });
    const leagues = await call((api) => api.leagues.list({ realm: "console_a" }), { words });
    await call((api) => api.characters.list({ realm: "game2" }), { words });
    expect(seen.map(({ request }) => request.url)).toEqual([
      "/profile",
      "/league?realm=xa",
      "/character/g2",
    ]);
    expect(profile).toMatchObject({ value: { livestream: { name: "live" } } });
    expect(leagues).toMatchObject({ value: [{ id: "L", realm: "console_a" }] });
  });
});

describe("secrets", () => {
  it("the token is in no URL, error, log, span or metric [CL-08]", async () => {
    answer = () => ({
      status: 400,
      body: JSON.stringify({ error: { code: 2, message: `bad token ${SECRET}` } }),
    });
    const spoken: Array<unknown> = [];
    const logger = Logger.make((entry) => {
      spoken.push(entry);
    });
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options);
        spoken.push(span);
        return span;
      },
    });
    const failed = await Effect.runPromise(
      Effect.gen(function* () {
        const api = yield* GameApi;
        const refused = yield* Effect.exit(api.profile.get());
        server.closeAllConnections();
        const cut = yield* Effect.exit(api.characters.get({ name: "x" }, { timeout: 1 }));
        return [refused, cut, yield* Metric.snapshot];
      }).pipe(
        Effect.provide(layerOf()),
        Effect.provide(Logger.layer([logger])),
        Effect.withTracer(tracer),
      ),
    );
    const everything =
      inspect([failed, spoken], { depth: 20, showHidden: true }) + JSON.stringify(failed);
    expect(everything).toContain("<redacted>");
    expect(everything).not.toContain(SECRET);
    for (const { request } of seen) expect(request.url).not.toContain(SECRET);
  });

  it("spans name the call and the route template, not the names in it", async () => {
    answer = () => ({ body: '{"character":null}' });
    const spans: Array<Tracer.NativeSpan> = [];
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options);
        spans.push(span);
        return span;
      },
    });
    await Effect.runPromise(
      Effect.gen(function* () {
        yield* (yield* GameApi).characters.get({ name: "Privateperson" });
      }).pipe(Effect.provide(layerOf()), Effect.withTracer(tracer)),
    );
    const span = spans.find(({ name }) => name.startsWith("GameApi."));
    expect(span?.name).toBe("GameApi.characters.get");
    expect(span?.attributes.get("http.route")).toBe("/character/:name");
    expect(inspect(spans, { depth: 10 })).not.toContain("Privateperson");
  });

  it("requests are counted by route and status", async () => {
    await call((api) => api.profile.get());
    const metrics = await Effect.runPromise(Metric.snapshot);
    const counted = metrics.find(
      ({ id, attributes }) =>
        id === "game_data_client_requests" &&
        attributes?.["route"] === "GET /profile" &&
        attributes["status"] === "200",
    );
    expect(counted).toBeDefined();
  });
});

describe("transports", () => {
  it("with fetch, redirects are not followed either", async () => {
    answer = (url) =>
      url === "/profile"
        ? { status: 302, headers: { location: "/elsewhere" }, body: "" }
        : { body: "{}" };
    const exit = await Effect.runPromise(
      Effect.provide(
        Effect.exit(Effect.flatMap(GameApi, (api) => api.profile.get())),
        layerOf({}, FetchHttpClient.layer),
      ),
    );
    expect(Exit.findErrorOption(exit)).toMatchObject({
      value: { _tag: "TransportError", kind: "redirect" },
    });
    expect(seen).toHaveLength(1);
  });

  it("gzip is asked for, and unpacked whichever transport it is", async () => {
    const { gzipSync } = await import("node:zlib");
    const zipped = gzipSync('{"uuid":"u","name":"n"}').toString("latin1");
    server.removeAllListeners("request");
    const plain = server.listeners("request");
    server.on("request", (request: IncomingMessage, response) => {
      seen.push({ request, body: "" });
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(Buffer.from(zipped, "latin1"));
    });
    for (const transport of [NodeHttpClient.layerUndici, FetchHttpClient.layer]) {
      const result = await Effect.runPromise(
        Effect.provide(
          Effect.gen(function* () {
            const api = yield* GameApi;
            const { data, response } = yield* api.withResponse((calls) => calls.profile.get());
            const raw = yield* Effect.scoped(
              Effect.gen(function* () {
                const page = yield* api.publicStashTabs.raw();
                const chunks = yield* Stream.runCollect(decoded(page));
                return { encoding: page.encoding, text: Buffer.concat(chunks).toString() };
              }),
            );
            return { data, response, raw };
          }),
          layerOf({}, transport),
        ),
      );
      expect(result.data).toEqual({ uuid: "u", name: "n" });
      expect(JSON.parse(result.raw.text)).toEqual({ uuid: "u", name: "n" });
      const isFetch = transport === FetchHttpClient.layer;
      expect(result.raw.encoding).toBe(isFetch ? "identity" : "gzip");
    }
    expect(
      seen.every(({ request }) => String(request.headers["accept-encoding"]).includes("gzip")),
    ).toBe(true);
    expect(plain).toEqual([]);
  });
});
