/** Writes `dist/json-schema.json`, which the packed package has. Part of the build. */
import { writeFileSync } from "node:fs";
import { recordsDocument } from "../src/JsonSchema.ts";
import { readNotes } from "./notes.ts";

const file = new URL("../dist/json-schema.json", import.meta.url);
writeFileSync(file, `${JSON.stringify(recordsDocument(readNotes()))}\n`);
