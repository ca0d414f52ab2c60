/** Reads an OpenAPI document: what a reference points at stands in its place. */
import { fileURLToPath } from "node:url";
import { readNotes } from "../../../schemas/scripts/notes.ts";
import type { OpenApiDocument } from "../../src/openapi/index.ts";

/** The comments of records and bodies. */
export const notes = readNotes(
  fileURLToPath(new URL("../../src/routes/bodies.ts", import.meta.url)),
);

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** An operation with its place. */
export interface Operation {
  readonly path: string;
  readonly method: "get" | "post";
  readonly operationId: string;
  readonly parameters: ReadonlyArray<Parameter>;
  readonly security: unknown;
}

/** All operations. */
export const operationsOf = (document: OpenApiDocument): ReadonlyArray<Operation> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    (["get", "post"] as const).flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const listed = (operation["parameters"] ?? []) as ReadonlyArray<Parameter & Reference>;
      const parameters = listed.map((one) =>
        one.$ref === undefined ? one : (resolve(document, one.$ref) as Parameter),
      );
      return [{ ...(operation as unknown as Operation), path, method, parameters }];
    }),
  );

/** A parameter of `GET path`. */
export const parameterOf = (
  document: OpenApiDocument,
  path: string,
  name: string,
): Parameter | undefined =>
  operationsOf(document)
    .find((operation) => operation.path === path && operation.method === "get")
    ?.parameters.find((parameter) => parameter.name === name);

interface Reference {
  readonly $ref?: string;
}

const resolve = ({ components }: OpenApiDocument, reference: string): unknown => {
  const [kind, ...name] = reference.replace("#/components/", "").split("/");
  return components[kind!]![name.join("/")];
};
