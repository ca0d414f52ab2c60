// Fills src/content/docs, which is not committed: guides and pages of docs/, the READMEs of the
// packages, tables made from data (operations), and the reference that typedoc makes of every
// entry. Each page keeps its source's text; only the title moves into the front matter, and links
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
const BASE = "/game-data";
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
];
PACKAGES.forEach((name, i) => plan(`packages/${name}/README.md`, `packages/${name}`, i, name));
["cli", "tour", "tree-inspector", "stash-index"].forEach((name, i) =>
  plan(`apps/${name}/README.md`, `packages/${name}`, 20 + i, `apps/${name}`),
);
plan("docs/errors.md", "catalogue/errors", 1, "Errors");
plan("docs/oauth-server.md", "catalogue/oauth-server");
plan("docs/follower-states.md", "catalogue/follower-states");
plan("docs/item.md", "catalogue/item");
plan("docs/architecture.md", "project/architecture", 1);
plan("docs/choices.md", "project/choices", 2);
plan("docs/fidelity.md", "project/fidelity", 3);
plan("docs/benchmarks.md", "project/benchmarks", 4);
plan("docs/runtimes.md", "project/runtimes", 5);
plan("docs/versions.md", "project/versions", 6);
plan("docs/operate.md", "guides/operate");
plan("SECURITY.md", "project/security", 7);
plan("CONTRIBUTING.md", "project/contributing", 8);

/** A link of `file`, as the page needs it. Pictures are copied. */
const rewrite = (file, target) => {
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
    return `${BASE}/${page.slug}/${fragment === undefined ? "" : `#${fragment}`}`;
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

const write = (slug, { title, order, label, body, extra = "" }) => {
  const sidebar = [
    label && `  label: ${JSON.stringify(label)}`,
    order !== undefined && `  order: ${order}`,
  ].filter(Boolean);
  const path = join(out, `${slug}.md`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `---\ntitle: ${JSON.stringify(title)}\n${sidebar.length > 0 ? `sidebar:\n${sidebar.join("\n")}\n` : ""}${extra}---\n\n${body}`,
  );
};

rmSync(out, { recursive: true, force: true });
rmSync(images, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
cpSync(join(site, "pages"), out, { recursive: true });

const diagram = await layoutDiagram();
for (const [file, { slug, order, label }] of pages) {
  if (!existsSync(join(root, file))) continue;
  const text = readFileSync(join(root, file), "utf8").replace(
    "<!-- diagram: layout -->",
    `<figure>${diagram}</figure>`,
  );
  write(slug, {
    title: titleOf(text, file),
    order,
    label,
    body: relink(file, text.replace(/^# .+\n/m, "")),
    extra: `editUrl: ${REPOSITORY.replace("/blob/", "/edit/")}/${file}\n`,
  });
}

const cell = (text = "") => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const scopes = ({ security = [] }) =>
  [...new Set(security.flatMap((one) => Object.values(one).flat()))]
    .map((name) => `\`${name}\``)
    .join(", ");

/** The operations, from the OpenAPI document. */
const operations = () => {
  const { paths } = JSON.parse(readFileSync(join(docs, "openapi.json"), "utf8"));
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
write("catalogue/operations", {
  title: "Operations",
  order: 0,
  body: `Every operation of the OAuth server and the data API, made from [the OpenAPI document](${REPOSITORY}/docs/openapi.json).\n\n${operations()}`,
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
        return to === undefined ? "](#_top)" : `](${BASE}/api/${to.toLowerCase()}/${fragment})`;
      })
      // typedoc numbers names that a page has twice in a way of its own: such a link goes to the
      // page.
      .replaceAll(
        /\]\(([^)#\s]*)#[^)\s]*-\d+\)/g,
        (_, page) => `](${page === "" ? "#_top" : page})`,
      );
    write(`api/${entry.toLowerCase()}`, {
      title: `@game-data/${entry}`,
      label: entry,
      body,
      extra: "tableOfContents:\n  maxHeadingLevel: 3\n",
    });
  }
  console.log(`reference of ${slugs.size} modules`);
};
if (!process.argv.includes("--no-reference")) reference();
console.log(`${globSync("**/*.{md,mdx}", { cwd: out }).length} pages`);
