import { readFileSync } from "node:fs";
import { assert, describe, it } from "@effect/vitest";
import { compileErrors, validate } from "@readme/openapi-parser";
import { OpenApi } from "effect/http-api";
import { DataApi, endpoints, OAuthApi, openApiDocument } from "../src/server/index.ts";
import { makeWords, scopes, userScopes } from "../src/index.ts";
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
        info?.scopes.length === 0 ? [] : [{ oauth2: info?.scopes }],
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

  it("has the realm as one parameter where no other path has the same template", () => {
    const realm = document.paths["/guild/{realm}/stash/{league}/{stash_id}/{substash_id}"]?.get;
    assert.strictEqual(realm?.operationId, "guildStashes.getOfRealm.substash_id");
    assert.deepStrictEqual(realm?.parameters[0]?.schema, {
      type: "string",
      enum: ["console_a", "console_b"],
    } as object);
    const templates = operations.map(
      ({ path, method }) => `${method} ${path.replaceAll(/\{\w+\}/gu, "{}")}`,
    );
    assert.lengthOf(new Set(templates), templates.length);
  });

  it("names the flows of the OAuth server with the scopes that each can grant [OA-45]", () => {
    const { oauth2 } = document.components.securitySchemes as unknown as {
      oauth2: { type: string; flows: Record<string, { scopes: object }> };
    };
    assert.strictEqual(oauth2.type, "oauth2");
    assert.deepStrictEqual(Object.keys(oauth2.flows["authorizationCode"]!.scopes), [...userScopes]);
    const service = scopes.filter((scope) => scope.startsWith("service:"));
    assert.deepStrictEqual(Object.keys(oauth2.flows["clientCredentials"]!.scopes), service);
  });

  it("describes a deployment in its own words and at its own addresses", async () => {
    const words = makeWords({ console_a: "box", game2: "second", livestream: "tv" });
    const servers = { authUrl: "https://auth.game.example/", baseUrl: "https://api.game.example/" };
    const own = openApiDocument({ words, servers });
    const result = await validate(structuredClone(own) as never);
    assert.isTrue(result.valid, result.valid ? "" : compileErrors(result));
    const text = JSON.stringify({
      ...own,
      paths: Object.fromEntries(
        Object.entries(own.paths).map(([path, item]) => [
          path,
          { ...item, get: { ...item?.get, operationId: "", description: "", summary: "" } },
        ]),
      ),
    });
    assert.notMatch(text, /"(?:console_a|game2|livestream)"/u);
    assert.include(text, '"tv"');
    assert.property(own.paths, "/character/second/{name}");
    assert.notProperty(own.paths, "/character/game2/{name}");
    assert.deepStrictEqual<unknown>((own as { servers?: unknown }).servers, [
      { url: "https://api.game.example" },
    ]);
    assert.include(text, '"tokenUrl":"https://auth.game.example/oauth/token"');
    assert.deepStrictEqual(openApiDocument({}), document);
  });

  it("names all rate-limit headers", () => {
    const limited = document.paths["/profile"]?.get?.responses[429] as
      | { headers?: object }
      | undefined;
    const headers = limited?.headers ?? {};
    for (const name of [
      "x-rate-limit-policy",
      "x-rate-limit-rules",
      "x-rate-limit-account",
      "x-rate-limit-account-state",
      "x-rate-limit-ip",
      "x-rate-limit-client-state",
      "retry-after",
    ])
      assert.property(headers, name);
  });
});
