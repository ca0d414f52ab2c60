import { assert, describe, it } from "@effect/vitest";
import { compileErrors, validate } from "@readme/openapi-parser";
import examples from "../examples.json" with { type: "json" };
import { makeDocument } from "../scripts/openapi.ts";
import { matchPath, oauthRoutes, routes, scopes, userScopes } from "../src/index.ts";
import { document, operations } from "./support/document.ts";

/** The operation of the table that an `operationId` begins with. */
const nameOf = (operationId: string) => operationId.split(".").slice(0, 2).join(".");

describe("the OpenAPI document", () => {
  it("the OpenAPI document is valid OpenAPI 3.1 according to an independent validator", async () => {
    assert.match(document.openapi, /^3\.1\./u);
    const result = await validate(structuredClone(document) as never);
    assert.isTrue(result.valid, result.valid ? "" : compileErrors(result));
  });

  it("the OpenAPI document follows from the table of operations, the records and the examples (pnpm generate)", () => {
    assert.deepStrictEqual(document, JSON.parse(JSON.stringify(makeDocument())));
    for (const name of Object.keys(routes)) assert.property(examples, name);
  });

  it("the OpenAPI document has every operation under every concrete path, and nothing else", () => {
    const reached = operations.map(({ method, operationId, path }) => {
      // Behind a spelled `pc` a name could be read as a realm.
      const realm = /\{realm\}|(?<=\/pc\/)\{\w+\}/u;
      const concrete = path.replace(realm, "console_a").replaceAll(/\{\w+\}/gu, "1");
      const oauth = Object.entries(oauthRoutes).find(([, route]) => route.path === path)?.[0];
      const name = oauth ?? matchPath(method.toUpperCase(), concrete)?.name;
      assert.strictEqual(name, nameOf(operationId), path);
      return name;
    });
    const all = new Set([...Object.keys(routes), ...Object.keys(oauthRoutes)]);
    assert.deepStrictEqual(new Set<string | undefined>(reached), all);
    assert.lengthOf(new Set(operations.map(({ operationId }) => operationId)), operations.length);
  });

  it("the OpenAPI document names the scopes of each operation", () => {
    const all: Readonly<Record<string, { readonly scopes: ReadonlyArray<string> }>> = {
      ...routes,
      ...oauthRoutes,
    };
    for (const { operationId, security } of operations) {
      const needed = all[nameOf(operationId)]!.scopes;
      assert.deepStrictEqual<unknown>(security, needed.length === 0 ? [] : [{ oauth2: needed }]);
    }
  });

  it("the OpenAPI document puts the OAuth server and the data API under their own addresses [DA-04]", () => {
    const url = (value: unknown) => (value as ReadonlyArray<{ url: string }>)[0]?.url;
    assert.strictEqual(url(document.servers), "{base_url}");
    for (const [path, item] of Object.entries(document.paths)) {
      const { servers } = item;
      if (path.startsWith("/oauth/")) assert.strictEqual(url(servers), "{auth_url}");
      else assert.isUndefined(servers);
    }
  });

  it("the OpenAPI document has a realm parameter only in paths that no other path could match", () => {
    const path = "/guild/{realm}/stash/{league}/{stash_id}/{substash_id}";
    const [realm] = document.paths[path]!["get"]!["parameters"] as ReadonlyArray<{ $ref: string }>;
    const schema = { type: "string", enum: ["console_a", "console_b"] };
    const parameter = document.components["parameters"]![realm!.$ref.split("/").at(-1)!]!;
    assert.deepInclude<object>(parameter, { name: "realm", in: "path", required: true, schema });
    assert.property(document.paths, "/guild/console_a/stash/{league}");
    assert.notProperty(document.paths, "/guild/{realm}/stash/{league}");
    const templates = operations.map(
      ({ method, path: place }) => `${method} ${place.replaceAll(/\{\w+\}/gu, "{}")}`,
    );
    assert.lengthOf(new Set(templates), templates.length);
  });

  it("the OpenAPI document names the flows of the OAuth server with the scopes that each can grant [OA-45]", () => {
    const { oauth2 } = document.components["securitySchemes"] as unknown as {
      oauth2: { type: string; flows: Record<string, { scopes: object }> };
    };
    assert.strictEqual(oauth2.type, "oauth2");
    assert.deepStrictEqual(Object.keys(oauth2.flows["authorizationCode"]!.scopes), [...userScopes]);
    const service = scopes.filter((scope) => scope.startsWith("service:"));
    assert.deepStrictEqual(Object.keys(oauth2.flows["clientCredentials"]!.scopes), service);
  });

  it("the OpenAPI document has form bodies for token requests, and answers a revocation with 200 and no body [NS-03, OA-03]", () => {
    const of = (path: string): any => document.paths[path]!["post"];
    for (const path of ["/oauth/token", "/oauth/token/revoke"]) {
      const forms = Object.keys(of(path).requestBody.content);
      assert.deepStrictEqual(forms, ["application/x-www-form-urlencoded"]);
    }
    const { responses } = of("/oauth/token/revoke");
    assert.deepStrictEqual(Object.keys(responses), ["200", "4XX", "5XX"]);
    assert.notProperty(responses[200], "content");
  });
});
