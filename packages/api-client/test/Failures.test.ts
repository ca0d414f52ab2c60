import { scopes } from "@game-data/contract";
import { startSandbox } from "@game-data/sandbox";
import { Effect, Exit, Redacted } from "effect";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import type { GameApiError, GameApiOptions, PolicyLimiterOptions } from "../src/index.ts";
import { clientLayer, post, type Sandbox, tokenFor } from "./sandbox.ts";

let sandbox: Sandbox;
let token: string;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1 });
  token = await tokenFor(sandbox, scopes);
});
afterAll(() => sandbox.close());
afterEach(async () => {
  await fetch(`${sandbox.controlUrl}/faults`, { method: "DELETE" });
});

type Options = Partial<GameApiOptions> & { readonly limiter?: PolicyLimiterOptions };
type Use<A> = (api: GameApi["Service"]) => Effect.Effect<A, GameApiError>;

const quick: Options = { retry: { base: "5 millis" } };

const exit = <A>(use: Use<A>, options: Options = {}) =>
  Effect.runPromise(
    Effect.provide(
      Effect.exit(Effect.flatMap(GameApi, use)),
      clientLayer(sandbox, { credentials: token, ...quick, ...options }),
    ),
  );

/** The error that a call fails with. */
const failure = async <A>(use: Use<A>, options: Options = {}): Promise<GameApiError> => {
  const result = await exit(use, options);
  if (Exit.isSuccess(result)) throw new Error("the call succeeded");
  const error = Exit.findErrorOption(result);
  if (error._tag === "None") throw new Error(String(result.cause));
  return error.value;
};

const success = async <A>(use: Use<A>, options: Options = {}): Promise<A> => {
  const result = await exit(use, options);
  if (Exit.isSuccess(result)) return result.value;
  throw new Error(`failed: ${String(result.cause)}`);
};

const fault = (what: Record<string, unknown>, when: Record<string, unknown> = {}) =>
  post(`${sandbox.controlUrl}/faults`, { match: { endpoint: "profile" }, when, fault: what });

const profile: Use<unknown> = (api) => api.profile.get();

const sent = async (): Promise<number> => {
  const journal = (await (await fetch(`${sandbox.controlUrl}/journal`)).json()) as {
    readonly entries: ReadonlyArray<unknown>;
  };
  return journal.entries.filter((entry) => JSON.stringify(entry).includes("/profile")).length;
};

/** Requests for the profile that reached the service during `act`. */
const requestsDuring = async (act: () => Promise<unknown>): Promise<number> => {
  await fetch(`${sandbox.controlUrl}/journal`, { method: "DELETE" });
  await act();
  return sent();
};

describe("tokens and scopes", () => {
  it("without a token the service refuses, and the client says so [DA-01] [ER-11]", async () => {
    const error = await failure(profile, { credentials: undefined });
    expect(error).toMatchObject({ _tag: "Unauthorized", kind: "no-token", status: 401, code: 8 });
  });

  it("an expired or revoked token is told apart from everything else [ER-01]", async () => {
    expect(await failure(profile, { credentials: "nobody-issued-this" })).toMatchObject({
      _tag: "Unauthorized",
      kind: "refused",
      isRetryable: false,
    });
  });

  it("after a 401 gets one new token and sends the call once more [CL-11]", async () => {
    let renewals = 0;
    const credentials = {
      current: Effect.succeed({ token: Redacted.make("stale"), scopes: undefined }),
      renew: () =>
        Effect.sync(() => {
          renewals++;
          return { token: Redacted.make(token), scopes: undefined };
        }),
    };
    const { response } = await success((api) => api.withResponse((calls) => calls.profile.get()), {
      credentials,
    });
    expect(response).toMatchObject({ status: 200, attempts: 2 });
    expect(renewals).toBe(1);
  });

  it("renews once only: a second 401 is the answer [CL-11]", async () => {
    let renewals = 0;
    const credentials = {
      current: Effect.succeed({ token: Redacted.make("stale"), scopes: undefined }),
      renew: () =>
        Effect.sync(() => {
          renewals++;
          return { token: Redacted.make("stale-as-well"), scopes: undefined };
        }),
    };
    const error = await failure(profile, { credentials });
    expect(error).toMatchObject({ _tag: "Unauthorized", attempts: 2 });
    expect(renewals).toBe(1);
  });

  it("a token without the scope is refused with the scope's name, and not sent again [ER-02] [CL-12]", async () => {
    const poor = await tokenFor(sandbox, ["account:characters"]);
    let error: GameApiError | undefined;
    const requests = await requestsDuring(async () => {
      error = await failure(profile, { credentials: poor });
    });
    expect(error).toMatchObject({
      _tag: "Forbidden",
      status: 403,
      code: 6,
      scopesNeeded: ["account:profile"],
      isRetryable: false,
    });
    expect(requests).toBe(1);
  });

  it("where the granted scopes are known, a call without its scope is not even sent [CL-12]", async () => {
    const credentials = {
      current: Effect.succeed({ token: Redacted.make(token), scopes: ["account:characters"] }),
    };
    const requests = await requestsDuring(async () => {
      expect(await failure(profile, { credentials })).toMatchObject({
        _tag: "Forbidden",
        kind: "scope",
        scopesMissing: ["account:profile"],
        attempts: 0,
      });
    });
    expect(requests).toBe(0);
  });

  it("a 403 with every scope in hand means that it is private", async () => {
    await fault({ kind: "status", status: 403 });
    const credentials = {
      current: Effect.succeed({ token: Redacted.make(token), scopes: ["account:profile"] }),
    };
    expect(await failure(profile, { credentials })).toMatchObject({
      _tag: "Forbidden",
      kind: "private",
    });
  });

  it("no token: says whether to sign in or to try later", async () => {
    const credentials = (isRetryable: boolean) => ({
      current: Effect.fail({ isRetryable, detail: "NotSignedIn" }),
    });
    expect(await failure(profile, { credentials: credentials(false) })).toMatchObject({
      _tag: "Unauthorized",
      kind: "no-token",
      attempts: 0,
    });
    expect(
      await failure(profile, { credentials: credentials(true), retry: { times: 0 } }),
    ).toMatchObject({ _tag: "TransportError", isRetryable: true });
  });
});

describe("refused requests", () => {
  it("parameters that an endpoint does not take are refused before anything is sent [NS-08]", async () => {
    expect(await failure((api) => api.leagues.list({ limit: 51 }))).toMatchObject({
      _tag: "InvalidRequest",
      attempts: 0,
    });
    expect(await failure((api) => api.characters.get({ name: ".." }))).toMatchObject({
      _tag: "InvalidRequest",
      attempts: 0,
    });
  });

  it.each([
    [400, "InvalidRequest"],
    [404, "NotFound"],
    [405, "InvalidRequest"],
    [415, "InvalidRequest"],
    [422, "InvalidRequest"],
    [401, "Unauthorized"],
    [403, "Forbidden"],
  ])("HTTP %i is %s, once and for all [NS-08] [NS-09]", async (status, tag) => {
    await fault({ kind: "status", status });
    const requests = await requestsDuring(async () => {
      expect(await failure(profile)).toMatchObject({ _tag: tag, status });
    });
    expect(requests).toBe(1);
  });

  it("a 429 is waited out, and is an error only when there is no time for that [NS-10]", async () => {
    await fault({ kind: "status", status: 429, retryAfter: 1 }, { count: 1 });
    const { response } = await success((api) => api.withResponse((calls) => calls.profile.get()));
    expect(response).toMatchObject({ status: 200, attempts: 2 });
    expect(response?.waitedMillis).toBeGreaterThanOrEqual(1000);
    await fault({ kind: "status", status: 429, retryAfter: 120 });
    const error = await failure((api) => api.profile.get({ maxWait: "1 second" }));
    expect(error).toMatchObject({
      _tag: "RateLimited",
      kind: "wait-too-long",
      isRetryable: true,
    });
    expect(error._tag === "RateLimited" && error.retryAfter).toBeTruthy();
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      retryAfterMillis: expect.closeTo(120_000, -4),
    });
    expect(await failure((api) => api.profile.get({ retries: 0 }))).toMatchObject({
      _tag: "RateLimited",
      kind: "server",
      status: 429,
      code: 3,
    });
  });

  it("a firewall's page is no 403 of the service's, is never repeated and stops everything", async () => {
    await fault({ kind: "firewallPage" }, { count: 1 });
    const requests = await requestsDuring(async () => {
      const errors = await success((api) =>
        Effect.gen(function* () {
          const first = yield* Effect.exit(api.profile.get());
          const second = yield* Effect.exit(api.profile.get());
          return [first, second].map((result) => Exit.findErrorOption(result));
        }),
      );
      for (const error of errors) {
        expect(error).toMatchObject({ value: { _tag: "Forbidden", kind: "firewall" } });
      }
    });
    expect(requests).toBe(1);
  });
});

describe("a service in trouble", () => {
  it("is tried again, and named when it does not recover", async () => {
    await fault({ kind: "status", status: 503 }, { count: 2 });
    const { response } = await success((api) => api.withResponse((calls) => calls.profile.get()));
    expect(response?.attempts).toBe(3);
    await fault({ kind: "status", status: 500 });
    expect(await failure(profile)).toMatchObject({ _tag: "ServerError", status: 500, attempts: 4 });
  });

  it("is given the time it asks for, in both forms of Retry-After", async () => {
    for (const retryAfter of [1, { date: 2 }]) {
      await fault({ kind: "status", status: 503, retryAfter }, { count: 1 });
      const begun = performance.now();
      await success(profile);
      expect(performance.now() - begun).toBeGreaterThan(900);
    }
  });

  it.each([
    ["a connection that is reset", { kind: "reset" }, "connect"],
    ["a body that is cut", { kind: "truncate", atByte: 40 }, "body"],
    ["a body that is reset", { kind: "truncate", atByte: 40, ending: "reset" }, "body"],
    ["a body shorter than announced", { kind: "contentLength", differsBy: 10 }, "body"],
  ])("%s is a transport error, and is tried again", async (_, what, phase) => {
    await fault(what, { count: 1 });
    const { response } = await success((api) => api.withResponse((calls) => calls.profile.get()));
    expect(response?.attempts).toBe(2);
    await fault(what);
    expect(
      await failure((api) => api.profile.get({ retries: 1, timeout: "2 seconds" })),
    ).toMatchObject({
      _tag: expect.stringMatching(/^(TransportError|Timeout)$/u),
      attempts: 2,
    });
    expect(["connect", "body"]).toContain(phase);
  });

  it("a broken gzip body is a transport error, and is tried again", async () => {
    const page: Use<unknown> = (api) => api.withResponse((calls) => calls.publicStashTabs.page());
    await post(`${sandbox.controlUrl}/faults`, {
      match: { endpoint: "publicStashTabs" },
      fault: { kind: "gzipCut", fraction: 0.5 },
    });
    expect(await failure((api) => api.publicStashTabs.page({}, { retries: 1 }))).toMatchObject({
      _tag: "TransportError",
      kind: "body",
      attempts: 2,
    });
    await fetch(`${sandbox.controlUrl}/faults`, { method: "DELETE" });
    expect(await success(page)).toMatchObject({ response: { status: 200 } });
  });

  it("half a document is a transport error; a document that is none is malformed", async () => {
    await fault({ kind: "malformedJson", at: "head" });
    expect(await failure(profile)).toMatchObject({
      _tag: "ResponseMalformed",
      attempts: 1,
      isRetryable: false,
    });
    await fetch(`${sandbox.controlUrl}/faults`, { method: "DELETE" });
    await fault({
      kind: "status",
      status: 200,
      headers: { "content-type": "application/json" },
      body: '{"uuid":5,"name":"x"}',
    });
    expect(await failure(profile)).toMatchObject({
      _tag: "ResponseMalformed",
      issue: expect.stringContaining("uuid"),
    });
  });

  it("no answer in time is a timeout, per attempt and in total", async () => {
    await fault({ kind: "hang" });
    expect(
      await failure((api) => api.profile.get({ timeout: "100 millis", retries: 1 })),
    ).toMatchObject({ _tag: "Timeout", kind: "attempt", attempts: 2 });
    expect(await failure((api) => api.profile.get({ totalTimeout: "200 millis" }))).toMatchObject({
      _tag: "Timeout",
      kind: "total",
      attempts: 1,
    });
  });

  it("a redirect is not followed, and takes no token along [CL-08]", async () => {
    let visits = 0;
    const { createServer } = await import("node:http");
    const elsewhere = createServer((_, response) => {
      visits++;
      response.end("{}");
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const { port } = elsewhere.address() as { port: number };
    await fault({
      kind: "status",
      status: 302,
      headers: { location: `http://127.0.0.1:${port}/profile` },
    });
    expect(await failure(profile)).toMatchObject({ _tag: "TransportError", kind: "redirect" });
    expect(visits).toBe(0);
    elsewhere.close();
  });

  it("a POST is not sent twice, unless told so", async () => {
    const filter = { filter_name: "Once", realm: "pc", filter: "Show" } as const;
    await post(`${sandbox.controlUrl}/faults`, {
      match: { endpoint: "itemFilters.create" },
      when: { count: 1 },
      fault: { kind: "status", status: 503 },
    });
    expect(await failure((api) => api.itemFilters.create(filter))).toMatchObject({
      _tag: "ServerError",
      attempts: 1,
    });
    await post(`${sandbox.controlUrl}/faults`, {
      match: { endpoint: "itemFilters.create" },
      when: { count: 1 },
      fault: { kind: "status", status: 503 },
    });
    expect(
      await success((api) => api.itemFilters.create(filter, { retryUnsafe: true })),
    ).toMatchObject({ filter_name: "Once" });
  });

  it("the retry budget bounds what an outage costs", async () => {
    await fault({ kind: "status", status: 500 });
    const requests = await requestsDuring(() =>
      success(
        (api) => Effect.forEach(Array.from({ length: 20 }), () => Effect.exit(api.profile.get())),
        { retry: { base: "1 millis", times: 3, budget: 5 } },
      ),
    );
    expect(requests).toBe(25);
  });
});
