/** Redocly and Spectral accept the OpenAPI document with their default rules, without a warning. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, it } from "@effect/vitest";
import { document } from "./support/document.ts";

const home = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "openapi-"));
afterAll(() => rmSync(folder, { recursive: true }));
const rules = join(folder, "spectral.yaml");
writeFileSync(rules, 'extends: ["spectral:oas"]\n');

/** The rules that a document breaks, by a linter. */
const brokenRules = (linter: string, args: ReadonlyArray<string>, spec: object) => {
  const file = join(folder, `${linter}.json`);
  writeFileSync(file, JSON.stringify(spec));
  const { status, stderr, stdout } = spawnSync(
    join(home, "node_modules/.bin", linter),
    [...args, file],
    { cwd: folder, encoding: "utf8", env: { ...process.env, REDOCLY_TELEMETRY: "off" } },
  );
  const found = [...stdout.matchAll(/"(?:ruleId|code)":\s*"([\w-]+)"/gu)].map(([, id]) => id!);
  assert.strictEqual(status === 0, found.length === 0, `${status}: ${stderr || stdout}`);
  return found;
};

it.each([
  ["redocly", ["lint", "--format=json", "--extends=recommended"]],
  ["spectral", ["lint", "--format=json", "--quiet", "--ruleset", rules, "--fail-severity=warn"]],
] as const)(
  "the linter %s accepts the OpenAPI document, and reports a broken copy",
  { timeout: 120_000 },
  (linter, args) => {
    assert.deepStrictEqual(brokenRules(linter, args, document), []);
    const profile = document.paths["/profile"]!;
    const get = { ...profile["get"], operationId: "itemFilters.list", summary: undefined };
    const broken = { ...document, paths: { ...document.paths, "/profile": { get } } };
    assert.isNotEmpty(brokenRules(linter, args, broken));
  },
);
