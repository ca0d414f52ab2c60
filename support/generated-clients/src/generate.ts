/** Generates clients from the OpenAPI document, with the most common generators. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypeScript, { astToString } from "openapi-typescript";
import { generate } from "orval";

/** Empties a folder, and writes the generated clients into it. */
export const generateClients = async (document: object, folder: string): Promise<void> => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const input = join(folder, "openapi.json");
  writeFileSync(input, JSON.stringify(document));

  // The generator changes the document that it gets.
  const copy = structuredClone(document) as Parameters<typeof openapiTypeScript>[0];
  const types = astToString(await openapiTypeScript(copy));
  writeFileSync(join(folder, "openapi-typescript.ts"), types);

  await createClient({
    input,
    output: { path: join(folder, "hey-api"), importFileExtension: ".ts" },
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    logs: { level: "silent" },
  });

  await generate({
    input: { target: input },
    output: {
      target: join(folder, "orval/api.ts"),
      client: "fetch",
      mode: "single",
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  });
};
