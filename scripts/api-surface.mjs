// The declarations of a package that an importer can reach: what its entries export, and what the
// types of that name in turn. Reads the built declarations with TypeScript's parser alone; a type
// checker would load Effect's declarations and take minutes.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dirname, "..");
// TypeScript 7 has no parser in JavaScript; the generators of clients keep the last one that has.
const ts = createRequire(join(root, "support/generated-clients/package.json"))("typescript");

const toDeclaration = (from, specifier) =>
  specifier.startsWith(".")
    ? normalize(join(dirname(from), specifier.replace(/\.ts$/, ".d.ts")))
    : undefined;

/** The names that a declaration introduces. */
const namesOf = (statement) => {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.text);
  return statement.name === undefined ? [] : [statement.name.text];
};
const isExported = (statement) =>
  (ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []).some(
    ({ kind }) => kind === ts.SyntaxKind.ExportKeyword,
  );

/** Adds `import … from "./x.ts"`: a name of ours → where it comes from. */
const addImport = (file, { importClause, moduleSpecifier }) => {
  const from = toDeclaration(file.path, moduleSpecifier.text);
  const bindings = importClause?.namedBindings;
  if (from === undefined || bindings === undefined) return;
  if (ts.isNamespaceImport(bindings)) file.imports.set(bindings.name.text, { from });
  else
    for (const { name, propertyName } of bindings.elements)
      file.imports.set(name.text, { from, name: (propertyName ?? name).text });
};

/** Adds `export … from "./x.ts"` and `export { a }`. */
const addExport = (file, { exportClause, moduleSpecifier }) => {
  const from = moduleSpecifier && toDeclaration(file.path, moduleSpecifier.text);
  if (moduleSpecifier && from === undefined) return;
  if (exportClause === undefined) file.stars.push(from);
  else if (ts.isNamespaceExport(exportClause)) file.exports.set(exportClause.name.text, { from });
  else
    for (const { name, propertyName } of exportClause.elements)
      file.exports.set(name.text, { from: from ?? file.path, name: (propertyName ?? name).text });
};

const parse = (folder, path) => {
  const text = readFileSync(join(folder, path), "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const file = { path, declared: new Map(), imports: new Map(), exports: new Map(), stars: [] };
  file.reExports = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) addImport(file, statement);
    else if (ts.isExportDeclaration(statement)) {
      addExport(file, statement);
      file.reExports.push(statement);
    } else
      for (const name of namesOf(statement)) {
        file.declared.set(name, [...(file.declared.get(name) ?? []), statement]);
        if (isExported(statement)) file.exports.set(name, { from: path, name });
      }
  }
  return file;
};

/** What has been reached of the declarations below a folder. */
class Surface {
  #files = new Map();
  #seen = new Set();
  /** Path → statements. */
  reached = new Map();

  constructor(folder) {
    this.folder = folder;
  }

  #fileAt(path) {
    if (!this.#files.has(path) && existsSync(join(this.folder, path)))
      this.#files.set(path, parse(this.folder, path));
    return this.#files.get(path);
  }

  #isNew(key) {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #reach(path, statement) {
    const statements = this.reached.get(path) ?? new Set();
    this.reached.set(path, statements);
    if (statements.has(statement)) return;
    statements.add(statement);
    if (!ts.isExportDeclaration(statement)) this.#visit(path, statement);
  }

  /** Reaches all that a file exports. */
  reachAll(path) {
    const file = this.#fileAt(path);
    if (file === undefined || !this.#isNew(path)) return;
    for (const statement of file.reExports) this.#reach(path, statement);
    for (const name of file.exports.keys()) this.#reachName(path, name);
    for (const star of file.stars) this.reachAll(star);
  }

  /** Reaches a name that a file declares, imports or exports. */
  #reachName(path, name) {
    const file = this.#fileAt(path);
    if (file === undefined || !this.#isNew(`${path} ${name}`)) return;
    for (const statement of file.declared.get(name) ?? []) this.#reach(path, statement);
    if (file.declared.has(name)) return;
    const source = file.imports.get(name) ?? file.exports.get(name);
    if (source === undefined) for (const star of file.stars) this.#reachName(star, name);
    else if (source.name === undefined) this.reachAll(source.from);
    else this.#reachName(source.from, source.name);
  }

  /** Reaches what the identifiers below a node mean. */
  #visit(path, node) {
    const { declared, imports } = this.#fileAt(path);
    if (ts.isImportTypeNode(node) && node.qualifier !== undefined) {
      const from = toDeclaration(path, node.argument.literal.text);
      if (from !== undefined) this.#reachName(from, node.qualifier.getText().split(".")[0]);
    }
    if (ts.isQualifiedName(node) || ts.isPropertyAccessExpression(node)) {
      const namespace = imports.get((node.left ?? node.expression).getText());
      if (namespace !== undefined && namespace.name === undefined)
        return this.#reachName(namespace.from, (node.right ?? node.name).text);
    }
    if (ts.isIdentifier(node) && (declared.has(node.text) || imports.has(node.text)))
      this.#reachName(path, node.text);
    ts.forEachChild(node, (child) => void this.#visit(path, child));
  }
}

const byPlace = (a, b) => a.pos - b.pos;

/**
 * @param folder The folder of the built declarations, `packages/NAME/dist`.
 * @param entries Declarations in it that an importer names, relative to it.
 * @returns Pairs of a path and the texts of its reachable declarations, comments included.
 */
export const surfaceOf = (folder, entries) => {
  const surface = new Surface(folder);
  for (const entry of entries) surface.reachAll(entry);
  return [...surface.reached]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, found]) => [path, [...found].toSorted(byPlace).map((one) => one.getText())]);
};
