/**
 * Generates clients from the OpenAPI document, with the generators that most programs use.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypeScript, { astToString } from "openapi-typescript";
import { generate } from "orval";
import ts from "typescript";

/** A schema of the document, as far as open enums are told by it. */
interface Alternatives {
  readonly anyOf?: ReadonlyArray<{ readonly type?: unknown; readonly enum?: unknown }>;
}

/**
 * Keeps the completion of open enums: `string & {}` where a schema is any string beside known
 * words. TypeScript reduces `"a" | string` to `string`, and forgets the words.
 */
const openEnum = ({ anyOf }: Alternatives): ts.TypeNode | undefined => {
  if (!anyOf?.some((one) => one.enum !== undefined)) return undefined;
  if (!anyOf.some((one) => one.type === "string" && one.enum === undefined)) return undefined;
  const { factory, SyntaxKind } = ts;
  const text = factory.createKeywordTypeNode(SyntaxKind.StringKeyword);
  const words = anyOf.flatMap((one) =>
    Array.isArray(one.enum) ? (one.enum as ReadonlyArray<string>) : [],
  );
  return factory.createUnionTypeNode([
    ...words.map((word) => factory.createLiteralTypeNode(factory.createStringLiteral(word))),
    factory.createIntersectionTypeNode([text, factory.createTypeLiteralNode([])]),
    ...(anyOf.some((one) => one.type === "null")
      ? [factory.createLiteralTypeNode(factory.createNull())]
      : []),
  ]);
};

/** Writes the clients into a folder, which is emptied before. */
export const generateClients = async (document: object, folder: string): Promise<void> => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const input = join(folder, "openapi.json");
  writeFileSync(input, JSON.stringify(document));

  // The generators change the document that they are given.
  const copy = structuredClone(document) as Parameters<typeof openapiTypeScript>[0];
  const types = await openapiTypeScript(copy, {
    transform: (schema) => openEnum(schema as Alternatives),
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
