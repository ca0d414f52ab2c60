import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { GameApi, type GameApiError, type UnlistedRequest } from "../src/index.ts";
import { layerOver, recording, type Answer } from "./recording.ts";

const send = (
  request: UnlistedRequest,
  answer: () => Answer = () => ({ body: '{"rules":[]}' }),
) => {
  const service = recording(answer);
  return Effect.runPromise(
    Effect.flatMap(GameApi, (api) => api.request(request)).pipe(
      Effect.provide(layerOver(service.http, { baseUrl: "https://api.example/v1/" })),
      Effect.match({ onSuccess: (value) => ({ value }), onFailure: (error) => ({ error }) }),
      Effect.map((result) => ({ ...result, sent: service.sent })),
    ),
  ) as Promise<{ value?: unknown; error?: GameApiError; sent: typeof service.sent }>;
};

describe("a request for an unlisted path", () => {
  it("goes below the base URL, with the token, and resolves with the JSON", async () => {
    const { sent, value } = await send({
      path: "/league-rule/Hard%20core",
      query: { realm: "pc", limit: 2, strict: true, none: undefined },
    });
    expect(value).toEqual({ rules: [] });
    expect(sent).toMatchObject([
      {
        method: "GET",
        url: "https://api.example/v1/league-rule/Hard%20core?realm=pc&limit=2&strict=true",
        headers: { authorization: "Bearer token" },
      },
    ]);
  });

  it("sends a body as JSON", async () => {
    const { sent } = await send({ method: "POST", path: "/x", body: { a: 1 } });
    expect(sent).toMatchObject([
      { method: "POST", body: '{"a":1}', headers: { "content-type": "application/json" } },
    ]);
  });

  it.each([
    "x",
    "//evil.example/",
    "/a/../b",
    "/a/%2E%2e",
    "/a?b",
    "/a#b",
    "/a b",
    String.raw`/a\b`,
  ])("refuses the path %s, which could leave the base URL", async (path) => {
    const { error, sent } = await send({ path });
    expect(error).toMatchObject({ _tag: "InvalidRequest", attempts: 0 });
    expect(sent).toEqual([]);
  });

  it("fails with the same errors", async () => {
    const { error } = await send({ path: "/x", route: "GET /:thing" }, () => ({
      status: 403,
      body: '{"error":{"code":6,"message":"Forbidden"}}',
    }));
    expect(error).toMatchObject({
      _tag: "Forbidden",
      operation: "request",
      route: "GET /:thing",
      code: 6,
    });
  });
});
