/** What a client is given may throw, or end the call: the call ends, and no other one suffers. */
import { Effect, Exit, Redacted } from "effect";
import { afterEach, describe, expect, it, vi } from "vitest";
import { GameApi } from "../src/index.ts";
import type { Credentials, TokenSource } from "../src/index.ts";
import { createGameApi, type PromiseOptions } from "../src/promise.ts";
import type { Transport } from "../src/Transport.ts";
import { FILTER, layerOver, recording, response } from "./recording.ts";
import { userAgent } from "./sandbox.ts";

const open = (options: Partial<PromiseOptions>) =>
  createGameApi({
    baseUrl: "https://api.example",
    userAgent,
    retry: { times: 0 },
    ...options,
  });

afterEach(() => vi.restoreAllMocks());

describe("a transport whose abort throws", () => {
  const broken = (): never => {
    throw new Error("abort");
  };
  const silent: Transport = () => broken;

  it.each([
    ["after the time of a request", silent, () => ({ timeout: 20 }), { kind: "attempt" }],
    ["after the time of the call", silent, () => ({ totalTimeout: 20 }), { kind: "total" }],
    ["by a signal", silent, () => ({ signal: AbortSignal.timeout(20) }), { name: "TimeoutError" }],
    [
      "after an error response",
      ((_, settle) => {
        settle({ ...response(404, "{}"), abort: broken });
        return broken;
      }) satisfies Transport,
      () => ({}),
      { status: 404 },
    ],
  ])("is told as a warning, and the call ends: %s", async (_, transport, options, expected) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const call = open({ transport }).itemFilters.get({ id: "1" }, options());
    await expect(call).rejects.toMatchObject(expected);
    expect(warn).toHaveBeenCalledWith("GameApi: an abort threw", expect.anything());
  });
});

it("a raw response that its call does not wait for any more is aborted", async () => {
  let aborted = 0;
  const controller = new AbortController();
  const transport: Transport = (_, settle) => {
    settle({ ...response(200, "{}"), abort: () => aborted++ });
    // Before the limiter has recorded the response.
    controller.abort();
    return () => undefined;
  };
  const api = open({ transport });
  const opening = api.publicStashTabs.raw({}, { signal: controller.signal });
  await expect(opening).rejects.toThrow("aborted");
  await vi.waitFor(() => expect(aborted).toBe(1), 10_000);
});

describe("a body that brings nothing", () => {
  const empty: Transport = (_, settle) => {
    settle({ ...response(200, ""), read: async () => new Uint8Array(0) });
    return () => undefined;
  };
  const broken = { kind: "body", detail: "only empty pieces" };

  it("ends its call", async () => {
    await expect(open({ transport: empty }).profile.get()).rejects.toMatchObject(broken);
  });

  it("ends the reading of a raw response", async () => {
    const { bytes } = await open({ transport: empty }).publicStashTabs.raw();
    const drain = async () => {
      for await (const piece of bytes) expect(piece).toHaveLength(0);
    };
    await expect(drain()).rejects.toMatchObject(broken);
  });

  it("is whole where something follows", async () => {
    const pieces = [...Array.from({ length: 1000 }, () => ""), '{"uuid":"u",', "", '"name":"n"}'];
    const transport: Transport = (_, settle) => {
      const read = async () => new TextEncoder().encode(pieces.shift());
      settle({
        ...response(200, ""),
        read: () => (pieces.length ? read() : Promise.resolve(undefined)),
      });
      return () => undefined;
    };
    expect(await open({ transport }).profile.get()).toMatchObject({ name: "n" });
  });
});

describe("a transport that settles with no response", () => {
  const own = new Error("plain");
  const getter = {
    get status(): never {
      throw own;
    },
  };
  it.each<[string, unknown, object]>([
    ["nothing", undefined, { detail: "the transport gave no response" }],
    ["a number", 5, { detail: "the transport gave no response", cause: 5 }],
    ["an error", own, { detail: "plain", cause: own }],
    ["no headers", { ...response(200, "{}"), headers: undefined }, {}],
    ["no status", { ...response(200, "{}"), status: Number.NaN }, {}],
    ["a status that throws", getter, { cause: own }],
  ])("fails the call: %s", async (_, given, expected) => {
    const transport: Transport = (_request, settle) => {
      queueMicrotask(() => settle(given as never));
      return () => undefined;
    };
    await expect(open({ transport }).profile.get()).rejects.toMatchObject({
      _tag: "TransportError",
      kind: "connect",
      ...expected,
    });
  });

  it("fails the call at once where it rejects", async () => {
    const transport = (async () => {
      throw own;
    }) as unknown as Transport;
    await expect(open({ transport }).profile.get()).rejects.toMatchObject({
      _tag: "TransportError",
      kind: "connect",
      cause: own,
    });
  });

  it.each([
    ["nothing", undefined],
    ["an error of the network", Response.error()],
  ])("fails the call over a fetch that gives %s", async (_, given) => {
    const call = open({ fetch: async () => given as Response }).profile.get();
    await expect(call).rejects.toMatchObject({
      _tag: "TransportError",
      kind: "connect",
      detail: "the transport gave no response",
    });
  });
});

describe("a source of tokens for Effect that is no good", () => {
  const stale = { token: Redacted.make("stale"), scopes: undefined };
  const renewing = (renew: unknown) =>
    ({ current: Effect.succeed(stale), renew }) as unknown as TokenSource;
  const giving = (current: Effect.Effect<unknown, unknown>) =>
    ({ current }) as unknown as TokenSource;

  it.each<[string, Credentials]>([
    [
      "renew throws",
      renewing(() => {
        throw new Error("x");
      }),
    ],
    ["renew fails with nothing", renewing(() => Effect.fail(undefined))],
    ["renew gives nothing", renewing(() => Effect.succeed(undefined))],
    ["gives nothing later", giving(Effect.delay(Effect.succeed(undefined), 5))],
    ["fails with nothing later", giving(Effect.delay(Effect.fail(undefined), 5))],
    ["gives garbage at once", giving(Effect.succeed({ token: "plain" }))],
  ])("ends each call: %s", async (_, credentials) => {
    const { transport } = recording(() => ({ status: 401, body: "{}" }));
    await Effect.gen(function* () {
      const api = yield* GameApi;
      for (const call of [api.profile.get(), api.profile.get()])
        expect(Exit.isFailure(yield* Effect.exit(call))).toBe(true);
    }).pipe(Effect.provide(layerOver(transport, { credentials })), Effect.runPromise);
  });
});

describe("a source of tokens that is no good", () => {
  const own = new Error("g");
  it.each<[string, unknown, object]>([
    [
      "a token that throws",
      {
        current: async () => ({
          get token(): never {
            throw own;
          },
        }),
      },
      { _tag: "TransportError", kind: "token", cause: own, detail: "g" },
    ],
    [
      "one that rejects with nothing",
      () => Promise.reject(undefined),
      {
        _tag: "TransportError",
        message: "profile.get: no access token could be obtained: the source failed",
      },
    ],
    [
      "a number",
      () => 5,
      { _tag: "Unauthorized", kind: "no-token", detail: "the source's token is no text" },
    ],
  ])("is told as it is: %s", async (_, credentials, expected) => {
    const { transport } = recording();
    const api = open({ transport, credentials: credentials as never, timeout: 2000 });
    await expect(api.profile.get()).rejects.toMatchObject(expected);
  });

  it("is refused for a user where it is an empty text", () => {
    expect(() => open({ transport: recording().transport }).as("")).toThrow("credentials");
  });
});

describe("a source of tokens that hangs", () => {
  const expected = {
    _tag: "TransportError",
    kind: "token",
    detail: "the source did not answer within 0.02 s",
  };
  const { transport } = recording(() => ({ status: 401, body: "{}" }));

  it.each(["current", "renew"] as const)("for Effect is interrupted: %s", async (name) => {
    let interrupted = 0;
    const hanging = Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++));
    const stale = Effect.succeed({ token: Redacted.make("stale"), scopes: undefined });
    const credentials =
      name === "current" ? { current: hanging } : { current: stale, renew: () => hanging };
    await Effect.gen(function* () {
      const api = yield* GameApi;
      expect(yield* Effect.flip(api.profile.get())).toMatchObject(expected);
    }).pipe(Effect.provide(layerOver(transport, { credentials, timeout: 20 })), Effect.runPromise);
    expect(interrupted).toBe(1);
  });
});

describe("a user", () => {
  it.each([5, {}, ""])("whose identity is %j is refused", (identity) => {
    const api = open({ transport: recording().transport });
    const wrong = (option: string) =>
      expect.objectContaining({ _tag: "ConfigurationInvalid", option });
    const user = { identity: identity as string };
    const credentials = { ...user, current: async () => "token" };
    expect(() => api.as("token", user)).toThrow(wrong("identity"));
    expect(() => api.as(credentials)).toThrow(wrong("credentials.identity"));
    expect(() => open({ credentials })).toThrow(wrong("credentials.identity"));
  });
});

describe("a call that its hook ends", () => {
  it("is not in flight after a close", async () => {
    let live = 0;
    const transport: Transport = () => {
      live++;
      return () => live--;
    };
    const closing = open({ transport, onRequest: () => void closing.close() });
    await expect(closing.profile.get()).rejects.toMatchObject({
      kind: "closed",
      operation: "profile.get",
      route: "GET /profile",
    });
    expect(live).toBe(0);
  });

  it("says that it was sent, where its answer ends it", async () => {
    const { sent, transport } = recording();
    const api = open({ transport, onResponse: () => void api.close() });
    await expect(api.profile.get()).rejects.toMatchObject({
      message: "profile.get: the client is closed",
      attempts: 1,
    });
    expect(sent).toHaveLength(1);
  });
});

describe("a client that is closed with calls in flight", () => {
  const closing = async (calls: (api: ReturnType<typeof open>) => Array<Promise<unknown>>) => {
    let sent = 0;
    const transport: Transport = () => {
      sent++;
      return () => undefined;
    };
    const api = open({ transport, limiter: { maxInFlight: 1 } });
    const ended = Promise.allSettled(calls(api));
    await vi.waitFor(() => expect(sent).toBe(1), 10_000);
    await api.close();
    expect(sent).toBe(1);
    return (await ended).map((each) => {
      const { attempts, message } = (each as PromiseRejectedResult).reason;
      return [message, attempts];
    });
  };
  const givenUp = "the client is closed";

  it("tells each of them whether it was sent", async () => {
    expect(
      await closing((api) => [api.itemFilters.create(FILTER), api.profile.get()]),
    ).toStrictEqual([
      [`itemFilters.create: ${givenUp}; it may have been processed (see retryUnsafe)`, 1],
      ["profile.get: not sent: the client is closed", 0],
    ]);
  });

  it("tells those that share a request, and sends no other", async () => {
    expect(await closing((api) => [api.profile.get(), api.profile.get()])).toStrictEqual([
      [`profile.get: ${givenUp}`, 1],
      [`profile.get: ${givenUp}`, 1],
    ]);
  });
});

it("a transport that throws the token does not tell it", async () => {
  const transport: Transport = ({ headers }) => {
    throw new Error(`sent ${headers["authorization"]}`);
  };
  const call = open({ transport, credentials: "s3cret" }).profile.get();
  await expect(call).rejects.toMatchObject({ detail: "sent Bearer <redacted>" });
});
