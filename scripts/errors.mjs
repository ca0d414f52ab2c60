// Compares docs/errors.md and docs/errors/PACKAGE.md with the error classes: each class has a section
// with causes, each section has a class, and no two classes share a tag, because `help` and users
// identify an error by it.
import { globSync } from "node:fs";
import { conclude, read, root } from "./repository.mjs";

const problems = [];

const CLASS =
  /export class (\w+)\s+extends\s+(?:(?:Data|Schema)\.Tagged\w+|taggedFailures?|failure|PlainFailure|SandboxFailure|\w*Error)\b/g;
// Nobody catches the errors of programs.
const errors = globSync("packages/*/src/**/*.ts", { cwd: root, exclude: ["packages/create/**"] })
  .filter((file) => !/\/internal\/|commandLine|sandbox\/src\/(?:http|oauth)\//.test(file))
  .flatMap((file) =>
    [...read(file).matchAll(CLASS)].map(([, tag]) => ({ name: file.split("/")[1], tag })),
  );

/** The sections of a package's page: tag → text. */
const sectionsOf = (name) =>
  new Map(
    read(`docs/errors/${name}.md`)
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf("\n")), section]),
  );

const index = read("docs/errors.md");
for (const [name, classes] of Map.groupBy(errors, (error) => error.name)) {
  const sections = sectionsOf(name);
  const page = `docs/errors/${name}.md`;
  for (const { tag } of classes) {
    const section = sections.get(tag);
    if (errors.filter((error) => error.tag === tag).length > 1)
      problems.push(`${tag} is the tag of two classes`);
    if (section === undefined) problems.push(`${page} has no section ${tag}`);
    else if (!/^- \*\*/m.test(section)) problems.push(`${page}: ${tag} has no cause`);
    if (!index.includes(`errors/${name}.md#${tag.toLowerCase()}`))
      problems.push(`docs/errors.md does not list ${tag}`);
  }
  for (const tag of sections.keys())
    if (!classes.some((error) => error.tag === tag)) problems.push(`${page}: no class ${tag}`);
}

for (const page of globSync("docs/errors/*.md", { cwd: root }))
  if (!errors.some(({ name }) => page.endsWith(`/${name}.md`)))
    problems.push(`${page}: its package has no errors`);
conclude(problems, `${errors.length} errors, each with its causes`);
