/**
 * Every option and every collaborator of the Promise client, broken in every way, by exported names
 * alone: each call ends, well or with an error of the package.
 */
import { makeCache } from "@game-data/api-client/cache";
import { driftInspector } from "@game-data/api-client/drift";
import * as errors from "@game-data/api-client/errors";
import {
  createGameApi,
  type CallOptions,
  type PromiseOptions,
  type PromiseTokenSource,
} from "@game-data/api-client/promise";
import { breaks, brokenFunctions, membersOf, wrongValues } from "@game-data/test-support";
import { describe, expect, it } from "vitest";

const HOW = { within: 10_000, tags: new Set([...Object.keys(errors), "ConfigurationInvalid"]) };
const source = (file: string) => new URL(`../../src/${file}`, import.meta.url);
const hooks = membersOf(source("CallOptions.ts"), "Hooks");
const ofClient = [
  ...hooks,
  ...membersOf(source("GameApiService.ts"), "GameApiOptions"),
  ...membersOf(source("promise/Model.ts"), "PromiseOptions"),
];

/** A service in the process: the same body for everybody. */
const body = { uuid: "0", name: "Exile#0001" };
const options: PromiseOptions = {
  baseUrl: "https://api.example.com",
  userAgent: { clientId: "tool", version: "1.0.0", contact: "me@example.com" },
  fetch: async () => Response.json(body),
  credentials: () => "AT-1",
  timeout: "1 second",
  maxWait: "2 seconds",
  retry: { times: 1, base: "10 millis", cap: "10 millis" },
};

/** What a program does with a client. */
const use = async (given: PromiseOptions, call?: CallOptions): Promise<void> => {
  const api = createGameApi(given);
  try {
    await api.profile.get(call);
    await api.withResponse((one) => one.profile.get(call));
    await api.request({ path: "/league-rule/Hardcore" }, call);
    await api.limits("profile.get");
  } finally {
    await api.close();
  }
};

describe("a client", () => {
  it("takes each option with any value, or refuses it", async () => {
    expect(await breaks(wrongValues(options, ofClient), use, HOW)).toStrictEqual([]);
  });

  it("takes each member of its application and its retries, or refuses it", async () => {
    const application = membersOf(
      new URL("../../../contract/src/UserAgent.ts", import.meta.url),
      "UserAgent",
    );
    const applications = wrongValues(options.userAgent, application);
    const policies = wrongValues(options.retry!, membersOf(source("Retry.ts"), "RetryPolicy"));
    const broken = await Promise.all([
      breaks(applications, (userAgent) => use({ ...options, userAgent }), HOW),
      breaks(policies, (retry) => use({ ...options, retry }), HOW),
    ]);
    expect(broken.flat()).toStrictEqual([]);
  });

  it("takes each option of a call with any value, or refuses it", async () => {
    const of = wrongValues<CallOptions>({}, membersOf(source("CallOptions.ts"), "CallOptions"));
    expect(await breaks(of, (call) => use(options, call), HOW)).toStrictEqual([]);
  });

  it("ends each call whatever its fetch does", async () => {
    expect(await breaks(brokenFunctions(options, ["fetch"]), use, HOW)).toStrictEqual([]);
  });

  it("ends each call whatever its hooks and its inspector do", async () => {
    const of = brokenFunctions(options, [...hooks, "inspect"]);
    // A first answer that fails, so that a retry comes.
    const failing = (given: PromiseOptions) => {
      let calls = 0;
      const fetch = async () => Response.json(body, { status: calls++ === 0 ? 503 : 200 });
      return use({ ...given, fetch });
    };
    expect(await breaks(of, failing, HOW)).toStrictEqual([]);
  });

  it("ends each call whatever its source of tokens does", async () => {
    const healthy: PromiseTokenSource = {
      identity: "1",
      current: async () => "AT-1",
      renew: async () => "AT-2",
    };
    const of = [
      ...brokenFunctions(healthy, ["current", "renew"]),
      ...wrongValues(healthy, membersOf(source("promise/credentials.ts"), "PromiseTokenSource")),
    ];
    // The first token is refused, so that it is renewed.
    const refusing = (credentials: PromiseTokenSource) => {
      const fetch = async (_: unknown, init?: RequestInit) =>
        new Headers(init?.headers).get("authorization") === "Bearer AT-2"
          ? Response.json(body)
          : Response.json({ error: { code: 8, message: "Unauthorized" } }, { status: 401 });
      // A source that hangs is given the time of the whole call.
      return use({ ...options, credentials, fetch, totalTimeout: "2 seconds" });
    };
    expect(await breaks(of, refusing, HOW)).toStrictEqual([]);
  });

  it("ends each call whatever its transport does", async () => {
    const { fetch: _, ...without } = options;
    const of = brokenFunctions({ send: () => undefined as never }, ["send"]);
    const over = (transport: object) => use({ ...without, transport: transport as never });
    expect(await breaks(of, over, HOW)).toStrictEqual([]);
  });
});

describe("an extra", () => {
  it("takes each option with any value, or refuses it", async () => {
    const caches = wrongValues({}, membersOf(source("cache.ts"), "CacheOptions"));
    const drifts = wrongValues(
      { onDrift: () => undefined },
      membersOf(source("drift.ts"), "DriftOptions"),
    );
    const broken = await Promise.all([
      breaks(caches, (one) => use({ ...options, cache: makeCache(one) }), HOW),
      breaks(drifts, (one) => use({ ...options, inspect: driftInspector(one) }), HOW),
    ]);
    expect(broken.flat()).toStrictEqual([]);
  });
});
