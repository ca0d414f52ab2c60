/**
 * Lints the packed OpenAPI document with the default rules of redocly and spectral; a warning fails
 * as well as an error. First each of them has to find what is wrong with a broken copy.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { examples } from "../src/openapi/examples.ts";
import { openApiDocument } from "../src/openapi/index.ts";

const home = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "openapi-"));
const rules = join(folder, "spectral.yaml");
writeFileSync(rules, 'extends: ["spectral:oas"]\n');

const LINTERS = {
  redocly: ["lint", "--format=json", "--extends=recommended"],
  spectral: ["lint", "--format=json", "--quiet", "--ruleset", rules, "--fail-severity=warn"],
} as const;

/** The rules that a document breaks, by a linter; a linter that does not run throws. */
const brokenRules = (linter: keyof typeof LINTERS, document: unknown): ReadonlyArray<string> => {
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(document));
  const { error, status, stderr, stdout } = spawnSync(
    join(home, "node_modules/.bin", linter),
    [...LINTERS[linter], file],
    { cwd: folder, encoding: "utf8", env: { ...process.env, REDOCLY_TELEMETRY: "off" } },
  );
  if (error !== undefined) throw error;
  const rulesIn = [...stdout.matchAll(/"(?:ruleId|code)":\s*"([\w-]+)"/gu)].map(([, id]) => id!);
  if ((status === 0) !== (rulesIn.length === 0))
    throw new Error(`${linter} ended with ${status}: ${stderr || stdout}`);
  return rulesIn;
};

const document = openApiDocument();
const { profile, ...broken } = { profile: document.paths["/profile"], ...document.paths };
const operation = { ...profile?.["get"], operationId: "itemFilters.list", summary: undefined };
const faulty = { ...document, paths: { ...broken, "/profile": { get: operation } } };

try {
  for (const linter of ["redocly", "spectral"] as const) {
    const planted = brokenRules(linter, faulty);
    if (planted.length === 0) throw new Error(`${linter} finds nothing in a broken document`);
    for (const [what, spec] of [
      ["the document", document],
      ["the document with examples", openApiDocument({ examples })],
    ] as const) {
      const found = brokenRules(linter, spec);
      console.log(`${linter}: ${what}: ${found.length === 0 ? "clean" : found.join(", ")}`);
      if (found.length > 0) process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
