// Fills src/content/docs, which is not committed: one page per task (docs/examples), guides and pages
// of docs/, one page per error, the READMEs of the packages, tables made from data (operations), and
// the reference that typedoc makes of every entry. Writes llms.txt and llms-full.txt, too. Each page keeps its source's text; only the title moves into the front matter, and links
// between files of the repository become links between pages, or to the repository.
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
import { basename, dirname, join, normalize, relative } from "node:path";
import { layoutDiagram } from "./diagram.mjs";

const site = join(import.meta.dirname, "..");
const docs = join(site, "..");
const root = join(docs, "..");
const out = join(site, "src/content/docs");
const images = join(site, "public/images");
const ORIGIN = "https://game-data.github.io";
const BASE = "/game-data";
const SITE = `${ORIGIN}${BASE}/`;
const REPOSITORY = "https://github.com/game-data/game-data/blob/main";

/** Source file, from the root → address of its page. */
const pages = new Map();
const titleOf = (text, file) =>
  /^# (.+)$/m.exec(text)?.[1].replaceAll("`", "") ?? basename(file, ".md");

const plan = (file, slug, order, label) => pages.set(file, { slug, order, label });
for (const file of globSync("docs/guides/*.md", { cwd: root }).toSorted())
  plan(file, `guides/${basename(file, ".md").toLowerCase()}`);
const PACKAGES = [
  "schemas",
  "contract",
  "tree-link",
  "oauth-pkce",
  "rate-limit",
  "api-client",
  "stream-follower",
  "sandbox",
  "create",
];
PACKAGES.forEach((name, i) => {
  plan(`packages/${name}/README.md`, `packages/${name}`, i, name);
  if (existsSync(join(root, `docs/errors/${name}.md`)))
    plan(`docs/errors/${name}.md`, `errors/${name}`, i + 1, name);
});
["cli", "stash-index", "tree-inspector", "tour"].forEach((name, i) =>
  plan(`apps/${name}/README.md`, `tools/${name}`, i, name),
);
plan("docs/errors.md", "errors/index", 0, "All errors");
plan("docs/oauth-server.md", "api/oauth-server", 2);
plan("docs/item.md", "api/item", 3);
plan("docs/follower-states.md", "api/follower-states", 4);
plan("docs/architecture.md", "project/architecture", 1);
plan("docs/decisions.md", "project/decisions", 1);
plan("docs/choices.md", "project/choices", 2);
plan("docs/fidelity.md", "project/fidelity", 3);
plan("docs/benchmarks.md", "project/benchmarks", 4);
plan("docs/versions.md", "project/versions", 6);
plan("docs/operate.md", "guides/operate");
plan("SECURITY.md", "project/security", 7);
plan("CONTRIBUTING.md", "project/contributing", 8);

const addressOf = (slug) =>
  `${BASE}/${slug.replace(/(^|\/)index$/, "$1").replace(/([^/])$/, "$1/")}`;

/** A link of `file`, as the page needs it. Pictures are copied. */
const rewrite = (file, target) => {
  if (target.startsWith(SITE)) return target.slice(ORIGIN.length);
  if (/^([a-z]+:|#|\/)/.test(target)) return target;
  const [path, fragment] = target.split("#");
  const to = normalize(join(dirname(file), path)).replace(/\/$/, "");
  if (to.endsWith(".svg")) {
    mkdirSync(images, { recursive: true });
    cpSync(join(root, to), join(images, basename(to)));
    return `${BASE}/images/${basename(to)}`;
  }
  const page = pages.get(to) ?? pages.get(`${to}/README.md`);
  if (page !== undefined)
    return `${addressOf(page.slug)}${fragment === undefined ? "" : `#${fragment}`}`;
  return `${REPOSITORY}/${to}${fragment === undefined ? "" : `#${fragment}`}`;
};

const FENCE = /(^```[\s\S]*?^```$)/gm;
const relink = (file, text) =>
  text
    .split(FENCE)
    .map((part, i) =>
      i % 2 === 1
        ? part.replace(/^```ts no-run$/m, "```ts")
        : part.replaceAll(
            /(\]\()([^)\s]+)(\))/g,
            (_, open, target, close) => open + rewrite(file, target) + close,
          ),
    )
    .join("");

/** What is read by models and by the pages: address, title and Markdown of each page. */
const written = [];

const write = (slug, { title, order, label, body, extra = "", kind = "md" }) => {
  written.push({ slug, title, body });
  const sidebar = [
    label && `  label: ${JSON.stringify(label)}`,
    order !== undefined && `  order: ${order}`,
  ].filter(Boolean);
  const path = join(out, `${slug}.${kind}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `---\ntitle: ${JSON.stringify(title)}\n${sidebar.length > 0 ? `sidebar:\n${sidebar.join("\n")}\n` : ""}${extra}---\n\n${body}`,
  );
};

const generated = join(site, "src/generated");
rmSync(generated, { recursive: true, force: true });
mkdirSync(generated, { recursive: true });
rmSync(out, { recursive: true, force: true });
rmSync(images, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
mkdirSync(join(site, "public"), { recursive: true });
cpSync(join(site, "pages"), out, { recursive: true });

const diagram = await layoutDiagram();
for (const [file, { slug, order, label }] of pages) {
  if (!existsSync(join(root, file))) continue;
  const text = readFileSync(join(root, file), "utf8")
    .replace("<!-- diagram: layout -->", `<figure>${diagram}</figure>`)
    .replace(/ Made by `pnpm [^`]+` from the sources; do not edit\./, "");
  write(slug, {
    title: titleOf(text, file),
    order,
    label,
    body: relink(file, text.replace(/^# .+\n/m, "")),
    extra: `editUrl: ${REPOSITORY.replace("/blob/", "/edit/")}/${file}\n`,
  });
}

/** One page per task: start, program beside its output, test, mistakes. */
const TASKS = ["terminal", "web", "test", "index", "tree-link", "axios", "words", "errors"];
const outputOf = (text) => /## Output\n\n```text\n([\s\S]*?)\n```\n/.exec(text);
const tasks = TASKS.map((name, order) => {
  const file = `docs/examples/${name}/README.md`;
  // "index" is the list of all tasks.
  const slug = name === "index" ? "stash-index" : name;
  const text = readFileSync(join(root, file), "utf8");
  const read = (path) => readFileSync(join(docs, "examples", name, path), "utf8").trimEnd();
  const { dependencies, devDependencies, scripts } = JSON.parse(read("package.json"));
  const lines = [
    Object.keys(dependencies).join(" "),
    `-D ${Object.keys(devDependencies).join(" ")}`,
  ].map((words) => `npm install ${words}`);
  // Programs of packages are found by npx, Node by the shell.
  lines.push(scripts.dev.startsWith("node ") ? scripts.dev : `npx ${scripts.dev}`);
  const title = titleOf(text, file);
  const output = outputOf(text);
  const intro = relink(file, text.slice(text.indexOf("\n") + 1, output.index)).trim();
  const rest = relink(file, text.slice(output.index + output[0].length)).trim();
  const program = { name, source: read("src/main.ts"), output: output[1] };
  const body = `import Example from "${relative(join(out, "tasks"), join(site, "src/components/Example.astro"))}";
export const program = ${JSON.stringify(program)};

${intro}

## Start

\`\`\`sh
npm create @game-data my-${name} -- --template ${name}
cd my-${name}
npm install
npm run dev
\`\`\`

With pnpm, yarn or bun put its name in the place of \`npm\`; npm alone needs the \`--\`.

In a project of your own (Node 22.19 or newer, \`"type": "module"\` in \`package.json\`), with the program in \`src/main.ts\`:

\`\`\`sh
${lines.join("\n")}
\`\`\`

\`npx tsc\` checks its types with this \`tsconfig.json\`:

\`\`\`json
${readFileSync(join(docs, "examples/tsconfig.json"), "utf8").trimEnd()}
\`\`\`

## The program

<Example {...program} title="src/main.ts" />

## Its test

\`\`\`ts title="test/main.test.ts"
${read("test/main.test.ts")}
\`\`\`

${rest}
`;
  write(`tasks/${slug}`, {
    title,
    order: order + 1,
    body,
    kind: "mdx",
    extra: `editUrl: ${REPOSITORY.replace("/blob/", "/edit/")}/${file}\n`,
  });
  // For readers without the component.
  const plain = `\`\`\`ts\n${program.source}\n\`\`\``;
  written.at(-1).body = body
    .replace(/^import[\s\S]*?\n\n/, "")
    .replace(/<Example .*\/>/, () => plain);
  const count = program.source.split("\n").filter((line) => line.trim() !== "").length;
  return { slug, title, lines: count, about: intro.split(/(?<=\.)\s/)[0].replaceAll("\n", " ") };
});

const tableOf = (rows) => `| task | program |\n| --- | --- |\n${rows.join("\n")}\n`;
write("tasks/index", {
  title: "Tasks: getting started",
  order: 0,
  label: "All tasks",
  body: `Getting started: pick the task that is nearest to yours; its page says what to install and how to start.\n\nEight complete programs, each with its test. They run against [the sandbox](${BASE}/packages/sandbox/), so you need no registration to begin.\n\n${tableOf(
    tasks.map(
      ({ about, lines, slug, title }) =>
        `| [${title}](${BASE}/tasks/${slug}/): ${about} | ${lines} lines |`,
    ),
  )}`,
});
const indexOf = (folder, title, about) => {
  const rows = [...pages]
    .filter(([file, { slug }]) => slug.startsWith(`${folder}/`) && existsSync(join(root, file)))
    .map(([file, { slug, label }]) => {
      const [, , first = ""] = readFileSync(join(root, file), "utf8")
        .split("\n\n", 3)
        .map((part) => part.replaceAll("\n", " "))
        .toSpliced(1, 0, "");
      return `| [${label}](${addressOf(slug)}) | ${relink(file, first).replaceAll("|", "\\|")} |`;
    });
  write(`${folder}/index`, {
    title,
    order: -1,
    label: `All ${title.toLowerCase()}`,
    body: `${about}\n\n| name | what it is |\n| --- | --- |\n${rows.join("\n")}\n`,
  });
};
indexOf("packages", "Packages", "Each package works alone.");
indexOf("tools", "Tools", "Programs that are built from the packages.");

// The first screen: the program of the README, and the tasks.
const readme = readFileSync(join(root, "README.md"), "utf8");
const [, home] = /^```ts\n([\s\S]*?)^```$/m.exec(readme);
writeFileSync(join(generated, "home.ts"), `${home}export {};\n`);
const [, output] = /^```text\n([\s\S]*?)\n```$/m.exec(readme);
writeFileSync(join(generated, "site.json"), JSON.stringify({ home, output, tasks }));

const cell = (text = "") => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const scopes = ({ security = [] }) =>
  [...new Set(security.flatMap((one) => Object.values(one).flat()))]
    .map((name) => `\`${name}\``)
    .join(", ");

/** The operations, from the OpenAPI document. */
const operations = () => {
  const { paths } = JSON.parse(
    readFileSync(join(docs, "../packages/contract/openapi.json"), "utf8"),
  );
  const groups = Map.groupBy(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
        .map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
    ),
    ({ tags }) => tags?.[0] ?? "other",
  );
  return [...groups]
    .map(([tag, list]) =>
      [
        `## ${tag}`,
        "",
        "| operation | request | scopes | what it answers |",
        "| --- | --- | --- | --- |",
        ...list.map(
          (one) =>
            `| \`${one.operationId}\` | \`${one.method} ${one.path}\` | ${scopes(one)} | ${cell(one.summary ?? one.description)} |`,
        ),
        "",
      ].join("\n"),
    )
    .join("\n");
};
write("api/operations", {
  title: "Operations",
  order: 1,
  body: `Every operation of the OAuth server and the data API, made from [the OpenAPI document](${REPOSITORY}/packages/contract/openapi.json).\n\n${operations()}`,
});

/** The reference: one page an entry. */
const reference = () => {
  const temporary = join(site, "node_modules/.cache/typedoc");
  rmSync(temporary, { recursive: true, force: true });
  const entries = PACKAGES.flatMap((name) => {
    const manifest = join(root, "packages", name, "package.json");
    if (!existsSync(manifest)) return [];
    return Object.entries(JSON.parse(readFileSync(manifest, "utf8")).exports)
      .filter(
        ([path, target]) =>
          typeof target === "string" &&
          target.endsWith(".ts") &&
          !path.includes("*") &&
          !/worker/i.test(path),
      )
      .map(([path, target]) => ({
        name: `${name}${path.slice(1)}`,
        file: join(root, "packages", name, target),
      }));
  });
  const config = join(site, "node_modules/.cache/typedoc.json");
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(
    config,
    JSON.stringify({
      plugin: ["typedoc-plugin-markdown"],
      entryPoints: entries.map(({ file }) => file),
      tsconfig: join(site, "tsconfig.typedoc.json"),
      out: temporary,
      router: "module",
      readme: "none",
      basePath: root,
      disableGit: true,
      sourceLinkTemplate: `${REPOSITORY}/packages/{path}#L{line}`,
      tableColumnSettings: { hideSources: true, hideOverrides: true, hideInherited: true },
      excludeExternals: true,
      excludePrivate: true,
      excludeInternal: true,
      maxTypeConversionDepth: 3,
      skipErrorChecking: true,
      validation: false,
      logLevel: "Error",
      hidePageHeader: true,
      hideBreadcrumbs: true,
      parametersFormat: "table",
      propertiesFormat: "table",
      interfacePropertiesFormat: "table",
      useCodeBlocks: true,
    }),
  );
  execFileSync(join(site, "node_modules/.bin/typedoc"), ["--options", config], {
    cwd: site,
    stdio: "inherit",
  });
  const made = globSync("**/*.md", { cwd: temporary }).toSorted();
  const slugs = new Map();
  // An entry is a file or a folder with a README; what it exports as a namespace has a page below
  // it.
  for (const file of made) {
    const [module, namespace] = file.replace(/(\/README)?\.md$/, "").split("/namespaces/");
    const entry = entries.find(
      ({ file: path }) => relative(root, path).replace(/(\/index)?\.ts$/, "") === module,
    );
    if (entry !== undefined)
      slugs.set(file, namespace === undefined ? entry.name : `${entry.name}/${namespace}`);
  }
  for (const file of made) {
    const text = readFileSync(join(temporary, file), "utf8");
    const entry = slugs.get(file);
    if (entry === undefined) continue;
    const body = text
      .replace(/^# .+\n/m, "")
      .replaceAll(/\]\(([^)#\s]+\.md)(#[^)]*)?\)/g, (all, target, fragment = "") => {
        const to = slugs.get(normalize(join(dirname(file), target)));
        return to === undefined
          ? "](#_top)"
          : `](${BASE}/api/reference/${to.toLowerCase()}/${fragment})`;
      })
      // typedoc numbers names that a page has twice in a way of its own: such a link goes to the
      // page.
      .replaceAll(
        /\]\(([^)#\s]*)#[^)\s]*-\d+\)/g,
        (_, page) => `](${page === "" ? "#_top" : page})`,
      );
    write(`api/reference/${entry.toLowerCase()}`, {
      title: `@game-data/${entry}`,
      label: entry,
      // Names of the reference shall not crowd out the pages that explain them.
      body: `<div data-pagefind-weight="0.1">\n\n${body}\n\n</div>\n`,
      extra: "tableOfContents:\n  maxHeadingLevel: 3\n",
    });
  }
  console.log(`reference of ${slugs.size} modules`);
};
if (!process.argv.includes("--no-reference")) reference();
write("api/index", {
  title: "API",
  order: 0,
  label: "Overview",
  body: `What the service offers: [operations](${BASE}/api/operations/), [the OAuth server](${BASE}/api/oauth-server/), [the item](${BASE}/api/item/). What the packages export, an entry a page:\n\n${written
    .filter(({ slug }) => /^api\/reference\/[^/]+$/.test(slug))
    .map(({ slug, title }) => `- [${title}](${addressOf(slug)})`)
    .join("\n")}\n`,
});

/** For models: what there is, and the text of what a user of the packages needs. */
const LONGEST_TEXT = 600_000;
const HEAD = `# Game Data\n\n> TypeScript packages for the Game Data API: OAuth sign-in, typed operations, the public stash stream, passive-tree links, and a sandbox that serves the whole API on your machine. ESM, Node 22.19 or newer. Promises or Effect.\n`;
const inFolder = (folder) =>
  written.filter(({ slug }) => slug.startsWith(`${folder}/`) && !slug.endsWith("/index"));
const sections = {
  Tasks: "tasks",
  Guides: "guides",
  Packages: "packages",
  Tools: "tools",
  Errors: "errors",
};
const links = Object.entries(sections).map(
  ([title, folder]) =>
    `## ${title}\n\n${inFolder(folder)
      .map((page) => `- [${page.title}](${ORIGIN}${addressOf(page.slug)})`)
      .join("\n")}\n`,
);
const full = Object.values(sections)
  .flatMap(inFolder)
  .map(
    ({ body, slug, title }) =>
      `# ${title}\n\nSource: ${ORIGIN}${addressOf(slug)}\n\n${body.trim()}\n`,
  );
const texts = {
  "llms.txt": `${HEAD}\nAll of it in one file: ${SITE}llms-full.txt\n\n${links.join("\n")}`,
  "llms-full.txt": `${HEAD}\n${full.join("\n")}`,
};
for (const [file, text] of Object.entries(texts)) {
  if (text.length > LONGEST_TEXT) throw new Error(`${file}: ${text.length} characters`);
  writeFileSync(join(site, "public", file), text);
  console.log(`${file}: ${text.length} characters`);
}
cpSync(join(root, "support/pages/mark.svg"), join(site, "public/favicon.svg"));
console.log(`${globSync("**/*.{md,mdx}", { cwd: out }).length} pages`);
