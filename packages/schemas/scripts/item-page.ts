/**
 * The `Item` page of the documentation: every key with its type and the specification's notes, from
 * the schema.
 */
import { SchemaAST } from "effect";
import { Item } from "../src/effect/index.ts";
import { shapeOf } from "../src/internal/shapeOf.ts";
import { nameOf } from "../src/plain/explain.ts";
import { specOf } from "../src/internal/wire.ts";

interface Row {
  readonly key: string;
  readonly type: string;
  readonly notes: string;
  readonly also: string;
}

/** The page in Markdown. */
export const itemPage = (): string => {
  const rows = rowsOf(Item.ast as SchemaAST.Objects, "");
  const keys = rows.filter(({ key }) => !key.includes(".")).length;
  return [
    "# Item",
    "",
    `Every key of an item: ${keys}, and the members inside them; generated from the schema (\`pnpm --filter @game-data/schemas generate\`).`,
    "A `?` means: null or absent. *Also accepted* is what deployed services send beside the documented type; `Drift` reports it.",
    "Keys that are not in this table are kept, and reported as `unknown-key`.",
    "",
    "| Key | Type | Notes | Also accepted |",
    "| --- | --- | --- | --- |",
    ...rows.map(({ key, type, notes, also }) => `| \`${key}\` | ${type} | ${notes} | ${also} |`),
    "",
    "`socketedItems` nests items; more than 32 levels are refused. Reading them is shown in the package's README.",
    "",
  ].join("\n");
};

const rowsOf = (ast: SchemaAST.Objects, prefix: string): ReadonlyArray<Row> =>
  ast.propertySignatures.flatMap(({ name, type }) => {
    const key = `${prefix}${String(name)}`;
    const inner = structureOf(type);
    const optional = SchemaAST.isOptional(type) ? "?" : "";
    const row = {
      key,
      type: `${optional}${documentedName(type)}`,
      notes: notesOf(type),
      also: alsoOf(type),
    };
    return inner === undefined ? [row] : [row, ...rowsOf(inner.ast, `${key}${inner.suffix}.`)];
  });

const isNull = (ast: SchemaAST.AST): boolean => ast._tag === "Null";

/** The documented type: without null, and the first of a list of alternatives. */
const documented = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (ast._tag !== "Union") return ast;
  const members = ast.types.filter((type) => !isNull(type));
  const isPlain = members.length === 1 || specOf(ast)[0]?.kind === "documented-first";
  return isPlain ? documented(members[0]!) : ast;
};

const recordName = (ast: SchemaAST.AST): string | undefined =>
  SchemaAST.isSuspend(ast)
    ? recordName(ast.thunk())
    : (SchemaAST.resolve(ast)?.["identifier"] as string | undefined);

const documentedName = (ast: SchemaAST.AST): string => {
  const type = documented(ast);
  const record = recordName(type);
  if (record !== undefined) return record;
  if (type._tag === "Arrays" && type.elements.length === 0)
    return `array of ${documentedName(type.rest[0]!)}`;
  if (type._tag === "Arrays") return `[${type.elements.map(documentedName).join(", ")}]`;
  if (type._tag === "Objects" && type.propertySignatures.length === 0) {
    return `dictionary of ${documentedName(type.indexSignatures[0]!.type)}`;
  }
  return nameOf(shapeOf(type));
};

/** A structure without a name of its own, to be listed below its key. */
const structureOf = (
  ast: SchemaAST.AST,
): { ast: SchemaAST.Objects; suffix: string } | undefined => {
  const type = documented(ast);
  if (type._tag === "Arrays" && type.elements.length === 0) {
    const inner = structureOf(type.rest[0]!);
    return inner === undefined ? undefined : { ...inner, suffix: "[]" };
  }
  return type._tag === "Objects" &&
    type.propertySignatures.length > 0 &&
    recordName(type) === undefined
    ? { ast: type, suffix: "" }
    : undefined;
};

const escape = (text: string): string => text.replaceAll("|", "\\|");

const notesOf = (ast: SchemaAST.AST): string => {
  const note = SchemaAST.resolve(ast)?.["description"];
  return typeof note === "string" && recordName(ast) === undefined ? escape(note) : "";
};

/** What services send in the place of a leaf, by what the specification says of it. */
const OTHERS = {
  "always-true": "`false`",
  "number-word": "other numbers",
  format: "other strings",
};

const alsoOf = (ast: SchemaAST.AST): string => {
  const alternatives: Array<string> = [];
  const collect = (type: SchemaAST.AST): void => {
    if (type._tag === "Arrays" && type.rest[0] !== undefined) collect(type.rest[0]);
    if (type._tag !== "Union") return;
    const [spec] = specOf(type);
    if (spec?.kind === "word") alternatives.push("other words");
    if (spec?.kind === "documented-first") {
      const rest = type.types.slice(1).filter((member) => !isNull(member));
      alternatives.push(
        ...rest.map(
          (member) =>
            recordName(member) ??
            (isEmptyArray(member) ? "`[]` when empty" : documentedName(member)),
        ),
      );
    } else type.types.forEach(collect);
  };
  collect(ast);
  for (const [kind, other] of Object.entries(OTHERS))
    if (leaves(ast).some((leaf) => specOf(leaf)[0]?.kind === kind)) alternatives.push(other);
  return alternatives.join(", ");
};

const isEmptyArray = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Arrays" && ast.rest.length === 0 && ast.elements.length === 0;

const leaves = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(leaves) : [ast];
