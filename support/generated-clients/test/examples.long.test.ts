import { routes, type Route, type RouteName } from "@game-data/contract/routes";
import { bodies } from "@game-data/contract/results";
import { describe, expect, it } from "vitest";
import openApiDocument from "@game-data/contract/openapi.json" with { type: "json" };
import responses from "@game-data/contract/examples.json" with { type: "json" };
import { type Examples, responseExamples } from "../src/examples.ts";

const examples: Examples = responses;

describe("the examples of the OpenAPI document", () => {
  it("the OpenAPI examples are the sandbox's responses (pnpm --filter @game-data/generated-clients generate)", async () => {
    expect(examples).toEqual(await responseExamples());
  });

  it("every JSON response of the OpenAPI document has an example", () => {
    const without: Array<string> = [];
    const visit = (value: unknown, place: string): void => {
      if (typeof value !== "object" || value === null) return;
      const json = (value as { readonly "application/json"?: object })["application/json"];
      const isRequest = place.includes("/requestBody/");
      if (json && !isRequest && !("example" in json) && !("examples" in json)) without.push(place);
      for (const [key, member] of Object.entries(value))
        if (key !== "schemas") visit(member, `${place}/${key}`);
    };
    visit(openApiDocument, "");
    expect(without).toEqual([]);
  });

  it.each(Object.keys(routes) as ReadonlyArray<RouteName>)(
    "the OpenAPI examples of %s match the records of its results",
    (name) => {
      const { results }: Route = routes[name];
      for (const [status, result] of Object.entries(results)) {
        const body = bodies[result as keyof typeof bodies];
        const hint = `call ${name} in src/examples.ts, then run its "generate"`;
        expect(body.is(examples[name]?.[status]), `${status} ${result}: ${hint}`).toBe(true);
      }
    },
  );
});
