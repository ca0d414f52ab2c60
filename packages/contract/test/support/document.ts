/** Reads the OpenAPI document, with its references replaced by their targets. */
import { readFileSync } from "node:fs";
import type { OpenApiDocument } from "../../scripts/openapi.ts";

/** The published document. */
export const document = JSON.parse(
  readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"),
) as OpenApiDocument;

/** A parameter of an operation. */
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** An operation with its place. */
interface Operation {
  readonly path: string;
  readonly method: "get" | "post";
  readonly operationId: string;
  readonly parameters: ReadonlyArray<Parameter>;
  readonly security: unknown;
}

const resolve = (reference: string): unknown => {
  const [kind, ...name] = reference.replace("#/components/", "").split("/");
  return document.components[kind!]![name.join("/")];
};

/** All operations. */
export const operations: ReadonlyArray<Operation> = Object.entries(document.paths).flatMap(
  ([path, item]) =>
    (["get", "post"] as const).flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const listed = (operation["parameters"] ?? []) as ReadonlyArray<Parameter & Reference>;
      const parameters = listed.map((parameter) =>
        parameter.$ref === undefined ? parameter : (resolve(parameter.$ref) as Parameter),
      );
      return [{ ...(operation as unknown as Operation), path, method, parameters }];
    }),
);

interface Reference {
  readonly $ref?: string;
}

/** Returns the parameter of `GET path`. */
export const parameterOf = (path: string, name: string): Parameter | undefined =>
  operations
    .find((operation) => operation.path === path && operation.method === "get")
    ?.parameters.find((parameter) => parameter.name === name);
