// Fills src/content/docs, which is not committed, from the Markdown of the repository: the title moves into the
// front matter, and links between files become links between pages or to the repository. Pages that are made from data:
// tasks (docs/examples) and operations (the OpenAPI document).
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { BASE, packages, REPOSITORY, root } from "./entries.mjs";

const site = join(import.meta.dirname, "..");
const out = join(site, "src/content/docs");
const generated = join(site, "src/generated");
const read = (file) => readFileSync(join(root, file), "utf8");

/** Source file, from the root → the page's slug. */
const slugs = new Map([
  ["docs/guides/README.md", "guides/index"],
  ...globSync("docs/guides/*.md", { cwd: root })
    .filter((file) => basename(file) !== "README.md")
    .map((file) => [file, `guides/${basename(file, ".md")}`]),
  ["docs/operate.md", "guides/operate"],
  ...packages.map((name) => [`packages/${name}/README.md`, `packages/${name}`]),
  ...globSync("apps/*/README.md", { cwd: root }).map((file) => [
    file,
    `apps/${file.split("/")[1]}`,
  ]),
  ["docs/errors.md", "errors/index"],
  ...globSync("docs/errors/*.md", { cwd: root }).map((file) => [
    file,
    `errors/${basename(file, ".md")}`,
  ]),
  ["docs/oauth-server.md", "reference/oauth-server"],
  ["docs/item.md", "reference/item"],
  ...["architecture", "decisions", "choices", "fidelity", "benchmarks", "versions"].map((name) => [
    `docs/${name}.md`,
    `project/${name}`,
  ]),
  ["CONTRIBUTING.md", "project/contributing"],
  ["SECURITY.md", "project/security"],
]);
const addressOf = (slug) =>
  `${BASE}/${slug.replace(/(^|\/)index$/, "$1").replace(/([^/])$/, "$1/")}`;

/** The target of a link of `file`, as the page needs it. */
const linkTarget = (file, target) => {
  const published = `https://game-data.github.io${BASE}/`;
  if (target.startsWith(published)) return target.replace("https://game-data.github.io", "");
  if (/^([a-z]+:|#|\/)/.test(target)) return target;
  const [path, fragment] = target.split("#");
  const to = normalize(join(dirname(file), path)).replace(/\/$/, "");
  const hash = fragment === undefined ? "" : `#${fragment}`;
  if (to.endsWith(".svg")) return `${BASE}/${basename(to)}`;
  if (to === "docs/examples") return `${BASE}/tasks/`;
  const task = /^docs\/examples\/([\w-]+)(\/README\.md)?$/.exec(to)?.[1];
  if (task !== undefined) return `${addressOf(taskSlug(task))}${hash}`;
  const slug = slugs.get(to) ?? slugs.get(`${to}/README.md`);
  return `${slug === undefined ? `${REPOSITORY}/${to}` : addressOf(slug)}${hash}`;
};
const FENCE = /(^```[\s\S]*?^```$)/gm;
const convert = (file, text) =>
  text
    .split(FENCE)
    .map((part, i) =>
      i % 2 === 1
        ? part.replace(/^```ts no-run$/m, "```ts")
        : part.replaceAll(
            /(\]\()([^)\s]+)(\))/g,
            (_, open, target, close) => open + linkTarget(file, target) + close,
          ),
    )
    .join("");

const write = (path, frontMatter, body) => {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  const lines = Object.entries(frontMatter).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}`,
  );
  writeFileSync(join(out, path), `---\n${lines.join("\n")}\n---\n\n${body}`);
};
const titleOf = (text) => /^# (.+)$/m.exec(text)[1].replaceAll("`", "");
const editUrl = (file) => `${REPOSITORY.replace("/blob/", "/edit/")}/${file}`;

/** "index" is the address of the list of tasks. */
const taskSlug = (name) => `tasks/${name === "index" ? "stash-index" : name}`;

/** A task: how to start it, its program beside its output, its test, and mistakes. */
const writeTask = (name, order) => {
  const file = `docs/examples/${name}/README.md`;
  const text = read(file);
  const source = (path) => read(`docs/examples/${name}/${path}`).trimEnd();
  const [outputSection, output] = /## Output\n\n```text\n([\s\S]*?)\n```\n/.exec(text);
  const intro = convert(file, text.slice(text.indexOf("\n"), text.indexOf(outputSection))).trim();
  const rest = convert(file, text.slice(text.indexOf(outputSection) + outputSection.length)).trim();
  const program = { name, source: source("src/main.ts"), output };
  const start = `npm create @game-data my-${name} -- --template ${name}\ncd my-${name}\nnpm install\nnpm run dev`;
  write(
    `${taskSlug(name)}.mdx`,
    { title: titleOf(text), sidebar: { order: order + 1 }, editUrl: editUrl(file) },
    `import Example from "../../../components/Example.astro";
export const program = ${JSON.stringify(program)};

${intro}

## Start

\`\`\`sh
${start}
\`\`\`

With pnpm, yarn or bun, replace \`npm\` by its name and leave out the first \`--\`.

## The program

<Example {...program} title="src/main.ts" />

## Its test

\`\`\`ts title="test/main.test.ts"
${source("test/main.test.ts")}
\`\`\`

${rest}
`,
  );
  return {
    name,
    title: titleOf(text),
    slug: taskSlug(name),
    about: intro.split(/(?<=\.)\s/)[0].replaceAll("\n", " "),
  };
};

const scopesOf = ({ security = [] }) =>
  [...new Set(security.flatMap((one) => Object.values(one).flat()))]
    .map((scope) => `\`${scope}\``)
    .join(", ");

/** The operations of the OpenAPI document, a table for each tag. */
const operations = () => {
  const { paths } = JSON.parse(read("packages/contract/openapi.json"));
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => operationId !== undefined)
      .map(([method, operation]) => ({
        tag: operation.tags?.[0] ?? "other",
        row: `| \`${operation.operationId}\` | \`${method.toUpperCase()} ${path}\` | ${scopesOf(operation)} | ${(operation.summary ?? "").replaceAll("|", "\\|")} |`,
      })),
  );
  return [...Map.groupBy(rows, ({ tag }) => tag)]
    .map(
      ([tag, list]) =>
        `## ${tag}\n\n| operation | request | scopes | result |\n| --- | --- | --- | --- |\n${list.map(({ row }) => row).join("\n")}\n`,
    )
    .join("\n");
};

for (const folder of [out, generated]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
cpSync(join(site, "pages"), out, { recursive: true });
mkdirSync(join(site, "public"), { recursive: true });
cpSync(join(root, "support/pages/mark.svg"), join(site, "public/favicon.svg"));
cpSync(join(root, "docs/packages.svg"), join(site, "public/packages.svg"));

for (const [file, slug] of slugs) {
  if (!existsSync(join(root, file))) continue;
  const text = read(file);
  write(
    `${slug}.md`,
    { title: titleOf(text), editUrl: editUrl(file) },
    convert(file, text.replace(/^# .+\n/m, "")),
  );
}

const tasks = ["terminal", "web", "test", "index", "tree-link", "axios", "words", "errors"].map(
  writeTask,
);
write(
  "tasks/index.md",
  { title: "Get started with a task", sidebar: { order: 0, label: "All tasks" } },
  `Eight complete programs, each with its test. They run against [the sandbox](${BASE}/packages/sandbox/), so you need no registration to begin.\n\n${tasks
    .map(({ about, slug, title }) => `- [${title}](${addressOf(slug)}): ${about}`)
    .join("\n")}\n`,
);
write(
  "reference/operations.md",
  { title: "Operations" },
  `Every operation of the OAuth server and the data API, from [the OpenAPI document](${REPOSITORY}/packages/contract/openapi.json).\n\n${operations()}`,
);

const readme = read("README.md");
const section = (text, heading) =>
  text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
const packageTables = section(readme, "Packages").slice("Packages\n".length);
write(
  "packages/index.md",
  { title: "Packages", editUrl: editUrl("README.md") },
  `Each package works alone. Arrows point to what a package imports.\n\n![Packages and their imports](${BASE}/packages.svg)\n${convert("README.md", packageTables)}`,
);

// The home page shows the program of the README with its output, and the first figures of the benchmarks.
const figures = Array.from(
  section(read("docs/benchmarks.md"), "In short").matchAll(/^\| (?!-|figure)(.+?) +\| (.+?) +\|/gm),
  ([, about, ratio]) => ({ about, ratio }),
);
const [, home] = /^```ts\n([\s\S]*?)^```$/m.exec(readme);
const [, output] = /^```text\n([\s\S]*?)\n```$/m.exec(readme);
writeFileSync(join(generated, "home.ts"), `${home}export {};\n`);
/** The program in lines of `printWidth` columns. */
const formatted = (printWidth) => {
  writeFileSync(join(generated, "lines.ts"), home);
  writeFileSync(join(generated, "oxfmt.json"), JSON.stringify({ printWidth }));
  const oxfmt = join(root, "node_modules/.bin/oxfmt");
  execFileSync(oxfmt, ["-c", "oxfmt.json", "lines.ts"], { cwd: generated });
  return readFileSync(join(generated, "lines.ts"), "utf8");
};
// A phone shows 42 columns, a laptop 70 beside the text.
const narrow = formatted(42).replaceAll(/import \{ (\w+) \} from/g, "import {\n  $1,\n} from");
writeFileSync(
  join(generated, "site.json"),
  JSON.stringify({ figures, home: formatted(70), narrow, output, tasks }),
);
