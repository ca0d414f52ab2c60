import { routes, type Route, type RouteName } from "@game-data/contract/routes";
import { bodies } from "@game-data/contract/results";
import { openApiDocument } from "@game-data/contract/server";
import { describe, expect, it } from "vitest";
import { examples } from "../../../packages/contract/src/server/generated/examples.ts";
import { responseExamples } from "../src/examples.ts";

interface Response {
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>;
}

describe("the examples of the OpenAPI document", () => {
  it("are what the sandbox responds (pnpm --filter @game-data/generated-clients generate)", async () => {
    expect(examples).toEqual(await responseExamples());
  });

  it("stand in every JSON response", () => {
    const without = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap((operation) => {
        const responses = (operation as { responses?: Record<string, Response> }).responses ?? {};
        return Object.entries(responses).flatMap(([status, { content }]) => {
          const json = content?.["application/json"];
          return json && json.example === undefined ? [`${path} ${status}`] : [];
        });
      }),
    );
    expect(without).toEqual([]);
  });

  it.each(Object.keys(routes) as ReadonlyArray<RouteName>)("decode (%s)", (name) => {
    const { results }: Route = routes[name];
    for (const [status, result] of Object.entries(results)) {
      const body = bodies[result as keyof typeof bodies];
      expect(body.is(examples[name]?.[status]), `${status} ${result}`).toBe(true);
    }
  });
});
