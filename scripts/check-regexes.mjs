// Fails on a regular expression of sources and scripts that a text can make slow: more than linear in
// its length, by recheck, in the build of it that needs nothing but Node. One that is kept says so in
// a comment on the line above, `Bounded: REASON`, with the number that bounds it; a comment without
// such an expression is refused.
//
// An expression that is put together (`new RegExp(…)`, a text given to `match`, a `pattern` of a JSON
// Schema) is read where its parts are constants of its module: texts, templates, sums, lists that are
// joined. One with another part has to say why. `RegExp` is called by its name, and not handed on.
//
// It guards against mistakes. What hides a maker on purpose (`eval`, a method that is bound or taken out
// of an object) is for reviewers to find, as are `URLPattern` and the `pattern` of an input of HTML.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { programOf, walk } from "./syntax.mjs";

process.env.RECHECK_BACKEND = "pure";
const { checkSync } = await import("recheck");

const root = join(import.meta.dirname, "..");
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

/**
 * Whether an expression looks behind at any length, which it may do at every place. The automaton of the
 * search leaves out what is behind.
 */
const looksBehindAtLength = (pattern) => {
  const groups = [];
  let isInClass = false;
  for (const [token] of pattern.matchAll(/\\.|\(\?<[=!]|\{\d+,\}|[()*+[\]]/gs)) {
    if (token === "[" || token === "]") isInClass = token === "[";
    else if (isInClass || token.startsWith("\\")) continue;
    else if (token.startsWith("(")) groups.push(token !== "(");
    else if (token === ")") groups.pop();
    else if (groups.includes(true)) return true;
  }
  return false;
};

/** Why an expression is not linear; `undefined` if it is. */
const faultOf = (pattern, flags) => {
  if (looksBehindAtLength(pattern)) return "behind at any length";
  const { attack, checker, complexity, error, status } = checkSync(pattern, flags, { timeout });
  if (status === "safe") return undefined;
  if (status === "vulnerable" && checker === "fuzz" && isLinear(pattern, flags, attack))
    return undefined;
  return status === "vulnerable"
    ? `${complexity.summary}, by ${attack.pattern.slice(0, 100)}`
    : `not decided: ${error.kind}`;
};

/** Milliseconds for one of a script; it is refused if it is known to be exponential within them. */
const SCRIPT_TIMEOUT = 5_000;
const scriptFaultOf = (pattern, flags) => {
  const options = { checker: "automaton", timeout: SCRIPT_TIMEOUT };
  const { complexity, status } = checkSync(pattern, flags, options);
  return status === "vulnerable" && complexity.type === "exponential" ? "exponential" : undefined;
};

const isNode = (node) => node !== null && typeof node === "object";

/** What a name, key or text says. */
const wordOf = (node) => node?.name ?? node?.value;

const MAKER = /a/.constructor.name;
const MAKERS = new Set([MAKER, "constructor"]);
/** Methods that make an expression of a text. */
const TAKERS = new Set(["compile", "match", "matchAll", "search"]);

/** Joins texts; without a text where a part has none. */
const joined = (parts, separator) =>
  [separator, ...parts].includes(undefined) ? undefined : parts.join(separator);

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
      "",
    ),
  TaggedTemplateExpression: ({ quasi, tag }, text) => {
    if (tag.property?.name !== "raw") return undefined;
    const quasis = quasi.quasis.map(({ value }) => ({ value: { cooked: value.raw } }));
    return text({ ...quasi, quasis });
  },
  BinaryExpression: ({ left, operator, right }, text) =>
    operator === "+" ? joined([text(left), text(right)], "") : undefined,
  MemberExpression: ({ object, property }, text) =>
    property.name === "source" ? text(object) : undefined,
  CallExpression: ({ arguments: [given], callee }, text) => {
    if (isMaker(callee)) return text(given);
    return callee.property?.name === "join" && callee.object.type === "ArrayExpression"
      ? joined(callee.object.elements.map(text), given === undefined ? "," : text(given))
      : undefined;
  },
  NewExpression: ({ arguments: [given], callee }, text) =>
    isMaker(callee) ? text(given) : undefined,
  TSAsExpression: ({ expression }, text) => text(expression),
  ParenthesizedExpression: ({ expression }, text) => text(expression),
};

/** Whether a callee makes expressions: `RegExp`, also of an object; the constructor of another. */
const isMaker = (callee) => MAKERS.has(wordOf(callee?.property ?? callee));

/** Whether the maker has another name afterwards, or is called by others. */
const isHandedOn = (node, parent) =>
  wordOf(node.type === "MemberExpression" ? node.property : node) === MAKER &&
  // The whole `globalThis.RegExp` tells.
  parent.property !== node &&
  parent.callee !== node &&
  parent.type !== "TSTypeReference" &&
  !(parent.operator === "instanceof" && parent.right === node);

/** The texts that a call makes an expression of, with its flags. */
const madeBy = ({ arguments: given = [], callee }, constants) => {
  const [source, flags] = given;
  const origin = constants.get(source?.name) ?? source;
  // What is an expression already is checked as that.
  if (origin === undefined || isNode(origin.regex) || isMaker(origin.callee)) return [];
  if (isMaker(callee)) return [{ source, flags }];
  const isTaker = given.length === 1 && TAKERS.has(wordOf(callee?.property));
  return isTaker && source.type !== "ObjectExpression" ? [{ source }] : [];
};

/** The patterns of a JSON Schema: they are made expressions elsewhere, also by others. */
const patternsOf = ({ key, left, right, type, value }, parent, constants) => {
  const given = value ?? right;
  if (!/^(?:AssignmentE|Property)/.test(type) || parent.type === "ObjectPattern" || !given)
    return [];
  const name = wordOf(key ?? left.property);
  if (name === "pattern") return [given];
  if (name !== "patternProperties") return [];
  const { properties = [{}] } = constants.get(given.name) ?? given;
  return properties.map((each) =>
    each.computed ? each.key : { type: "Literal", value: wordOf(each.key) },
  );
};

/** The names that a declaration or a parameter gives, with what is taken apart and left over. */
const namesIn = (node) =>
  !isNode(node)
    ? []
    : node.type === "Identifier"
      ? [node.name]
      : [node.left, node.argument, node.parameter, node.value, node.elements, node.properties]
          .flat()
          .flatMap(namesIn);

/** The constants of a module by their names. A name that is given twice, as in two functions, tells nothing. */
const constantsOf = (program) => {
  const constants = new Map();
  const give = (node, value) => {
    for (const name of namesIn(node)) constants.set(name, constants.has(name) ? undefined : value);
  };
  walk(program, ({ declarations = [], kind, param, params, type }) => {
    for (const { id, init } of declarations)
      give(id, kind === "const" && id.type === "Identifier" ? init : undefined);
    if (!type.startsWith("TS")) give({ elements: [params, param].flat() });
  });
  return constants;
};

/** The expressions of a module, each with its line; without a pattern where it is not known. */
const expressionsIn = (file, text) => {
  const program = programOf(file, text);
  const constants = constantsOf(program);
  const found = [];
  walk(program, (node, parent) => {
    const line = text.slice(0, node.start).split("\n").length;
    if (isHandedOn(node, parent)) found.push({ isHanded: true, line });
    if (isNode(node.regex)) found.push({ ...node.regex, line });
    for (const { flags, source } of madeBy(node, constants)) {
      const known = flags === undefined ? "" : textOf(flags, constants);
      const pattern = known === undefined ? undefined : textOf(source, constants);
      found.push({ pattern, flags: known, line });
    }
    for (const each of patternsOf(node, parent, constants))
      found.push({ pattern: textOf(each, constants), flags: "u", line });
  });
  return found;
};

/** What the same expression came to elsewhere. */
const faults = new Map();

const problemsIn = (file, text) => {
  const lines = text.split("\n");
  const excused = new Set();
  const isScript = file.startsWith("scripts/");
  const judge = isScript ? scriptFaultOf : faultOf;
  const problems = expressionsIn(file, text).flatMap(({ flags, isHanded, line, pattern }) => {
    const key = pattern === undefined ? "an expression" : `/${pattern}/${flags}`;
    const known = `${isScript} ${key}`;
    if (pattern !== undefined && !faults.has(known)) faults.set(known, judge(pattern, flags));
    if (isScript && pattern === undefined && !isHanded) return [];
    const unknown = isHanded ? "by a handed-on maker" : "of unknown parts";
    const fault = pattern === undefined ? unknown : faults.get(known);
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
const HANDED = /planted\.ts:1 .* by a handed-on maker/;
const UNKNOWN = /planted\.ts:1 .* of unknown parts/;
const PLANTED = [
  [
    String.raw`const a = /\s*\((?:implicit|crafted)\)$/u;`,
    /planted\.ts:1 .* 2nd degree polynomial/,
  ],
  ["const a = /(?<!x.*)y/g;", /planted\.ts:1 .* behind at any length/],
  [String.raw`const a = /\)(?<=[*(]\(x{2,})y/;`, /planted\.ts:1 .* behind at any length/],
  // Put together: of a text, a template, a sum, a list, and of what is not known.
  ['new RegExp("^(?:a+)+$", "u")', EXPONENTIAL],
  ["const part = `a+`;\nf(RegExp(`^(?:${part})+$`));", EXPONENTIAL],
  [
    "const s = String.raw`\\s*`;new RegExp(s + String.raw`\\(x\\)$`, 'u')",
    /planted\.ts:1 .* polynomial/,
  ],
  ['new RegExp(["b", /(?:a+)+$/.source].join("|"))', /planted\.ts:1 \/b\|.* exponential/],
  ["const g = (a: string) => new RegExp(`^${a}$`);", UNKNOWN],
  ["const f = (a: string) => new RegExp([a].join(a));", UNKNOWN],
  ["const f = (a: string) => b.match(a);", UNKNOWN],
  ['new RegExp(a); const a = a + "x";', UNKNOWN],
  // A name that a function gives to what a stranger sent.
  ...["{ p }: X", "p = x", "...p", "[p]: X", "{ a: { b: p } }: X"].map((given) => [
    `const f = (${given}) => new RegExp(p); const p = /a/;`,
    UNKNOWN,
  ]),
  ["const f = () => { const [p] = x; return new RegExp(p); }; const p = /a/;", UNKNOWN],
  // Excuses: without an expression or a number, and of two expressions.
  ["// Bounded: 9 characters.\nconst a = /^a$/;", /planted\.ts:1 no expression below/],
  ["// Bounded: it is short.\nconst a = / +$/;", /planted\.ts:2 .* polynomial/],
  ["// Bounded: 9 characters.\nconst a = / +$/, b = /^(?:a+)+$/;", EXPONENTIAL],
  // The other ways to a maker, and to an expression without one.
  ['new globalThis["RegExp"]("^(?:a+)+$")', EXPONENTIAL],
  ['/a/.constructor("^(?:a+)+$")', EXPONENTIAL],
  ...["match", "matchAll", "search"].map((name) => [`a.${name}("^(?:a+)+$")`, EXPONENTIAL]),
  ["const { RegExp: R } = globalThis;", HANDED],
  ["const R = globalThis.RegExp;", HANDED],
  ['Reflect.construct(RegExp, ["^(?:a+)+$"]);', HANDED],
  // The patterns of a schema.
  ['const schema = { "pattern": "^(?:a+)+$" };', EXPONENTIAL],
  ['const pattern = "^(?:a+)+$";\nconst schema = { pattern };', EXPONENTIAL],
  ['schema.pattern = "^(?:a+)+$";', EXPONENTIAL],
  ['const P = { "^(?:a+)+$": {} }; const schema = { patternProperties: P };', EXPONENTIAL],
  ['const P = "^(?:a+)+$"; const schema = { patternProperties: { [P]: {} } };', EXPONENTIAL],
  ['import { p } from "./p"; const schema = { pattern: p };', UNKNOWN],
  ['const f = (p: string) => ({ pattern: p + "+$" });', UNKNOWN],
  ['const schema = { pattern: x ? "^(?:a+)+$" : "a" };', UNKNOWN],
  ["const schema = { patternProperties: { ...x } };", UNKNOWN],
];
for (const [text, expected] of PLANTED)
  if (!expected.test(problemsIn("planted.ts", text).join("\n")))
    throw new Error(`a planted expression is not found: ${expected}`);
const script = problemsIn("scripts/planted.mjs", "const a = /^(?:a+)+$/;\nconst b = RegExp;");
if (script.length !== 2) throw new Error(`a planted script is not refused: ${script.join()}`);
const sound = problemsIn(
  "planted.ts",
  '// Bounded: 9 characters.\nconst a = / +$/; a / b / c;\nconst d = "b";\nnew RegExp(`^a${d}`, "u");' +
    "\n// Bounded: 9 words of ours.\nconst f = (a: string) => new RegExp(a);" +
    "\na.match(/b/); a.match(d); Option.match({ onNone }); const g = (b: RegExp) => b instanceof RegExp;" +
    "\nconst e = ({ pattern = f() }) => pattern; class C { pattern: RegExp; } /a[(?<=*]*(?<=b)/;",
);
if (sound.length > 0) throw new Error(`a sound module is refused: ${sound.join("\n")}`);
const planted = faults.size;

const READ = ["scripts/**/*.mjs", "{packages,apps,support}/*/{console,src}/**/*.{ts,tsx,mjs}"];
const files = globSync(READ, { cwd: root }).toSorted();
const problems = files.flatMap((file) => problemsIn(file, readFileSync(join(root, file), "utf8")));
if (problems.length > 0 || files.length === 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${files.length} modules, ${faults.size - planted} expressions: linear, or bounded`);
