/**
 * Writes the OpenAPI document: readable to docs/openapi.json, or packed to the file that is named.
 * Run it after every change to the table or to the records.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readNotes } from "../../schemas/scripts/notes.ts";
import { openApiDocument } from "../src/openapi/index.ts";

const bodies = new URL("../src/routes/bodies.ts", import.meta.url);
const kept = fileURLToPath(new URL("../../../docs/openapi.json", import.meta.url));
const [packed] = process.argv.slice(2);
const target = packed === undefined ? kept : resolve(packed);
const text = JSON.stringify(
  openApiDocument({ notes: readNotes(fileURLToPath(bodies)) }),
  null,
  packed === undefined ? 2 : 0,
);
writeFileSync(target, `${text}\n`);
console.error(`wrote ${target}`);
