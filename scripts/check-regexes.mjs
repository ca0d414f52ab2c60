// Fails on a regular expression of sources that a text can make slow: more than linear in
// its length, by recheck, in the build of it that needs nothing but Node. One that is kept says so in
// a comment on the line above, `Bounded: REASON`, with the number that bounds it; a comment without
// such an expression is refused.
//
// An expression that is put together (`new RegExp(…)`, a text given to `match`, a `pattern` of a JSON
// Schema) is read where it names nothing else: texts, sums, lists that are joined. Any other has to say
// why. What hides a maker (`RegExp` under another name, `eval`) is for reviewers to find.
//
// eslint-plugin-redos asks recheck about literals alone, and believes its search where that is in doubt.
import { globSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { parseSync } from "oxc-parser";
import { conclude, read, root } from "./repository.mjs";

process.env.RECHECK_BACKEND = "pure";
const { checkSync } = await import("recheck");

/** Milliseconds for one expression; those that are simple take less than ten. */
const timeout = 300_000;
const BOUNDED = /^\s*(?:\/\/|\*) Bounded: \D*\d/;

/** An input four times as long may take so many times as long; for a square it is sixteen. */
const MOST_GROWTH = 8;
/** CPU milliseconds below which nothing is told apart: a square takes seconds. */
const LEAST_MILLIS = 5;

/** CPU milliseconds of this thread: what else the machine does takes none of them. */
const cpuMillis = () => {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1000;
};

/**
 * Whether the attack of a search at random takes time in proportion to its length here. The search
 * counts the steps of its own engine, and is in doubt about expressions that look behind.
 */
const isLinear = (pattern, flags, { pumps, suffix }) => {
  const [short, long] = [16_000, 64_000].map((length) => {
    const once = pumps.reduce((sum, { pump }) => sum + pump.length, 0);
    const times = Math.ceil(length / once);
    const input = pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join("") + suffix;
    const context = { expression: new RegExp(pattern, flags), input };
    const runs = [1, 2, 3].map(() => {
      const started = cpuMillis();
      try {
        runInNewContext('input.replace(expression, "")', context, { timeout: 5_000 });
        return cpuMillis() - started;
      } catch {
        return Infinity;
      }
    });
    return Math.min(...runs);
  });
  return long < MOST_GROWTH * Math.max(short, LEAST_MILLIS);
};

/** A class or an escape, in which no character means anything else. */
const LITERAL = /\\.|\[(?:\\.|[^\]])*\]/gs;
/** What looks behind at any length, at every place, or over a group: recheck leaves out what is behind. */
const BEHIND = /\(\?<[=!][^)]*(?:[*+(]|\{\d+,\})/;

/** Why an expression is not linear; `undefined` if it is. */
const faultOf = (pattern, flags) => {
  if (BEHIND.test(pattern.replaceAll(LITERAL, "a"))) return "behind at any length";
  const { attack, checker, complexity, error, status } = checkSync(pattern, flags, { timeout });
  if (status === "safe") return undefined;
  if (status === "vulnerable" && checker === "fuzz" && isLinear(pattern, flags, attack))
    return undefined;
  return status === "vulnerable"
    ? `${complexity.summary}, by ${attack.pattern.slice(0, 100)}`
    : `not decided: ${error.kind}`;
};

/** Calls `see` with every node of a tree and the node that it is in. */
const walk = (node, see, parent = {}) => {
  if (node === null || typeof node !== "object") return;
  if (node.type !== undefined) see(node, parent);
  for (const child of Object.values(node))
    walk(child, see, node.type === undefined ? parent : node);
};

/** What a part of a module is by itself: a text, or an expression; `undefined` if others make it. */
const valueOf = (source) => {
  try {
    return runInNewContext(`(${source})`, {}, { timeout: 10_000 });
  } catch {
    return undefined;
  }
};
const patternOf = (source) => {
  const value = valueOf(source);
  return typeof value === "string" ? value : value?.source;
};

const MAKERS = new Set([/a/.constructor.name, "constructor", "compile"]);
/** Methods that make an expression of a text. */
const TAKERS = new Set(["match", "matchAll", "search"]);

/** The sources of what a node makes an expression of. */
const madeBy = ({ arguments: given = [], callee, key, type, value }, parent) => {
  if (type === "Property" && parent.type !== "ObjectPattern" && key.name === "pattern")
    // A pattern of a JSON Schema, made an expression elsewhere.
    return { source: value, flags: "u" };
  const word = callee && (callee.property ?? callee);
  const [source, flags] = given;
  if (MAKERS.has(word?.name ?? word?.value)) return { source, flags };
  return TAKERS.has(word?.name) && source?.type.endsWith("Literal") ? { source } : undefined;
};

/** The expressions of a module, each with its line; without a pattern where it is not known. */
const expressionsIn = (file, text) => {
  const found = [];
  const textOf = ({ end, start }) => text.slice(start, end);
  const { errors, program } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  walk(program, (node, parent) => {
    const line = text.slice(0, node.start).split("\n").length;
    if (node.regex) found.push({ ...node.regex, line });
    const { flags, source } = madeBy(node, parent) ?? {};
    if (source === undefined || source.regex) return;
    const known = typeof flags === "object" ? valueOf(textOf(flags)) : (flags ?? "");
    const pattern = known === undefined ? undefined : patternOf(textOf(source));
    found.push({ pattern, flags: known, line });
  });
  return found;
};

/** What the same expression came to elsewhere. */
const faults = new Map();

const problemsIn = (file, text) => {
  const lines = text.split("\n");
  const excused = new Set();
  const problems = expressionsIn(file, text).flatMap(({ flags, line, pattern }) => {
    const key = pattern === undefined ? "an expression" : `/${pattern}/${flags}`;
    if (pattern !== undefined && !faults.has(key)) faults.set(key, faultOf(pattern, flags));
    const fault = pattern === undefined ? "of unknown parts" : faults.get(key);
    if (fault === undefined) return [];
    // One excuse is of one expression.
    if (!BOUNDED.test(lines[line - 2] ?? "") || excused.has(line - 1))
      return [`${file}:${line} ${key} is ${fault}`];
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

const EXPONENTIAL = /planted\.ts:\d .* exponential/;
const UNKNOWN = /planted\.ts:1 .* of unknown parts/;
const PLANTED = [
  [
    String.raw`const a = /\s*\((?:implicit|crafted)\)$/u;`,
    /planted\.ts:1 .* 2nd degree polynomial/,
  ],
  ["const a = /(?<!x.*)y/g;", /planted\.ts:1 .* behind at any length/],
  [String.raw`const a = /\)(?<=[*)]\)x{2,})y/;`, /planted\.ts:1 .* behind at any length/],
  // Put together: of a text, a sum, a list, and of what is not known.
  ...['"^(?:a+)+$", "u"', '"^(?:a+)" + `+$`', '["b", /(?:a+)+$/.source].join("|")'].map((parts) => [
    `new RegExp(${parts})`,
    EXPONENTIAL,
  ]),
  ["const g = (a: string) => RegExp(`^${a}$`);", UNKNOWN],
  // Excuses: without an expression or a number, and of two expressions.
  ["// Bounded: 9 characters.\nconst a = /^a$/;", /planted\.ts:1 no expression below/],
  ["// Bounded: it is short.\nconst a = / +$/;", /planted\.ts:2 .* polynomial/],
  ["// Bounded: 9 characters.\nconst a = / +$/, b = /^(?:a+)+$/;", EXPONENTIAL],
  // The other ways to an expression.
  ['new globalThis["RegExp"]("^(?:a+)+$")', EXPONENTIAL],
  ['/a/.constructor("^(?:a+)+$")', EXPONENTIAL],
  ['a.match("^(?:a+)+$")', EXPONENTIAL],
  ['const schema = { pattern: "^(?:a+)+$" };', EXPONENTIAL],
  ["const schema = { pattern: x };", UNKNOWN],
];
for (const [text, expected] of PLANTED)
  if (!expected.test(problemsIn("planted.ts", text).join("\n")))
    throw new Error(`a planted expression is not found: ${expected}`);
const sound = problemsIn(
  "planted.ts",
  '// Bounded: 9 characters.\nconst a = / +$/; a / b / c;\nnew RegExp(["^a"].join("|"), "u");' +
    "\n// Bounded: 9 words of ours.\nconst f = (a: string) => new RegExp(a);" +
    "\na.match(/b/); a.match(d); Option.match({ onNone });" +
    "\nconst e = ({ pattern = f() }) => pattern; class C { pattern: RegExp; } /a[(?<=*](?<=b)/;",
);
if (sound.length > 0) throw new Error(`a sound module is refused: ${sound.join("\n")}`);
const planted = faults.size;

const files = globSync("{packages,apps,support}/*/{console,src}/**/*.{ts,tsx,mjs}", { cwd: root });
if (files.length === 0) throw new Error("no module was found");
conclude(
  files.flatMap((file) => problemsIn(file, read(file))),
  `${files.length} modules, ${faults.size - planted} expressions: linear, or bounded`,
);
