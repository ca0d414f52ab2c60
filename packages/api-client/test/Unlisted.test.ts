import { expect, it } from "vitest";
import { apiOver, recording } from "./recording.ts";

const BASE = { baseUrl: "https://api.example/v1/" };

it("`request` sends an unlisted path below the base URL, with the token, and returns the JSON", async () => {
  const { http, sent } = recording(() => ({ body: '{"rules":[]}' }));
  const api = apiOver(http, BASE);
  const query = { realm: "pc", limit: 2, strict: true, none: undefined };
  expect(await api.request({ path: "/league-rule/Hard%20core", query })).toEqual({ rules: [] });
  await api.request({ method: "POST", path: "/x", body: { a: 1 } });
  const headers = { authorization: "Bearer token" };
  const url = "https://api.example/v1/league-rule/Hard%20core?realm=pc&limit=2&strict=true";
  expect(sent).toMatchObject([
    { method: "GET", url, headers },
    { method: "POST", body: '{"a":1}', headers: { "content-type": "application/json" } },
  ]);
});

it.each<[string, unknown]>([
  ["a path that could leave the base URL", "x"],
  ["a foreign host", "//evil.example/"],
  ["dots", "/a/../b"],
  ["encoded dots", "/a/%2E%2e"],
  ["a query", "/a?b"],
  ["a fragment", "/a#b"],
  ["a space", "/a b"],
  ["a backslash", String.raw`/a\b`],
  ["no path", undefined],
])("refuses an unlisted request with %s: %s", async (_, path) => {
  const { http, sent } = recording();
  const api = apiOver(http, BASE);
  await expect(api.request({ path } as never)).rejects.toMatchObject({
    _tag: "InvalidRequest",
    attempts: 0,
    detail: expect.stringContaining("path must be"),
  });
  expect(sent).toEqual([]);
});

it("an unlisted request fails with the typed errors of listed operations", async () => {
  const body = '{"error":{"code":6,"message":"Forbidden"}}';
  const api = apiOver(recording(() => ({ status: 403, body })).http);
  await expect(api.request({ path: "/x", route: "GET /:thing" })).rejects.toMatchObject({
    _tag: "Forbidden",
    operation: "request",
    route: "GET /:thing",
    code: 6,
  });
});

it("an unlisted request returns null for a 204, and fails if the body is an error", async () => {
  const { http } = recording((_, index) =>
    index === 0 ? { status: 204, body: "" } : { body: '{"error":{"code":2}}' },
  );
  const api = apiOver(http);
  expect(await api.request({ path: "/x" })).toBeNull();
  await expect(api.request({ path: "/x" })).rejects.toMatchObject({ _tag: "InvalidRequest" });
});

it("an unlisted request is not sent if the token lacks one of its `scopes`", async () => {
  const { http, sent } = recording();
  const api = apiOver(http, {
    credentials: async () => ({ token: "t", scopes: ["account:profile"] }),
  });
  const scopesMissing = ["account:stashes"];
  const call = api.request({ path: "/x", scopes: ["account:profile", "account:stashes"] });
  await expect(call).rejects.toMatchObject({ _tag: "Forbidden", scopesMissing });
  expect(sent).toEqual([]);
});
