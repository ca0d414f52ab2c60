/** The published OpenAPI document, and its operations. */
import { readFileSync } from "node:fs";
import type { OpenApiDocument } from "../../scripts/openapi.ts";

export const document = JSON.parse(
  readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"),
) as OpenApiDocument;

/** An operation with its place. */
interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
  readonly security: unknown;
}

export const operations: ReadonlyArray<Operation> = Object.entries(document.paths).flatMap(
  ([path, { get, post }]) =>
    Object.entries({ get, post }).flatMap(([method, operation]) =>
      operation === undefined ? [] : [{ ...(operation as unknown as Operation), path, method }],
    ),
);
