/** Failures of the service, as the sandbox plays them. */
import { describe, expect, it } from "vitest";
import type { ResponseInfo } from "../src/index.ts";
import { failure, useSandbox } from "./sandbox.ts";

const service = useSandbox();

const fault = (what: object, when?: object) => service.fault("profile", what, when);
const profile = (options?: Parameters<typeof service.open>[0]) =>
  service.open(options).profile.get();

describe("tokens and scopes", () => {
  it("a call without a token fails with Unauthorized and reason `no-token` [DA-01] [ER-11]", async () => {
    const error = await failure(profile({ credentials: undefined }));
    expect(error).toMatchObject({ _tag: "Unauthorized", reason: "no-token", status: 401, code: 8 });
  });

  it("a call fails with Unauthorized if the service refuses its token [ER-01]", async () => {
    const error = await failure(profile({ credentials: "nobody-issued-this" }));
    expect(error).toMatchObject({ _tag: "Unauthorized", reason: "refused", isRetryable: false });
  });

  it("a token without the scope is refused with the scope's name, and not sent again [ER-02] [CL-12]", async () => {
    const credentials = await service.tokenFor(["account:characters"]);
    const requests = await service.requestsDuring(async () => {
      expect(await failure(profile({ credentials }))).toMatchObject({
        _tag: "Forbidden",
        status: 403,
        code: 6,
        scopesNeeded: ["account:profile"],
        isRetryable: false,
      });
    });
    expect(requests).toBe(1);
  });
});

describe("refused requests", () => {
  it("parameters that an endpoint does not take are refused before anything is sent [NS-08]", async () => {
    const { characters, leagues } = service.api;
    for (const call of [leagues.list({ limit: 51 }), characters.get({ name: ".." })])
      expect(await failure(call)).toMatchObject({ _tag: "InvalidRequest", attempts: 0 });
  });

  it("a call is repeated after a 429, and fails only if the wait exceeds maxWait [NS-10]", async () => {
    const responses: Array<ResponseInfo> = [];
    const api = service.open({ onResponse: (response) => responses.push(response) });
    await fault({ kind: "status", status: 429, retryAfter: 1 }, { count: 1 });
    await api.profile.get();
    expect(responses.map(({ attempts, status }) => [attempts, status])).toEqual([
      [1, 429],
      [2, 200],
    ]);
    expect(responses[1]?.waitedMillis).toBeGreaterThanOrEqual(1000);
    await fault({ kind: "status", status: 429, retryAfter: 120 });
    const error = await failure(api.profile.get({ maxWait: "1 second" }));
    const late = { _tag: "RateLimited", reason: "wait-too-long" };
    expect(error).toMatchObject({ ...late, isRetryable: true });
    expect(error.toJSON()).toMatchObject({ retryAfterMillis: expect.closeTo(120_000, -4) });
    expect(await failure(service.open().profile.get({ retries: 0 }))).toMatchObject({
      _tag: "RateLimited",
      reason: "server",
      status: 429,
      code: 3,
    });
  });
});

it("a call with a truncated gzip body is retried, and then fails with TransportError", async () => {
  await service.fault("publicStashTabs", { kind: "gzipCut", fraction: 0.5 });
  const error = await failure(service.api.publicStashTabs.page({}, { retries: 1 }));
  expect(error).toMatchObject({ _tag: "TransportError", reason: "body", attempts: 2 });
});
