import { Config, ConfigProvider, Effect, Exit, Layer } from "effect";
import { describe, expect, it, vi } from "vitest";
import { GameApi, LimiterStore, LimiterStoreError } from "../src/index.ts";
import {
  ConfigurationInvalid,
  createGameApi,
  type GameApi as PromiseApi,
  type PromiseOptions,
} from "../src/promise.ts";
import { fixtureHttp } from "../src/testing.ts";
import { FILTER, recording } from "./recording.ts";
import { userAgent } from "./sandbox.ts";

const http = fixtureHttp({ "leagues.list": { body: { leagues: [] } } });
const options: PromiseOptions = { baseUrl: "https://api.example", userAgent, http };

const wrong = [
  ["timeout", "soon", "timeout"],
  ["timeout", Number.NaN, "timeout"],
  ["timeout", 0, "timeout"],
  ["totalTimeout", -1, "totalTimeout"],
  ["maxBodyBytes", "5", "maxBodyBytes"],
  ["retry", null, "retry"],
  ["retry", { times: "3" }, "retry.times"],
  ["limiter", 5, "limiter"],
  ["limiter", { maxInFlight: 0 }, "limiter.maxInFlight"],
  ["onResponse", 5, "onResponse"],
  ["onRetry", {}, "onRetry"],
  ["maxBodyBytes", 0, "maxBodyBytes"],
  ["retry", { times: -1 }, "retry.times"],
  ["retry", { base: "often" }, "retry.base"],
  ["baseUrl", 7, "baseUrl"],
  ["baseUrl", "http://api.example", "baseUrl"],
  ["baseUrl", "ftp://localhost", "baseUrl"],
  ["baseUrl", "no address", "baseUrl"],
  ["baseUrl", "https://api.example/?page=1", "baseUrl"],
  ["baseUrl", "https://user:password@api.example", "baseUrl"],
  ["baseUrl", undefined, "baseUrl"],
  ["userAgent", { ...userAgent, contact: "" }, "userAgent.contact"],
  ["userAgent", { ...userAgent, contact: "a\r\nX: y" }, "userAgent.contact"],
  ["userAgent", { ...userAgent, clientId: "" }, "userAgent.clientId"],
  ["userAgent", { ...userAgent, comment: "a\nb" }, "userAgent.comment"],
  ["userAgent", undefined, "userAgent.clientId"],
  ["words", { game2: "pc" }, "words.game2"],
  ["words", [], "words"],
  ["words", { bogus: "x" }, "words.bogus"],
  ["credentials", "", "credentials"],
  ["credentials", 5, "credentials"],
  ["credentials", { current: 5 }, "credentials"],
] as const;

describe("a client", () => {
  it.each(wrong)(
    "a client refuses the option %s: %o, and the error names %s",
    async (name, value, option) => {
      const wrongOptions = { ...options, [name]: value } as never;
      expect(() => createGameApi(wrongOptions)).toThrow(
        expect.objectContaining({ _tag: "ConfigurationInvalid", option, isRetryable: false }),
      );
      const layer = GameApi.layer(wrongOptions).pipe(Layer.provide(http));
      const exit = await Effect.runPromiseExit(Effect.scoped(Layer.build(layer)));
      expect(Exit.findErrorOption(exit)).toMatchObject({
        value: { _tag: "ConfigurationInvalid", option },
      });
    },
  );

  it.each<[option: string, make: (...args: ReadonlyArray<any>) => unknown]>([
    ["options", () => createGameApi(null as never)],
    ["fetch", (value) => createGameApi({ ...options, fetch: value })],
    ["http", (value) => createGameApi({ ...options, http: value })],
    ["limiter.store", (value) => createGameApi({ ...options, limiter: { store: value } })],
    ["options", (value) => createGameApi(options).as("token", value)],
    ["identity", (value) => createGameApi(options).as("token", { identity: value })],
  ])("createGameApi and `as` refuse a wrong option %s", (option, make) => {
    expect(() => make(5)).toThrow(
      expect.objectContaining({ _tag: "ConfigurationInvalid", option }),
    );
  });

  it("the message of ConfigurationInvalid names the option `userAgent.clientId` once", () => {
    const wrongOptions = { ...options, userAgent: { ...userAgent, clientId: "" } };
    expect(() => createGameApi(wrongOptions)).toThrow(
      "Invalid configuration: userAgent.clientId must be printable ASCII without parentheses.",
    );
  });

  it("the option `baseUrl` accepts HTTP only on a loopback address", () => {
    expect(() => createGameApi({ ...options, baseUrl: "http://localhost:1" })).not.toThrow();
    expect(() => createGameApi({ ...options, baseUrl: "http://localhost.evil.example" })).toThrow(
      ConfigurationInvalid,
    );
  });

  it("GameApi.layerConfig reads the options of a client from the environment", async () => {
    const { http: client, sent } = recording();
    const call = (environment: object) =>
      Effect.flatMap(GameApi, (api) => api.profile.get()).pipe(
        Effect.provide(
          GameApi.layerConfig({
            baseUrl: Config.String("API_URL"),
            userAgent,
            credentials: Config.Redacted("API_TOKEN"),
            retry: { times: 0 },
          }).pipe(Layer.provide(client)),
        ),
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment))),
        Effect.runPromise,
      );
    await call({ API_URL: "https://api.example/v1", API_TOKEN: "secret" });
    const headers = { authorization: "Bearer secret" };
    expect(sent).toMatchObject([{ url: "https://api.example/v1/profile", headers }]);
    await expect(call({})).rejects.toMatchObject({ _tag: "ConfigError" });
  });
});

describe("a call", () => {
  it.each([
    ["timeout", "soon"],
    ["totalTimeout", -1],
    ["timeout", 0],
    ["maxWait", Number.NaN],
    ["signal", 5],
    ["retries", "x"],
    ["priority", Number.NaN],
    ["onResponse", {}],
  ])("a call refuses the option %s: %o, and the next call is sent", async (name, value) => {
    const api = createGameApi(options);
    await expect(api.leagues.list({}, { [name]: value } as never)).rejects.toMatchObject({
      _tag: "InvalidRequest",
      attempts: 0,
      detail: expect.stringMatching(`^${name} must be`),
    });
    expect(await api.leagues.list()).toEqual([]);
  });

  it.each<[detail: string, call: (api: PromiseApi) => Promise<unknown>]>([
    ["options must be an object", (api) => api.profile.get(null as never)],
    ["options must be an object", (api) => api.itemFilters.create(FILTER, null as never)],
    ["operation must be", (api) => api.limits("nope" as never)],
    ["operation must be", (api) => api.forecast("__proto__" as never, 1)],
    ["count must be", (api) => api.forecast("profile.get", 0)],
    ["count must be", (api) => api.forecast("profile.get", 1.5)],
    ["count must be", (api) => api.forecast("profile.get", "1" as never)],
    ["count must be", (api) => api.forecast("profile.get", 10_001)],
    ["limit must be", (api) => api.leagues.list({ limit: 51 })],
    ["path must be", (api) => api.request(undefined as never)],
    ["route must begin", (api) => api.request({ method: "POST", path: "/x", route: "GET /x" })],
    ["a BigInt", (api) => api.request({ method: "POST", path: "/x", body: 1n })],
    ["query.a must be", (api) => api.request({ path: "/a", query: { a: null as never } })],
  ])("a call with wrong arguments fails with InvalidRequest: %s (%s)", async (detail, call) => {
    const expected = { _tag: "InvalidRequest", detail: expect.stringContaining(detail) };
    await expect(call(createGameApi(options))).rejects.toMatchObject(expected);
  });
});

describe("a client over a shared store", () => {
  it("a client opens its limiter store again if the store was unavailable at the first call", async () => {
    let openings = 0;
    const store = Layer.unwrap(
      Effect.suspend(() =>
        ++openings < 3 ? Effect.fail(new Error("away")) : Effect.succeed(LimiterStore.layerMemory),
      ),
    );
    const api = createGameApi({ ...options, limiter: { store } });
    const call = api.leagues.list({}, { maxWait: 100, retries: 0 });
    await expect(call).rejects.toMatchObject({ _tag: "TransportError", reason: "limiter" });
    expect(await api.leagues.list()).toEqual([]);
    expect(openings).toBe(3);
    await api.close();
  });

  it("a forecast fails with the reason `limiter` if the limiter store cannot be reached", async () => {
    const transact = () => Effect.fail(new LimiterStoreError({ cause: new Error("gone") }));
    const service = { now: Effect.succeed(0), isShared: true, transact };
    const store = Layer.succeed(LimiterStore, service);
    const api = createGameApi({ ...options, limiter: { store } });
    await expect(api.forecast("profile.get", 1)).rejects.toMatchObject({
      _tag: "TransportError",
      reason: "limiter",
      detail: expect.stringContaining("gone"),
    });
  });

  it("`close` ends after at most five seconds if the limiter store does not close", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const stuck = Layer.effectDiscard(Effect.addFinalizer(() => Effect.never));
    const store = Layer.merge(LimiterStore.layerMemory, stuck);
    const api = createGameApi({ ...options, limiter: { store } });
    expect(await api.leagues.list()).toEqual([]);
    let isClosed = false;
    const closing = api.close().finally(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(4999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    vi.useRealTimers();
  });
});

describe("a closed client", () => {
  it("calls of a closed client reject with `closed`, and the message says that nothing was sent", async () => {
    const api = createGameApi(options);
    await api.close();
    await expect(api.leagues.list()).rejects.toMatchObject({
      _tag: "TransportError",
      reason: "closed",
      isRetryable: false,
      attempts: 0,
      message: "leagues.list: not sent: the client is closed",
    });
    const forecast = api.forecast("leagues.list", 1);
    await expect(forecast).rejects.toMatchObject({ operation: "forecast", reason: "closed" });
  });

  it("a call in flight rejects when the client closes, with the number of its attempts", async () => {
    const { http: client, sent } = recording(() => "silence");
    const api = createGameApi({ ...options, http: client });
    const call = api.itemFilters.create(FILTER).catch((error: unknown) => error);
    await expect.poll(() => sent.length).toBe(1);
    await api.close();
    expect(await call).toMatchObject({ reason: "closed", attempts: 1, route: "POST /item-filter" });
  });
});
