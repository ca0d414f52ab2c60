/**
 * Writes the OpenAPI document of the contract to docs/openapi.json. Run after every change to the
 * contract or to the records.
 */
import { writeFileSync } from "node:fs";
import { openApiDocument } from "../src/server/index.ts";

const target = new URL("../../../docs/openapi.json", import.meta.url);
writeFileSync(target, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
console.error(`wrote ${target.pathname}`);
