// Writes docs/errors.md and the head of each page in docs/errors/ from the error classes: what
// happened and what to do (the doc comment), whether the same call may succeed later, and the exit
// code of `gamedata`. What stands below "## Causes" is written by hand and kept.
//
// With --check it only compares. Fails on a tag of two classes, a class without "What to do", a tag
// without a page of causes, and a page without a tag.
import { existsSync, globSync } from "node:fs";
import { basename, join } from "node:path";
import { EXIT_CODES } from "../apps/cli/src/failures.ts";
import { conclude, put, read, readJson, root, table } from "./repository.mjs";

const problems = [];
/** Words that a service sends, with the errors that they become. */
const wireWords = readJson("docs/wire-words.json");
const exitCodes = Object.fromEntries(
  Object.entries(EXIT_CODES).flatMap(([exit, tags]) => tags.split(/\s+/).map((tag) => [tag, exit])),
);

const CLASS =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?export class (\w+)\s+extends\s+(?:\/\*#__PURE__\*\/\s*)?(?:Data\.TaggedError|taggedFailure|failure|PlainFailure|SandboxFailure|Error)\b([\s\S]*?)(?=\n\/\*\*|\nexport |$)/g;
const ADVICE = "What to do: ";

const paragraphs = (comment) =>
  comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, ""))
    .join("\n")
    .replaceAll(/```[\s\S]*?```/g, "")
    .split(/\n\s*\n/)
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .filter((text) => text !== "" && !text.startsWith("@"));

/** An error class. One of oauth-pkce has the advice in its third argument: `failure(tag, text, advice)`. */
const errorOf = (file, [, comment = "", tag, body]) => {
  const text = paragraphs(comment);
  const [, name, literal] = /^\(\s*"\w+",\s*"[^"]*",\s*(?:(\w+)|"([^"]*)")/.exec(body) ?? [];
  const advice = literal ?? new RegExp(`const ${name} = "([^"]*)"`).exec(read(file))?.[1];
  const action =
    text.findLast((one) => one.startsWith(ADVICE))?.slice(ADVICE.length) ??
    (advice && `${advice}.`);
  const retry =
    /get isRetryable\(\)[^{]*\{\s*return ([^;]+);/.exec(body)?.[1] ??
    /^\([^)]*,\s*(true),?\s*\)/.exec(body)?.[1] ??
    "false";
  if (text.length === 0 || action === undefined)
    problems.push(`${file}: the comment of ${tag} does not say what happened and what to do`);
  return {
    name: file.split("/")[1],
    tag,
    meaning: text.filter((one) => !one.startsWith(ADVICE)),
    action: action?.replace(/^./, (first) => first.toUpperCase()) ?? "",
    retry: { true: "yes", false: "no" }[retry] ?? "depends",
    exit: exitCodes[tag] ?? "–",
  };
};

// `create` is a program: nobody catches its errors.
const errors = globSync("packages/*/src/**/*.ts", { cwd: root, exclude: ["packages/create/**"] })
  .filter((file) => !/\/internal\/|sandbox\/src\/(?:http|oauth)\//.test(file))
  .toSorted()
  .flatMap((file) => [...read(file).matchAll(CLASS)].map((match) => errorOf(file, match)));
for (const [tag, classes] of Map.groupBy(errors, (error) => error.tag))
  if (classes.length > 1)
    problems.push(`${tag} is a class of ${classes.map(({ name }) => name).join(" and ")}`);

const written = new Set();
const write = (file, text) => {
  written.add(file);
  problems.push(...put(file, text, "pnpm errors"));
};

const pageLinks = (names) => names.map((name) => `[\`${name}\`](${name}.md)`).join(", ");

const CAUSES = "\n## Causes\n";
/** The head of a page, and its causes as they stand. */
const pageOf = ({ action, exit, meaning, name, retry, tag }) => {
  const file = `docs/errors/${tag}.md`;
  const before = existsSync(join(root, file)) ? read(file) : "";
  const at = before.indexOf(CAUSES);
  const causes = at === -1 ? CAUSES : before.slice(at);
  if (!/^\| (?!cause|---)/m.test(causes))
    problems.push(`${file} names no cause: write what leads to ${tag}`);
  const words = Object.keys(wireWords).filter((word) => wireWords[word].tags.includes(tag));
  const facts = [
    `- **What to do:** ${action}`,
    `- **May the same call succeed later?** ${retry}`,
    `- **Package:** [\`@game-data/${name}\`](../../packages/${name}/README.md)`,
    ...(words.length === 0 ? [] : [`- **On the wire:** ${pageLinks(words)}`]),
    ...(exit === "–" ? [] : [`- **\`gamedata\`:** exit code ${exit}`]),
  ];
  write(file, `# ${tag}\n\n${meaning.join("\n\n")}\n\n${facts.join("\n")}\n${causes}`);
};

errors.forEach(pageOf);
for (const [word, { meaning, tags }] of Object.entries(wireWords)) {
  const leads = tags.length === 0 ? "It is no error." : `It becomes ${pageLinks(tags)}.`;
  write(`docs/errors/${word}.md`, `# ${word}\n\n${meaning} ${leads}\n`);
}

const linkTo = (page) => `[\`${page}\`](errors/${page}.md)`;
const HEADER = ["error", "what happened", "retry", "exit code of `gamedata`"];
const sections = Array.from(new Set(errors.map((error) => error.name)), (name) => {
  const rows = errors
    .filter((error) => error.name === name)
    .map(({ exit, meaning, retry, tag }) => [linkTo(tag), meaning[0] ?? "", retry, exit]);
  return `## ${name}\n\n${table(HEADER, rows)}\n`;
});
const wordRows = Object.entries(wireWords).map(([word, { meaning }]) => [linkTo(word), meaning]);
write(
  "docs/errors.md",
  `# Errors

Every error that the packages fail with, by its \`_tag\`. A tag belongs to one class in all of them, and has a page with its causes,
how to see each and what mends it; \`error.help\` is that page's address. Every error has \`isRetryable\`, whether the same call may succeed
later; those that know a time have \`retryAfter\`, a duration from the moment of the failure. None holds a token, a code or a secret, so
all of them may be logged; \`cause\` is kept for debuggers and never serialised. Made by \`pnpm errors\` from the sources; do not edit.

${sections.join("\n")}
## Words on the wire

What a service sends, and the errors that it becomes.

${table(["word", "meaning"], wordRows)}
`,
);
for (const file of globSync("docs/errors/*.md", { cwd: root }))
  if (!written.has(file)) problems.push(`${file} is the page of no error: ${basename(file)}`);

conclude(problems, `${errors.length} errors, each with a page`);
