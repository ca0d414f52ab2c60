/**
 * Changes every constant of the planner and the queue, one by one, to double and to half of it, and
 * asks whether the recorded plans tell. A constant whose change nobody notices is not tested, or
 * not
 * needed.
 *
 * `node scripts/mutate.ts [--seconds 60] [--only NAME]`: with `--seconds` as many as fit, at
 * random.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
};
const end = performance.now() + 1000 * Number(option("seconds") ?? Number.POSITIVE_INFINITY);
const only = option("only");

const CONSTANT = /^(?:export )?const ([A-Z][A-Z_]+) = (\[?[\d_][^;]*);/gmu;
/** Options have defaults; these are of `./redis` and of the clock, and have tests of their own. */
const files = readdirSync(join(root, "src/core"))
  .map((name) => join("src/core", name))
  .concat("src/store/persistent.ts", "src/RateLimitDialect.ts");

/** Each number of the expression, times a factor. */
const scaled = (expression: string, factor: number): string =>
  expression.replaceAll(/\d[\d_.]*/gu, (number) =>
    String(Number(number.replaceAll("_", "")) * factor),
  );

const mutants = files.flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(CONSTANT)].flatMap(
    ([statement, name = "", value = ""]) =>
      [2, 0.5].map((factor) => ({
        file,
        name,
        factor,
        statement,
        changed: statement.replace(`= ${value};`, `= ${scaled(value, factor)};`),
      })),
  ),
);
const chosen = mutants
  .filter(({ name }) => only === undefined || name === only)
  .map((mutant) => ({ mutant, order: option("seconds") ? Math.random() : 0 }))
  .toSorted((a, b) => a.order - b.order)
  .map(({ mutant }) => mutant);

const folder = mkdtempSync(join(tmpdir(), "mutants-"));
const run = (): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [join(folder, "test/model/recorded.ts")], {
      stdio: "ignore",
      timeout: 60_000,
    });
    child.once("exit", (code) => resolve(code !== 0));
  });

cpSync(join(root, "src"), join(folder, "src"), { recursive: true });
cpSync(join(root, "test/model"), join(folder, "test/model"), { recursive: true });
writeFileSync(join(folder, "package.json"), '{"type":"module"}');
let caught = 0;
const missed: Array<string> = [];
if (await run()) throw new Error("the recorded plans differ without a change");
for (const { changed, factor, file, name, statement } of chosen) {
  if (performance.now() > end) break;
  const path = join(folder, file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, source.replace(statement, changed));
  if (await run()) caught++;
  else {
    missed.push(`${name} × ${factor} (${file})`);
    console.log(`missed: ${name} × ${factor} (${file})`);
  }
  writeFileSync(path, source);
}
rmSync(folder, { recursive: true });
console.log(
  JSON.stringify({ constants: mutants.length / 2, mutants: mutants.length, caught, missed }),
);
process.exitCode = missed.length > 0 ? 1 : 0;
