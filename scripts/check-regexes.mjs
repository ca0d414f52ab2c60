// Fails on a regular expression of the sources that a text can make slow: more than linear in its
// length, by recheck, in the build of it that needs nothing but Node. One that is kept says so in a
// comment on the line above, `Bounded: REASON`; a comment without such an expression is refused.
//
// Expressions that are put together at run time (`new RegExp(…)`) are not seen.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

process.env.RECHECK_BACKEND = "pure";
const { checkSync } = await import("recheck");

const root = join(import.meta.dirname, "..");
/** Milliseconds for one expression; those that are simple take less than ten. */
const timeout = 60_000;
const BOUNDED = /^\s*(?:\/\/|\*) Bounded: \S/;

/** Why an expression is not linear; `undefined` if it is. */
const faultOf = (pattern, flags) => {
  const { attack, complexity, error, status } = checkSync(pattern, flags, { timeout });
  if (status === "safe") return undefined;
  return status === "vulnerable"
    ? `${complexity.summary}, by ${attack.pattern.slice(0, 100)}`
    : `not decided: ${error.kind}`;
};

/** The literals of a module, each with its line. */
const expressionsIn = (file, text) => {
  const found = [];
  const visit = (node) => {
    if (node === null || typeof node !== "object") return;
    if (node.regex === undefined || node.regex === null) Object.values(node).forEach(visit);
    else found.push({ ...node.regex, line: text.slice(0, node.start).split("\n").length });
  };
  const { errors, program } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  visit(program);
  return found;
};

/** What the same expression came to elsewhere. */
const faults = new Map();

const problemsIn = (file, text) => {
  const lines = text.split("\n");
  const excused = new Set();
  const problems = expressionsIn(file, text).flatMap(({ flags, line, pattern }) => {
    const key = `/${pattern}/${flags}`;
    if (!faults.has(key)) faults.set(key, faultOf(pattern, flags));
    const fault = faults.get(key);
    if (fault === undefined) return [];
    if (!BOUNDED.test(lines[line - 2] ?? "")) return [`${file}:${line} ${key} is ${fault}`];
    excused.add(line - 1);
    return [];
  });
  const idle = lines.flatMap((each, i) =>
    BOUNDED.test(each) && !excused.has(i + 1)
      ? [`${file}:${i + 1} no expression below it needs a bound`]
      : [],
  );
  return [...problems, ...idle];
};

const PLANTED = [
  [
    String.raw`const a = /\s*\((?:implicit|crafted)\)$/u;`,
    /planted\.ts:1 .* 2nd degree polynomial/,
  ],
  [String.raw`const a = /^(?:a+)+$/;`, /planted\.ts:1 .* exponential/],
  [String.raw`f(/^\d+ .*(x.*y.*)z$/u)`, /planted\.ts:1 .* polynomial/],
  ["// Bounded: it is short.\nconst a = /^a$/;", /planted\.ts:1 no expression below/],
];
for (const [text, expected] of PLANTED)
  if (!expected.test(problemsIn("planted.ts", text).join("\n")))
    throw new Error(`a planted expression is not found: ${expected}`);
const sound = problemsIn("planted.ts", "// Bounded: it is short.\nconst a = / +$/; a / b / c;");
if (sound.length > 0) throw new Error(`a sound module is refused: ${sound.join("\n")}`);
const planted = faults.size;

const files = globSync("{packages,apps,support}/*/src/**/*.{ts,tsx}", { cwd: root }).toSorted();
const problems = files.flatMap((file) => problemsIn(file, readFileSync(join(root, file), "utf8")));
if (problems.length > 0 || files.length === 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${files.length} modules, ${faults.size - planted} expressions: linear, or bounded`);
