import { inspect } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { Effect, Logger, Metric, Stream, Tracer } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import { describe, expect, it } from "vitest";
import type { GameApiOptions } from "../src/index.ts";
import { PROFILE } from "./recording.ts";
import { failureOf, type Use } from "./sandbox.ts";
import { useServer } from "./server.ts";

const SECRET = "s3cret-access-token-0123456789";

const server = useServer((response) => response.end(PROFILE));
const urls = () => server.seen.map(({ request }) => request.url);
const answer = (body: string) => {
  server.answer = (response) => response.end(body);
};

const call = <A>(use: Use<A>, options: Partial<GameApiOptions> = {}) =>
  server.exit(use, { credentials: SECRET, ...options });

describe("requests", () => {
  it("carry the token as a bearer credential, the User-Agent, and nothing that propagates traces [DA-02]", async () => {
    await call((api) => api.profile.get());
    const headers = server.seen[0]?.request.headers;
    expect(headers?.authorization).toBe(`Bearer ${SECRET}`);
    expect(headers?.["user-agent"]).toBe("OAuth example-web/1.0.0 (contact: dev@example.com)");
    expect(headers?.accept).toBe("application/json");
    expect(Object.keys(headers ?? {})).not.toContain("traceparent");
    expect(Object.keys(headers ?? {})).not.toContain("b3");
  });

  it("go without a token where there is none", async () => {
    await call((api) => api.profile.get(), { credentials: undefined });
    expect(server.seen[0]?.request.headers.authorization).toBeUndefined();
  });

  it("go to {base_url} alone, path and all; the OAuth server's address is another [DA-04]", async () => {
    await call((api) => api.profile.get(), { baseUrl: `${server.baseUrl}/v1/` });
    expect(urls()).toEqual(["/v1/profile"]);
  });

  it("keep the realm out of the path for pc, and percent-encode names [DA-06] [NS-26]", async () => {
    answer('{"stash":null,"character":null}');
    await call((api) => api.stashes.get({ realm: "pc", league: "A/B %", stash_id: "0123456789" }));
    await call((api) =>
      api.stashes.get({ realm: "console_b", league: "X", stash_id: "0123456789" }),
    );
    await call((api) => api.characters.get({ realm: "game2", name: "Ünïcode" }));
    await call((api) => api.characters.get({ name: "console_a" }));
    expect(urls()).toEqual([
      "/stash/A%2FB%20%25/0123456789",
      "/stash/console_b/X/0123456789",
      "/character/game2/%C3%9Cn%C3%AFcode",
      "/character/pc/console_a",
    ]);
  });

  it("send filters as JSON, with `validate` in the query [DA-14] [DA-15]", async () => {
    answer("{}");
    const filter = { filter_name: "F", realm: "pc", filter: "Show" } as const;
    await call((api) => api.itemFilters.create(filter, { validate: true }));
    expect(server.seen[0]?.request.headers["content-type"]).toBe("application/json");
    expect(server.seen[0]?.request.url).toBe("/item-filter?validate=true");
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual(filter);
  });
});

describe("a deployment's own words", () => {
  const words = { console_a: "xa", console_b: "xb", game2: "g2", livestream: "tv" };

  it("stand on the wire, and neutral words in requests and results", async () => {
    const bodies: Readonly<Record<string, string>> = {
      "/profile": '{"uuid":"u","name":"n","tv":{"name":"live"}}',
      "/league?realm=xa": '{"leagues":[{"id":"L","realm":"xa"}]}',
      "/character/g2": '{"characters":[]}',
    };
    server.answer = (response, url) => response.end(bodies[url]);
    const profile = await call((api) => api.profile.get(), { words });
    const leagues = await call((api) => api.leagues.list({ realm: "console_a" }), { words });
    await call((api) => api.characters.list({ realm: "game2" }), { words });
    expect(urls()).toEqual(["/profile", "/league?realm=xa", "/character/g2"]);
    expect(profile).toMatchObject({ value: { livestream: { name: "live" } } });
    expect(leagues).toMatchObject({ value: [{ id: "L", realm: "console_a" }] });
  });
});

describe("secrets", () => {
  it("the token is in no URL, error, log, span or metric [CL-08]", async () => {
    const body = JSON.stringify({ error: { code: 2, message: `bad token ${SECRET}` } });
    server.answer = (response) => response.writeHead(400).end(body);
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
    const failed = await call((api) =>
      Effect.gen(function* () {
        const refused = yield* Effect.exit(api.profile.get());
        server.answer = (response) => response.destroy();
        const cut = yield* Effect.exit(api.characters.get({ name: "x" }));
        return [refused, cut, yield* Metric.snapshot];
      }).pipe(Effect.provide(Logger.layer([logger])), Effect.withTracer(tracer)),
    );
    const everything =
      inspect([failed, spoken], { depth: 20, showHidden: true }) + JSON.stringify(failed);
    expect(everything).toContain("<redacted>");
    expect(everything).not.toContain(SECRET);
    expect(urls().join()).not.toContain(SECRET);
  });

  it("spans name the call and the route template, not the names in it", async () => {
    answer('{"character":null}');
    const spans: Array<Tracer.NativeSpan> = [];
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options);
        spans.push(span);
        return span;
      },
    });
    await call((api) => Effect.withTracer(api.characters.get({ name: "Privateperson" }), tracer));
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
  const both = [NodeHttpClient.layerUndici, FetchHttpClient.layer];

  it("follow no redirect, which would take the token along [CL-08]", async () => {
    server.answer = (response) => response.writeHead(302, { location: "/elsewhere" }).end();
    for (const transport of both) {
      const exit = await server.exit((api) => api.profile.get(), {}, transport);
      expect(failureOf(exit)).toMatchObject({ _tag: "TransportError", reason: "redirect" });
    }
    for (const http of both)
      await expect(server.api({ http }).profile.get()).rejects.toMatchObject({
        reason: "redirect",
      });
    expect(urls()).toEqual(Array(4).fill("/profile"));
  });

  it("gzip is asked for, and unpacked whichever transport it is", async () => {
    server.answer = (response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(PROFILE));
    for (const transport of both) {
      const use: Use<unknown> = (api) =>
        Effect.gen(function* () {
          const page = yield* api.publicStashTabs.raw();
          const bytes = Buffer.concat(yield* Stream.runCollect(page.bytes));
          const text = page.encoding === "gzip" ? gunzipSync(bytes) : bytes;
          return [yield* api.profile.get(), page.encoding, JSON.parse(String(text))];
        }).pipe(Effect.scoped);
      const data = JSON.parse(PROFILE);
      const encoding = transport === FetchHttpClient.layer ? "identity" : "gzip";
      expect(await server.exit(use, {}, transport)).toMatchObject({
        value: [data, encoding, data],
      });
    }
    for (const { request } of server.seen)
      expect(request.headers["accept-encoding"]).toContain("gzip");
  });
});
