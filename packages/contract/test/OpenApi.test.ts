import { readFileSync } from "node:fs";
import { assert, describe, it } from "@effect/vitest";
import { compileErrors, validate } from "@readme/openapi-parser";
import { OpenApi } from "effect/http-api";
import { DataApi, endpoints, OAuthApi, openApiDocument } from "../src/server/index.ts";
import { matchPath } from "./support/paths.ts";

const document = openApiDocument();
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  (["get", "post"] as const).flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [{ path, method, operation }];
  }),
);

/** Every object in a JSON document. */
const objectsIn = (value: unknown): ReadonlyArray<Record<string, unknown>> => {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside];
};

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1 to a validator that is not ours, whole and in halves", async () => {
    assert.match(document.openapi, /^3\.1\./u);
    for (const spec of [document, OpenApi.fromApi(DataApi), OpenApi.fromApi(OAuthApi)]) {
      const result = await validate(structuredClone(spec) as never);
      assert.isTrue(result.valid, result.valid ? "" : compileErrors(result));
    }
  });

  it("is what docs/openapi.json holds (pnpm --filter @game-data/contract openapi)", () => {
    const kept = readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8");
    assert.deepStrictEqual(JSON.parse(kept), JSON.parse(JSON.stringify(document)));
  });

  it("closes no object: generated clients survive new members", () => {
    for (const object of objectsIn(document))
      assert.notStrictEqual(object["additionalProperties"], false);
  });

  it("has every endpoint under every concrete path, and nothing else", () => {
    const reached = operations.map(({ path, method, operation }) => {
      const [group, name] = operation.operationId.split(".");
      // A name that a pattern binds is given one of its words, any other one a digit.
      const concrete = path.replaceAll(/\{(\w+)\}/gu, (_, param: string) => {
        const found = operation.parameters.find((parameter) => parameter.name === param);
        assert.isTrue(found?.required);
        const { enum: words } = { ...(found?.schema as { enum?: ReadonlyArray<string> }) };
        return words?.[0] ?? "1";
      });
      const match = matchPath(method.toUpperCase(), concrete);
      assert.strictEqual(`${match?.info.group}.${match?.info.name}`, `${group}.${name}`, path);
      return `${group}.${name}`;
    });
    assert.deepStrictEqual(
      new Set(reached),
      new Set(endpoints.map(({ group, name }) => `${group}.${name}`)),
    );
    assert.lengthOf(
      new Set(operations.map(({ operation }) => operation.operationId)),
      operations.length,
    );
  });

  it("names the scopes of each operation", () => {
    for (const { operation } of operations) {
      const [group, name] = operation.operationId.split(".");
      const info = endpoints.find((other) => other.group === group && other.name === name);
      assert.deepStrictEqual<unknown>(
        operation.security,
        info?.scopes.length === 0 ? [] : [{ bearer: info?.scopes }],
      );
    }
  });

  it("shows numbers as numbers, with defaults and bounds", () => {
    const limit = document.paths["/league"]?.get?.parameters.find(({ name }) => name === "limit");
    assert.deepStrictEqual(limit?.schema, {
      type: "integer",
      minimum: 1,
      maximum: 50,
      default: 50,
    });
    assert.isFalse(limit?.required);
  });

  it("puts the OAuth server and the data API under their own addresses [DA-04]", () => {
    const url = (value: unknown) => (value as ReadonlyArray<{ url: string }>)[0]?.url;
    assert.strictEqual(url(document.servers), "{base_url}");
    for (const [path, item] of Object.entries(document.paths)) {
      const servers = (item as { servers?: unknown }).servers;
      if (path.startsWith("/oauth/")) assert.strictEqual(url(servers), "{auth_url}");
      else assert.isUndefined(servers);
    }
  });
});
