import { beforeAll, describe, expect, it } from "vitest";
import { type GameApi, NotFound } from "../src/promise.ts";
import { failure, useSandbox } from "./sandbox.ts";

const service = useSandbox();
let api: GameApi;

const { open } = service;

beforeAll(() => {
  api = open({ http: undefined });
});

describe("the client without Effect", () => {
  it("calls of the Promise client resolve to values and reject with the typed errors [DA-04]", async () => {
    expect(await api.profile.get()).toMatchObject({ name: service.sandbox.accounts[0]?.name });
    expect(await api.characters.get({ name: "Nobody" })).toBeNull();
    const error = await failure(api.itemFilters.get({ id: "nope" }));
    expect(error).toBeInstanceOf(NotFound);
    expect(error).toMatchObject({ _tag: "NotFound", status: 404 });
  });

  it("a token source that rejects is retried, and a source without a token fails as `no-token`", async () => {
    const unreachable = new Error("connect ECONNREFUSED 127.0.0.1:1");
    const ended = Object.assign(new Error("signed out"), { isRetryable: false });
    const noToken = { _tag: "Unauthorized", reason: "no-token" };
    for (const [credentials, expected] of [
      [
        () => Promise.reject(unreachable),
        { _tag: "TransportError", reason: "token", isRetryable: true, cause: unreachable },
      ],
      [() => undefined, noToken],
      [() => Promise.reject(ended), noToken],
      [async () => null as never, noToken],
      [async () => ({ token: 5 as never }), noToken],
      [
        (refused?: string) =>
          refused === undefined
            ? "stale"
            : Promise.reject(new Error(`\u001b${refused} ${"x".repeat(300)}`)),
        { reason: "token", detail: String.raw`\u{1b}<redacted> ${"x".repeat(288)}` },
      ],
    ] as const) {
      const call = open({ credentials, retry: { times: 1, base: 1 } }).profile.get();
      await expect(call).rejects.toMatchObject(expected);
    }
  });

  it("forecast and limits of the Promise client describe an operation's learned limits", async () => {
    await api.profile.get();
    const { startsInMillis } = await api.forecast("profile.get", 100);
    expect(startsInMillis[0]).toBeLessThan(1000);
    expect(await api.limits("profile.get")).toMatchObject({ knowledge: "learned" });
  });
});
