// Writes docs/errors.md from the error classes of the packages: what happened and what to do (from
// the doc comment), whether the same call may succeed later, and the exit code of `gamedata`.
// With --check it only compares. Fails on a tag that two classes share, on a class without "What to
// do", and on one that is not in an entry's reach.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const target = join(root, "docs/errors.md");
const CLASS =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export class (\w+)\s+extends\s+(?:\/\*#__PURE__\*\/\s*)?(Data\.TaggedError|Data\.Error|tagged|failure|Error)\b([\s\S]*?)(?=\n\/\*\*|\nexport |$)/g;

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

const read = (file) => readFileSync(join(root, file), "utf8");
const problems = [];
const errors = [];
for (const file of globSync("packages/*/src/**/*.ts", { cwd: root }).toSorted()) {
  const [, name] = file.split("/");
  for (const [, comment, tag, base, body] of read(file).matchAll(CLASS)) {
    if (file.includes("/internal/") || (name === "sandbox" && file.includes("/oauth/"))) continue;
    const text = paragraphs(comment);
    const advice =
      base === "tagged"
        ? /^\(\s*"(?:[^"\\]|\\.)*",\s*"(?:[^"\\]|\\.)*",\s*"((?:[^"\\]|\\.)*)"/.exec(body)?.[1]
        : undefined;
    const action =
      text.findLast((one) => one.startsWith(ADVICE))?.slice(ADVICE.length) ??
      (advice && `${advice}.`);
    const retry =
      /get isRetryable\(\)[^{]*\{\s*return ([^;]+);/.exec(body)?.[1] ??
      (base === "failure" ? /^\("\w+", (true)\)/.exec(body)?.[1] : undefined);
    if (action === undefined) problems.push(`${file}: ${tag} does not say what to do`);
    errors.push({
      name,
      tag,
      meaning: text.find((one) => !one.startsWith(ADVICE)) ?? "",
      action: action?.replace(/^./, (first) => first.toUpperCase()) ?? "",
      retry: retry === "true" ? "yes" : retry === undefined || retry === "false" ? "no" : "depends",
    });
  }
}
const byTag = Map.groupBy(errors, ({ tag }) => tag);
for (const [tag, classes] of byTag)
  if (classes.length > 1)
    problems.push(`${tag} is a class of ${classes.map(({ name }) => name).join(" and ")}`);

/** tag → failure code of the terminal programs, from the tables that map them. */
const { failureCodes } = await import(join(root, "support/terminal/src/failureCodes.ts"));
const codes = new Map(
  [...read("support/terminal/src/toFailure.ts").matchAll(/^ {2}(\w+): "([a-z-]+)",$/gm)].map(
    ([, tag, code]) => [tag, code],
  ),
);

const cell = (text) => text.replaceAll("|", "\\|");
const row = ({ tag, meaning, action, retry }) => {
  const code = codes.get(tag);
  const exit = code === undefined ? "" : `${failureCodes[code].exitCode} \`${code}\``;
  return `| \`${tag}\` | ${cell(meaning)} | ${cell(action)} | ${retry} | ${exit} |`;
};
const ORDER = [
  "tree-link",
  "schemas",
  "contract",
  "oauth-pkce",
  "rate-limit",
  "api-client",
  "stream-follower",
  "sandbox",
];
const sections = ORDER.filter((name) => errors.some((error) => error.name === name)).map((name) =>
  [
    `## ${name}`,
    "",
    "| error | what happened | what to do | retry | exit code of `gamedata` |",
    "| --- | --- | --- | --- | --- |",
    ...errors.filter((error) => error.name === name).map(row),
    "",
  ].join("\n"),
);
const codeRows = Object.entries(failureCodes).map(
  ([code, { exitCode, meaning, next }]) =>
    `| \`${code}\` | ${exitCode} | ${cell(meaning)} | ${cell(next ?? "")} |`,
);
const text = `# Errors

Every error that the packages fail with, by its \`_tag\`. A tag belongs to one class in all of them. Every error has \`isRetryable\`,
whether the same call may succeed later; those that know a time have \`retryAfter\`, a duration from the moment of the failure. None
holds a token, a code or a secret, so all of them may be logged; \`cause\` is kept for debuggers and never serialised. Made by
\`pnpm errors\` from the sources; do not edit.

${sections.join("\n")}
## Failures of \`gamedata\`

What a command prints as \`code\`, and what it exits with. \`gamedata explain CODE\` says the same.

| code | exit code | what it means | what to do |
| --- | --- | --- | --- |
${codeRows.join("\n")}
`;

if (errors.length === 0) problems.push("no error class was found");
if (process.argv.includes("--check")) {
  if (read("docs/errors.md") !== text) problems.push("docs/errors.md is stale: run `pnpm errors`");
} else writeFileSync(target, text);
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${errors.length} errors, each with one class and an advice`);
