// The public surface of every package as text, one committed file each: packages/NAME/API.txt.
//
//   node scripts/api-report.mjs           writes the reports from the built declarations
//   node scripts/api-report.mjs --check   fails when a report is stale, and when a surface has
//                                         changed since the last release without a changeset that
//                                         allows it: a removed line asks for minor (before 1.0) or
//                                         major, an added line for any changeset
//
// The text is what an importer can reach of the emitted declarations: what the entries export, and
// what the types of that name in turn; without comments, one section a file. `generated/`, which
// follows from other files, is left out. api-extractor repeats in each entry what entries share, and
// takes a minute for two packages, because it checks the types of all that they import.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";
import { conclude, isCheck, read, readJson, root } from "./repository.mjs";

const git = (...args) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** A declaration file of ours that `from` names; `undefined` for another package. */
const toDeclaration = (from, specifier) =>
  specifier.startsWith(".")
    ? normalize(join(dirname(from), specifier.replace(/\.ts$/, ".d.ts")))
    : undefined;

const isOurs = ([, { from }]) => from !== undefined;

/** What a file declares (name → nodes), imports and exports (name → where that is). */
const parse = (path) => {
  const text = read(path);
  const { module, program } = parseSync(path, text);
  const place = (request, name) =>
    request === null ? { from: path, name } : { from: toDeclaration(path, request.value), name };
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName, importName, localName, moduleRequest }) => [
      exportName.name,
      place(moduleRequest, importName.name ?? localName.name),
    ]),
  );
  const imported = module.staticImports.flatMap(({ entries, moduleRequest }) =>
    entries.map(({ importName, localName }) => [
      localName.value,
      place(moduleRequest, importName.name),
    ]),
  );
  const declared = program.body.flatMap((statement) => {
    const { declarations, ...one } = statement.declaration ?? statement;
    return (declarations ?? [one]).map(({ id }) => ({ name: id?.name, statement }));
  });
  return {
    text,
    declared: Map.groupBy(declared, ({ name }) => name),
    imports: new Map(imported.filter(isOurs)),
    exports: new Map(exported.filter(([name]) => name !== null).filter(isOurs)),
    stars: exported.flatMap(([name, { from }]) => (name === null && from ? [from] : [])),
    reExports: program.body.filter(
      ({ declaration, type }) =>
        type === "ExportAllDeclaration" || (type === "ExportNamedDeclaration" && !declaration),
    ),
  };
};

/** What importers reach: path → statements. */
const surfaceOf = (entries) => {
  const files = new Map();
  const seen = new Set();
  const reached = new Map();

  const fileAt = (path) => {
    if (!files.has(path) && existsSync(join(root, path))) files.set(path, parse(path));
    return files.get(path);
  };
  const isNew = (key) => seen.size < seen.add(key).size;
  const add = (path, statement) =>
    reached.set(path, (reached.get(path) ?? new Set()).add(statement));

  /** Reaches all that a file exports. */
  const reachAll = (path) => {
    const file = fileAt(path);
    if (file === undefined || !isNew(path)) return;
    for (const statement of file.reExports) add(path, statement);
    for (const name of file.exports.keys()) reach(path, name);
    file.stars.forEach(reachAll);
  };

  /** Reaches a name that a file declares, imports or exports. */
  const reach = (path, name) => {
    const file = fileAt(path);
    if (file === undefined || !isNew(`${path} ${name}`)) return;
    const own = file.declared.get(name);
    const source = file.imports.get(name) ?? file.exports.get(name);
    for (const { statement } of own ?? []) {
      add(path, statement);
      visit(path, statement);
    }
    if (own !== undefined) return;
    if (source === undefined) for (const star of file.stars) reach(star, name);
    else if (source.name === null) reachAll(source.from);
    else reach(source.from, source.name);
  };

  /** Reaches what the identifiers below a node mean. */
  const visit = (path, node) => {
    if (node === null || typeof node !== "object") return;
    const { declared, imports } = fileAt(path);
    if (node.type === "TSImportType" && node.qualifier !== null) {
      const from = toDeclaration(path, node.source.value);
      if (from !== undefined) reach(from, (node.qualifier.left ?? node.qualifier).name);
    }
    const namespace = imports.get((node.left ?? node.object)?.name);
    if (namespace?.name === null && ["TSQualifiedName", "MemberExpression"].includes(node.type))
      return reach(namespace.from, (node.right ?? node.property).name);
    if (node.type === "Identifier" && (declared.has(node.name) || imports.has(node.name)))
      reach(path, node.name);
    for (const child of Object.values(node)) visit(path, child);
  };

  entries.forEach(reachAll);
  return [...reached]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, statements]) => {
      const inOrder = [...statements].toSorted((a, b) => a.start - b.start);
      const { text } = fileAt(path);
      return [path, inOrder.map(({ end, start }) => text.slice(start, end)).join("\n")];
    });
};

/** Comments and white space go; the contents of string literals stay. */
const stripComments = (text) =>
  text
    .replaceAll(
      /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/.*$/gm,
      (_, string) => string ?? "",
    )
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");

/** The declarations of the entries that a manifest exports; a pattern names every file it fits. */
const entriesOf = (folder, { exports }) =>
  Object.values(exports)
    .map((target) => (typeof target === "object" ? target?.default : target))
    .filter((target) => /^\.\/src\/.*\.ts$/.test(target ?? ""))
    .flatMap((target) => globSync(target, { cwd: join(root, folder) }))
    .map((file) => file.replace(/^src\/(.*)\.ts$/, `${folder}/dist/$1.d.ts`));

const reportOf = (folder, manifest) =>
  surfaceOf(entriesOf(folder, manifest))
    .map(([file, text]) => [file.slice(`${folder}/dist/`.length), text])
    .filter(([file]) => !/(^|\/)generated\//.test(file))
    .map(([file, text]) => `=== ${file}\n${stripComments(text)}\n`)
    .join("\n");

/**
 * The words of each file in order of the alphabet: the compiler does not keep the order of unions.
 */
const canonical = (text) =>
  text
    .split(/^=== /m)
    .map((section) => (section.match(/[\w$]+|[^\s\w]/g) ?? []).toSorted().join(" "))
    .join("\n");

/** The kinds of release that the pending changesets ask for. */
const changesets = globSync(".changeset/*.md", { cwd: root }).map(read).join("\n");
const pendingFor = (name) =>
  [...changesets.matchAll(/^["']?(@[^"':]+)["']?: (patch|minor|major)$/gm)].flatMap(
    ([, of, kind]) => (of === name ? [kind] : []),
  );

/** The report at the package's last release; empty before the first one. */
const released = (name, path) => {
  try {
    const tag = git("tag", "--list", `${name}@*`, "--sort=-version:refname").split("\n")[0];
    return tag ? git("show", `${tag}:${path}`) : "";
  } catch {
    return "";
  }
};

const problems = [];
for (const manifestFile of globSync("packages/*/package.json", { cwd: root }).toSorted()) {
  const folder = dirname(manifestFile);
  const manifest = readJson(manifestFile);
  const { name } = manifest;
  // A program without an entry has no surface.
  if (!Object.values(manifest.exports).some((target) => `${target}`.endsWith(".ts"))) continue;
  const path = `${folder}/API.txt`;
  const report = reportOf(folder, manifest);
  // Its report stays as it is.
  if (report === "") {
    problems.push(`${folder} is not built`);
    continue;
  }
  const isStale = canonical(existsSync(join(root, path)) ? read(path) : "") !== canonical(report);
  if (!isCheck) {
    if (isStale) writeFileSync(join(root, path), report);
    continue;
  }
  if (isStale)
    problems.push(`${path} is stale: run \`pnpm api\`, read the difference, add a changeset`);
  const before = new Set(released(name, path).split("\n"));
  const after = new Set(report.split("\n"));
  const isChanged = before.symmetricDifference(after).size > 0;
  const isRemoval = before.difference(after).size > (before.has("") ? 1 : 0);
  const kinds = pendingFor(name);
  if (isChanged && kinds.length === 0)
    problems.push(`${name}: the surface changed without a changeset`);
  if (isRemoval && kinds.length > 0 && kinds.every((kind) => kind === "patch"))
    problems.push(`${name}: a removed or changed line asks for more than a patch`);
}
conclude(
  problems,
  isCheck ? "API reports are up to date and have changesets" : "API reports written",
);
