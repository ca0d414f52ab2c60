/**
 * Generates clients from the OpenAPI document, with the generators that most programs use.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypeScript, { astToString } from "openapi-typescript";
import { generate } from "orval";
import ts from "typescript";

/** The members of a schema that tell an open enumeration from other strings. */
interface OpenWords {
  readonly type?: string | ReadonlyArray<string>;
  readonly enum?: unknown;
  readonly examples?: ReadonlyArray<string>;
}

/**
 * Keeps the completion of open enumerations, which are strings with their words as examples:
 * `string & {}` beside the words. TypeScript reduces `"a" | string` to `string`.
 */
const openEnum = ({ enum: closed, examples, type = [] }: OpenWords): ts.TypeNode | undefined => {
  const types = new Set([type].flat());
  if (closed !== undefined || examples === undefined || !types.has("string")) return undefined;
  const { factory, SyntaxKind } = ts;
  const text = factory.createKeywordTypeNode(SyntaxKind.StringKeyword);
  return factory.createUnionTypeNode([
    ...examples.map((word) => factory.createLiteralTypeNode(factory.createStringLiteral(word))),
    factory.createIntersectionTypeNode([text, factory.createTypeLiteralNode([])]),
    ...(types.has("null") ? [factory.createLiteralTypeNode(factory.createNull())] : []),
  ]);
};

/** Empties a folder, and writes the clients into it. */
export const generateClients = async (document: object, folder: string): Promise<void> => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const input = join(folder, "openapi.json");
  writeFileSync(input, JSON.stringify(document));

  // The generator changes its document.
  const copy = structuredClone(document) as Parameters<typeof openapiTypeScript>[0];
  const types = await openapiTypeScript(copy, {
    transform: (schema) => openEnum(schema as OpenWords),
  });
  writeFileSync(join(folder, "openapi-typescript.ts"), astToString(types));

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
