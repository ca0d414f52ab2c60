// Fails on a regular expression of the sources that a text can make slow: more than linear in its
// length, by recheck, in the build of it that needs nothing but Node. One that is kept says so in a
// comment on the line above, `Bounded: REASON`; a comment without such an expression is refused.
//
// An expression that is put together (`new RegExp(…)`) is read where its parts are constants of its
// module: texts, templates, sums, lists that are joined. One with another part has to say why.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { parseSync } from "oxc-parser";

process.env.RECHECK_BACKEND = "pure";
const { checkSync } = await import("recheck");

const root = join(import.meta.dirname, "..");
/** Milliseconds for one expression; those that are simple take less than ten. */
const timeout = 300_000;
const BOUNDED = /^\s*(?:\/\/|\*) Bounded: \S/;

/** An input four times as long may take so many times as long; for a square it is sixteen. */
const MOST_GROWTH = 8;
/** Milliseconds that no input of the largest size takes. */
const LEAST_MILLIS = 20;

/**
 * Whether the attack of a search at random takes time in proportion to its length here. The search
 * counts the steps of its own engine, and is in doubt about expressions that look behind.
 */
const isLinear = (pattern, flags, { pumps, suffix }) => {
  const millis = [4_000, 16_000, 64_000].map((length) => {
    const once = pumps.reduce((sum, { pump }) => sum + pump.length, 0);
    const times = Math.ceil(length / once);
    const input = pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join("") + suffix;
    const context = { expression: new RegExp(pattern, flags), input };
    const runs = [1, 2, 3].map(() => {
      const started = performance.now();
      try {
        runInNewContext('input.replace(expression, "")', context, { timeout: 2_000 });
        return performance.now() - started;
      } catch {
        return Infinity;
      }
    });
    return Math.min(...runs);
  });
  const [short, middle, long] = millis;
  return long < LEAST_MILLIS || (long < MOST_GROWTH * middle && middle < MOST_GROWTH * short);
};

/** Why an expression is not linear; `undefined` if it is. */
const faultOf = (pattern, flags) => {
  const { attack, checker, complexity, error, status } = checkSync(pattern, flags, { timeout });
  if (status === "safe") return undefined;
  if (status === "vulnerable" && checker === "fuzz" && isLinear(pattern, flags, attack))
    return undefined;
  return status === "vulnerable"
    ? `${complexity.summary}, by ${attack.pattern.slice(0, 100)}`
    : `not decided: ${error.kind}`;
};

const isNode = (node) => node !== null && typeof node === "object";

/** Calls `see` with every node of a tree, the outer ones first. */
const walk = (node, see) => {
  if (!isNode(node)) return;
  if (node.type !== undefined) see(node);
  for (const child of Object.values(node)) walk(child, see);
};

/** Joins texts; without a text where a part has none. */
const joined = (parts, separator = "") =>
  parts.includes(undefined) ? undefined : parts.join(separator);

/** The text that a node is, by the constants of its module; `undefined` if they do not tell. */
const textOf = (node, constants) =>
  TEXTS[node?.type]?.(node, (each) => textOf(each, constants), constants);

const TEXTS = {
  Literal: ({ regex, value }) => regex?.pattern ?? (typeof value === "string" ? value : undefined),
  Identifier: ({ name }, _, constants) => {
    // A constant that is made of itself is none.
    const others = new Map(constants);
    return others.delete(name) ? textOf(constants.get(name), others) : undefined;
  },
  TemplateLiteral: ({ expressions, quasis }, text) =>
    joined(
      quasis.flatMap(({ value }, at) => [value.cooked, ...expressions.slice(at, at + 1).map(text)]),
    ),
  TaggedTemplateExpression: ({ quasi, tag }, text) => {
    if (tag.property?.name !== "raw") return undefined;
    const quasis = quasi.quasis.map(({ value }) => ({ value: { cooked: value.raw } }));
    return text({ ...quasi, quasis });
  },
  BinaryExpression: ({ left, operator, right }, text) =>
    operator === "+" ? joined([text(left), text(right)]) : undefined,
  MemberExpression: ({ object, property }, text) =>
    property.name === "source" ? text(object) : undefined,
  CallExpression: ({ arguments: [separator], callee: { object, property } }, text) =>
    property?.name === "join" && object.type === "ArrayExpression"
      ? joined(object.elements.map(text), text(separator) ?? ",")
      : undefined,
  TSAsExpression: ({ expression }, text) => text(expression),
  ParenthesizedExpression: ({ expression }, text) => text(expression),
};

/** The expressions of a module, each with its line; without a pattern where it is not known. */
const expressionsIn = (file, text) => {
  const { errors, program } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const constants = new Map();
  walk(program, ({ declarations = [], kind, params }) => {
    // A name that is given twice, as in two functions, tells nothing; nor does a variable.
    const isConstant = (name) => kind === "const" && !constants.has(name);
    for (const { id, init } of declarations)
      constants.set(id.name, isConstant(id.name) ? init : undefined);
    for (const { name } of Array.isArray(params) ? params : []) constants.set(name, undefined);
  });
  const found = [];
  walk(program, (node) => {
    const line = () => text.slice(0, node.start).split("\n").length;
    // Of a JSON Schema: it is made an expression elsewhere.
    if (
      node.type === "Property" &&
      node.key.name === "pattern" &&
      typeof node.value.value === "string"
    )
      found.push({ pattern: node.value.value, flags: "u", line: line() });
    if (isNode(node.regex)) found.push({ ...node.regex, line: line() });
    if (!["NewExpression", "CallExpression"].includes(node.type) || node.callee.name !== "RegExp")
      return;
    const [source, flags] = node.arguments;
    const known = flags === undefined ? "" : textOf(flags, constants);
    const pattern = known === undefined ? undefined : textOf(source, constants);
    // What only copies a literal is checked as that.
    if (source?.regex === undefined) found.push({ pattern, flags: known, line: line() });
  });
  return found;
};

/** What the same expression came to elsewhere. */
const faults = new Map();

const problemsIn = (file, text) => {
  const lines = text.split("\n");
  const excused = new Set();
  const problems = expressionsIn(file, text).flatMap(({ flags, line, pattern }) => {
    const key = pattern === undefined ? "new RegExp" : `/${pattern}/${flags}`;
    if (!faults.has(key))
      faults.set(key, pattern === undefined ? "of unknown parts" : faultOf(pattern, flags));
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
  // Put together: of a text, a template, a sum, a list, and of what is not known.
  ['new RegExp("^(?:a+)+$", "u")', /planted\.ts:1 .* exponential/],
  ["const part = `a+`;\nf(RegExp(`^(?:${part})+$`));", /planted\.ts:2 .* exponential/],
  [
    String.raw`const s = String.raw` +
      "`\\s*`;" +
      String.raw`new RegExp(s + String.raw` +
      "`\\(x\\)$`" +
      String.raw`, "u")`,
    /planted\.ts:1 .* polynomial/,
  ],
  ['new RegExp(["b", /(?:a+)+$/.source].join("|"))', /planted\.ts:1 \/b\|.* exponential/],
  ['const schema = { pattern: "^(?:a+)+$" };', /planted\.ts:1 .* exponential/],
  ["const g = (a: string) => new RegExp(`^${a}$`);", /planted\.ts:1 .* of unknown parts/],
  [
    'const a = "x";\nconst g = (a: string) => new RegExp(`^${a}$`);',
    /planted\.ts:2 .* of unknown parts/,
  ],
  ['const a = a + "x";\nnew RegExp(a)', /planted\.ts:2 .* of unknown parts/],
  ["// Bounded: it is short.\nconst a = /^a$/;", /planted\.ts:1 no expression below/],
];
for (const [text, expected] of PLANTED)
  if (!expected.test(problemsIn("planted.ts", text).join("\n")))
    throw new Error(`a planted expression is not found: ${expected}`);
const sound = problemsIn(
  "planted.ts",
  '// Bounded: it is short.\nconst a = / +$/; a / b / c;\nconst d = "b";\nnew RegExp(`^a${d}`, "u");' +
    "\n// Bounded: a word of ours.\nconst f = (a: string) => new RegExp(a);",
);
if (sound.length > 0) throw new Error(`a sound module is refused: ${sound.join("\n")}`);
const planted = faults.size;

const files = globSync("{packages,apps,support}/*/src/**/*.{ts,tsx}", { cwd: root }).toSorted();
const problems = files.flatMap((file) => problemsIn(file, readFileSync(join(root, file), "utf8")));
if (problems.length > 0 || files.length === 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${files.length} modules, ${faults.size - planted} expressions: linear, or bounded`);
