/** Requests as they arrive at a server, and what they keep to themselves. */
import { buffer } from "node:stream/consumers";
import { inspect } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { Effect, Layer, Logger, Metric, Tracer } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import type * as HttpClient from "effect/http/HttpClient";
import { describe, expect, it } from "vitest";
import { GameApi, type GameApiError, type GameApiService } from "../src/index.ts";
import { PROFILE } from "./recording.ts";
import { userAgent } from "./sandbox.ts";
import { useServer } from "./server.ts";

const SECRET = "s3cret-access-token-0123456789";

const server = useServer((response) => response.end(PROFILE));
const urls = () => server.seen.map(({ request }) => request.url);
const answer = (body: string) => {
  server.answer = (response) => response.end(body);
};
const open = (options: Parameters<typeof server.api>[0] = {}) =>
  server.api({ credentials: SECRET, ...options });

/** Runs calls of a client for Effect, with a tracer and a logger around them. */
const observed = async <A>(
  use: (api: GameApiService) => Effect.Effect<A, GameApiError>,
  http: Layer.Layer<HttpClient.HttpClient> = NodeHttpClient.layerUndici,
) => {
  const spans: Array<Tracer.NativeSpan> = [];
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options);
      spans.push(span);
      return span;
    },
  });
  const logs: Array<unknown> = [];
  const logger = Logger.make((entry) => {
    logs.push(entry);
  });
  const options = { baseUrl: server.baseUrl, userAgent, retry: { times: 0 } };
  const layer = GameApi.layer({ ...options, credentials: SECRET });
  const value = await Effect.flatMap(GameApi, (api) =>
    use(api).pipe(Effect.provide(Logger.layer([logger])), Effect.withTracer(tracer)),
  ).pipe(Effect.provide(Layer.provide(layer, http)), Effect.runPromise);
  return { value, spans, logs };
};

describe("requests", () => {
  it("a request has the token as a bearer credential, the User-Agent, and no trace headers [DA-02]", async () => {
    await observed((api) => api.profile.get());
    const { headers } = server.seen[0]!.request;
    expect(headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      "user-agent": "OAuth example-web/1.0.0 (contact: dev@example.com)",
      accept: "application/json",
    });
    expect(Object.keys(headers)).not.toContain("traceparent");
    expect(Object.keys(headers)).not.toContain("b3");
  });

  it("requests go below the path of {base_url} only, never to the OAuth server [DA-04]", async () => {
    await open({ baseUrl: `${server.baseUrl}/v1/` }).profile.get();
    expect(urls()).toEqual(["/v1/profile"]);
  });

  it("a request's path leaves out the realm pc, and percent-encodes names [DA-06] [NS-26]", async () => {
    answer('{"stash":null,"character":null}');
    const { characters, stashes } = open();
    await stashes.get({ realm: "pc", league: "A/B %", stash_id: "0123456789" });
    await stashes.get({ realm: "console_b", league: "X", stash_id: "0123456789" });
    await characters.get({ realm: "game2", name: "Ünïcode" });
    await characters.get({ name: "console_a" });
    expect(urls()).toEqual([
      "/stash/A%2FB%20%25/0123456789",
      "/stash/console_b/X/0123456789",
      "/character/game2/%C3%9Cn%C3%AFcode",
      "/character/pc/console_a",
    ]);
  });

  it("itemFilters sends filters as JSON, with `validate` in the query [DA-14] [DA-15]", async () => {
    answer(
      '{"filter":{"id":"1","filter_name":"F","realm":"pc","description":"","version":"1","type":"Normal"}}',
    );
    const filter = { filter_name: "F", realm: "pc", filter: "Show" } as const;
    await open().itemFilters.create(filter, { validate: true, maxWait: 1000 });
    const [{ body, request }] = server.seen as [(typeof server.seen)[0]];
    expect(request.headers["content-type"]).toBe("application/json");
    expect(request.url).toBe("/item-filter?validate=true");
    expect(JSON.parse(body)).toEqual(filter);
  });

  it("the option `words` translates a deployment's realm names in requests and results", async () => {
    const bodies: Readonly<Record<string, string>> = {
      "/profile": '{"uuid":"u","name":"n","tv":{"name":"live"}}',
      "/league?realm=xa": '{"leagues":[{"id":"L","realm":"xa"}]}',
      "/character/g2": '{"characters":[]}',
    };
    server.answer = (response, url) => response.end(bodies[url]);
    const words = { console_a: "xa", console_b: "xb", game2: "g2", livestream: "tv" };
    const { characters, leagues, profile } = open({ words });
    expect(await profile.get()).toMatchObject({ livestream: { name: "live" } });
    expect(await leagues.list({ realm: "console_a" })).toEqual([{ id: "L", realm: "console_a" }]);
    await characters.list({ realm: "game2" });
    expect(urls()).toEqual(["/profile", "/league?realm=xa", "/character/g2"]);
  });
});

describe("secrets", () => {
  it("a call puts the token into no URL, error, log, span or metric [CL-08]", async () => {
    const body = JSON.stringify({ error: { code: 2, message: `bad token ${SECRET}` } });
    server.answer = (response) => response.writeHead(400).end(body);
    const all = await observed((api) =>
      Effect.gen(function* () {
        const refused = yield* Effect.exit(api.profile.get());
        server.answer = (response) => response.destroy();
        const cut = yield* Effect.exit(api.characters.get({ name: "x" }));
        return [refused, cut, yield* Metric.snapshot];
      }),
    );
    const everything = inspect(all, { depth: 20, showHidden: true }) + JSON.stringify(all.value);
    expect(everything).toContain("<redacted>");
    expect(everything).not.toContain(SECRET);
    expect(urls().join()).not.toContain(SECRET);
  });

  it("spans contain the operation and the route template, but no name of an account or character", async () => {
    answer('{"character":null}');
    const { spans } = await observed((api) => api.characters.get({ name: "Privateperson" }));
    const span = spans.find(({ name }) => name === "GameApi.characters.get");
    expect(span?.attributes.get("http.route")).toBe("/character/:name");
    expect(inspect(spans, { depth: 10 })).not.toContain("Privateperson");
  });

  it("the metric of requests counts them by route and status", async () => {
    const { value } = await observed((api) => Effect.andThen(api.profile.get(), Metric.snapshot));
    const attributes = { route: "GET /profile", status: "200" };
    expect(value).toContainEqual(
      expect.objectContaining({ id: "game_data_client_requests", attributes }),
    );
  });

  it("a call uses the fetch, RequestInit, tracer and logger that are provided around it", async () => {
    const requests: Array<RequestInit | undefined> = [];
    const fetch: typeof globalThis.fetch = (url, init) => {
      requests.push(init);
      return globalThis.fetch(url, init);
    };
    const onResponse = () => {
      throw new Error("hook failed");
    };
    const { logs, spans } = await observed(
      (api) =>
        api.profile
          .get({ onResponse })
          .pipe(
            Effect.provideService(FetchHttpClient.Fetch, fetch),
            Effect.provideService(FetchHttpClient.RequestInit, { cache: "no-store" }),
          ),
      FetchHttpClient.layer,
    );
    expect(requests).toMatchObject([{ cache: "no-store", redirect: "manual" }]);
    expect(spans.map(({ name }) => name)).toContain("GameApi.profile.get");
    expect(inspect(logs, { depth: 5 })).toContain("The hook onResponse threw");
  });
});

describe.each([
  ["undici", NodeHttpClient.layerUndici],
  ["fetch", FetchHttpClient.layer],
])("over %s", (name, http) => {
  it("a call follows no redirect, whose target would receive the token [CL-08]", async () => {
    server.answer = (response) => response.writeHead(302, { location: "/elsewhere" }).end();
    await expect(open({ http }).profile.get()).rejects.toMatchObject({
      _tag: "TransportError",
      reason: "redirect",
    });
    expect(urls()).toEqual(["/profile"]);
  });

  it("a call requests gzip and inflates it; raw bytes stay compressed unless fetch inflates them", async () => {
    const packed = gzipSync(PROFILE);
    server.answer = (response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
    const api = open({ http });
    expect(await api.profile.get()).toEqual(JSON.parse(PROFILE));
    const raw = await api.publicStashTabs.raw();
    const bytes = await buffer(raw.bytes);
    expect(raw.encoding).toBe(name === "fetch" ? "identity" : "gzip");
    expect(String(raw.encoding === "gzip" ? gunzipSync(bytes) : bytes)).toBe(PROFILE);
    for (const { request } of server.seen)
      expect(request.headers["accept-encoding"]).toContain("gzip");
  });
});
