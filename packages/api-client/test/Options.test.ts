/** Options that cannot work are told by name, before anything is sent. */
import { Effect, Exit, Layer } from "effect";
import { describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import { ConfigurationInvalid, createGameApi } from "../src/promise.ts";
import type { PromiseOptions } from "../src/promise.ts";
import { fixtureTransport } from "../src/testing.ts";
import { userAgent } from "./sandbox.ts";
import { FILTER } from "./recording.ts";

const options: PromiseOptions = {
  baseUrl: "https://api.example",
  userAgent,
  transport: fixtureTransport({ "leagues.list": { body: { leagues: [] } } }),
};

const wrong = [
  ["timeout", "soon", "timeout"],
  ["timeout", Number.NaN, "timeout"],
  ["timeout", null, "timeout"],
  ["totalTimeout", -1, "totalTimeout"],
  ["maxWait", {}, "maxWait"],
  ["maxBodyBytes", "64MB", "maxBodyBytes"],
  ["maxBodyBytes", Number.NaN, "maxBodyBytes"],
  ["maxBodyBytes", 0, "maxBodyBytes"],
  ["maxBodyBytes", Infinity, "maxBodyBytes"],
  ["retry", { times: Number.NaN }, "retry.times"],
  ["retry", { times: -1 }, "retry.times"],
  ["retry", { base: "often" }, "retry.base"],
  ["retry", { tries: 3 }, "retry.tries"],
  ["retry", 3, "retry"],
  ["limiter", { maxInFlight: 0 }, "limiter.maxInFlight"],
  ["limiter", { maxWait: "soon" }, "limiter.maxWait"],
  ["limiter", null, "limiter"],
  ["dedupe", 0, "dedupe"],
  ["onRequest", "log", "onRequest"],
  ["baseUrl", 7, "baseUrl"],
  ["baseUrl", "http://api.example", "baseUrl"],
  ["baseUrl", "ftp://localhost", "baseUrl"],
  ["baseUrl", "no address", "baseUrl"],
  ["baseUrl", "https://api.example/?page=1", "baseUrl"],
  ["userAgent", { ...userAgent, contact: "" }, "userAgent.contact"],
  ["userAgent", { ...userAgent, contact: "a\r\nX: y" }, "userAgent.contact"],
  ["userAgent", { ...userAgent, contact: "a)" }, "userAgent.contact"],
  ["userAgent", { ...userAgent, clientId: "" }, "userAgent.clientId"],
  ["userAgent", { ...userAgent, comment: "a\nb" }, "userAgent.comment"],
  ["words", { game2: "pc" }, "words.game2"],
  ["words", { bogus: "x" }, "words.bogus"],
  ["baseUrl", undefined, "baseUrl"],
  ["userAgent", undefined, "userAgent"],
  ["userAgent", { ...userAgent, bogus: 1 }, "userAgent.bogus"],
  ["credentials", "", "credentials"],
  ["credentials", Effect.succeed("token"), "credentials"],
  ["userAgent", null, "userAgent"],
  ["timout", 5, "timout"],
] as const;

describe("a client", () => {
  it.each(wrong)("refuses %s: %o as %s", (name, value, option) => {
    let thrown: unknown;
    try {
      createGameApi({ ...options, [name]: value } as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConfigurationInvalid);
    expect(thrown).toMatchObject({ option, isRetryable: false });
  });

  it.each(wrong)("for Effect fails with %s: %o as %s", async (name, value, option) => {
    const layer = GameApi.layerTransport({ ...options, [name]: value } as never);
    const exit = await Effect.runPromiseExit(Effect.scoped(Layer.build(layer)));
    const error = Exit.findErrorOption(exit);
    expect(error).toMatchObject({ value: { _tag: "ConfigurationInvalid", option } });
  });
});

it.each([
  [
    { userAgent: { ...userAgent, clientId: "" } },
    "userAgent.clientId must be printable ASCII without parentheses.",
  ],
  [{ words: { game2: "pc" } }, "words.game2 must not be the word of pc."],
  [{ baseUrl: undefined }, "baseUrl must be an HTTPS address, or HTTP on a loopback address."],
  [{ userAgent: undefined }, "userAgent must be an object, not undefined."],
])("a client says each word once: %o", (wrongOptions, text) => {
  const message = `Invalid configuration: ${text}`;
  expect(() => createGameApi({ ...options, ...wrongOptions } as never)).toThrow(
    expect.objectContaining({ message }),
  );
});

describe("a client's address", () => {
  it("is refused where it would send the token in the clear", () => {
    for (const baseUrl of ["http://api.example", "ftp://localhost"])
      expect(() => createGameApi({ ...options, baseUrl })).toThrow(ConfigurationInvalid);
    for (const baseUrl of ["https://api.example", "http://localhost:1"])
      expect(() => createGameApi({ ...options, baseUrl })).not.toThrow();
  });
});

describe("a request of no operation", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  it.each<[string, unknown, string?]>([
    ["nothing", undefined],
    ["no path", {}],
    ["a foreign path", { path: "//evil.example" }],
    ["no query", { path: "/x", query: null }, "query: must be an object"],
    ["a circular body", { method: "POST", path: "/x", body: circular }],
    ["a big integer", { method: "POST", path: "/x", body: 1n }],
  ])("rejects %s", async (_, asked, detail) => {
    const call = createGameApi(options).request(asked as never);
    await expect(call).rejects.toMatchObject({ _tag: "InvalidRequest", ...(detail && { detail }) });
  });
});

describe("a call", () => {
  it.each([
    ["priority", Number.NaN],
    ["retries", -1],
    ["retries", 1.5],
    ["retryUnsafe", "yes"],
    ["timeout", "soon"],
    ["maxWait", Number.NaN],
    ["signal", {}],
    ["onResponse", 5],
    ["timout", 5],
  ])("refuses %s: %o, and the next one goes", async (name, value) => {
    const api = createGameApi(options);
    const bad = api.leagues.list({}, { [name]: value } as never);
    await expect(bad).rejects.toMatchObject({
      _tag: "InvalidRequest",
      detail: expect.stringContaining(`${name}: must be`),
    });
    const effect = Effect.flatMap(GameApi, ({ leagues }) =>
      leagues.list({}, { [name]: value } as never),
    ).pipe(Effect.provide(GameApi.layerTransport(options as never)), Effect.flip);
    expect(await Effect.runPromise(effect as Effect.Effect<unknown>)).toMatchObject({
      detail: expect.stringContaining(`${name}: must be`),
    });
    expect(await api.leagues.list()).toEqual([]);
    await api.close();
  });

  const anyApi = createGameApi(options) as any;
  it.each<[string, () => Promise<unknown>]>([
    ["profile.get", () => anyApi.profile.get(null)],
    ["leagues.list", () => anyApi.leagues.list({}, null)],
    ["itemFilters.create", () => anyApi.itemFilters.create({}, null)],
    ["itemFilters.upsert", () => anyApi.itemFilters.upsert({}, 5)],
    ["stashes.all", () => anyApi.stashes.all({ league: "x" }, null)],
    ["leagues.ranks", () => anyApi.leagues.ranks({ league: "x" }, "fast")],
    ["publicStashTabs.raw", () => anyApi.publicStashTabs.raw({}, null)],
    ["leagues.ladderPages", () => anyApi.leagues.ladderPages({ league: "x" }, null).next()],
    ["request", () => anyApi.request({ path: "/x" }, null)],
  ])("refuses what holds no options: %s", async (_, call) => {
    await expect(call()).rejects.toMatchObject({ detail: "options: must be an object" });
  });

  it.each<[string, () => Promise<unknown>]>([
    ["leagues.ranks", () => anyApi.leagues.ranks(null)],
    ["stashes.some", () => anyApi.stashes.some("x")],
    ["leagues.ladderPages", () => anyApi.leagues.ladderPages(null).next()],
  ])("refuses what holds no request: %s", async (_, call) => {
    await expect(call()).rejects.toMatchObject({ _tag: "InvalidRequest" });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ["leagues.ranks", () => anyApi.leagues.ranks({ league: "x", count: Number.NaN }), "count"],
    ["leagues.ranks", () => anyApi.leagues.ranks({ league: "x", count: 1.5 }), "count"],
    ["stashes.some", () => anyApi.stashes.some({ league: "x" }), "ids"],
    ["withResponse", () => anyApi.withResponse(undefined), "calls"],
    ["forecast", () => anyApi.forecast("bogus", 1), "bogus"],
    ["forecast", () => anyApi.forecast("profile.get", Number.NaN), "count"],
    ["forecast", () => anyApi.forecast("profile.get"), "count"],
    ["forecast", () => anyApi.forecast("profile.get", 1, { bogus: 1 }), "bogus"],
    ["forecast", () => anyApi.forecast("profile.get", 1, null), "options"],
    ["limits", () => anyApi.limits(), "operation"],
    ["limits", () => anyApi.limits("profile.get", { realm: 5 }), "realm"],
  ])("rejects, and names what it was given: %s, %s", async (operation, call, name) => {
    await expect(call()).rejects.toMatchObject({
      _tag: "InvalidRequest",
      operation,
      detail: expect.stringContaining(name),
    });
  });

  it("for Effect fails as the promise rejects", async () => {
    const failure = Effect.flatMap(GameApi, (api) => api.forecast("bogus" as never, 1)).pipe(
      Effect.provide(GameApi.layerTransport(options as never)),
      Effect.flip,
    );
    expect(await Effect.runPromise(failure as Effect.Effect<unknown>)).toMatchObject({
      _tag: "InvalidRequest",
      operation: "forecast",
    });
  });

  it("takes a value that is no promise", async () => {
    expect(await anyApi.withResponse(() => 5)).toEqual({ data: 5, response: undefined });
  });

  it("takes the options that its method has beside the others", async () => {
    const transport = fixtureTransport({
      "itemFilters.list": { body: { filters: [] } },
      "itemFilters.create": { body: { filter: { ...FILTER, id: "1", type: "Normal" } } },
      "stashes.list": { body: { stashes: [] } },
      "leagues.ladder": { body: { league: { total: 0, entries: [] } } },
    });
    const { itemFilters, leagues, stashes } = createGameApi({ ...options, transport });
    expect(await itemFilters.upsert(FILTER, { validate: true })).toMatchObject({
      status: "created",
    });
    expect(await stashes.all({ league: "x" }, { concurrency: 1 })).toMatchObject({ tabs: [] });
    const onProgress = () => undefined;
    expect(await leagues.ranks({ league: "x" }, { onProgress, maxWait: 1000 })).toEqual([]);
  });

  it("after `close` tells that the client is closed", async () => {
    const api = createGameApi(options);
    await api.close();
    await expect(api.leagues.list()).rejects.toMatchObject({
      _tag: "TransportError",
      kind: "closed",
      isRetryable: false,
      message: "leagues.list: not sent: the client is closed",
    });
    await expect(api.forecast("leagues.list", 1)).rejects.toMatchObject({
      operation: "forecast",
      kind: "closed",
    });
  });
});
