/** Writes the TypeScript type of a record, with the specification's notes. */
import { SchemaAST } from "effect";
import type { Target } from "./nodes.ts";
import { specOf } from "../src/internal/wire.ts";

/** A type that has a name of its own. */
export interface Alias {
  readonly name: string;
  readonly module: string;
}

/** Named types by their nodes. */
export type Aliases = ReadonlyMap<SchemaAST.AST, Alias>;

/** A type declaration, and the names that it uses. */
export interface PrintedType {
  readonly text: string;
  readonly records: ReadonlySet<string>;
  readonly aliases: ReadonlyArray<Alias>;
}

/** The declaration of a record's type. */
export const typeModule = (
  { name, ast }: Target,
  names: ReadonlyMap<SchemaAST.AST, string>,
  known: Aliases,
): PrintedType => {
  const records = new Set<string>();
  const aliases = new Set<Alias>();
  const of = (node: SchemaAST.AST): string => {
    if (SchemaAST.isSuspend(node)) return of(node.thunk());
    const alias = known.get(node);
    if (alias !== undefined) {
      aliases.add(alias);
      return alias.name;
    }
    const record = names.get(node);
    if (record === undefined) return body(node);
    records.add(record);
    return record;
  };
  const body = (node: SchemaAST.AST): string => {
    switch (node._tag) {
      case "String":
        return "string";
      case "Number":
        return numbers(node);
      case "Boolean":
        return "boolean";
      case "Null":
        return "null";
      case "Any":
      case "Unknown":
        return "unknown";
      case "Literal":
        return JSON.stringify(node.literal);
      case "Union":
        return union(node);
      case "Arrays":
        return list(node);
      case "Objects":
        return node.propertySignatures.length === 0
          ? `{ readonly [key: string]: ${of(node.indexSignatures[0]!.type)} }`
          : `{ ${members(node)} }`;
      default:
        throw new Error(`${name}: no type for ${node._tag}`);
    }
  };
  const union = (node: SchemaAST.Union): string => {
    const spec = specOf(node).find(({ kind }) => kind === "word");
    if (spec?.kind === "word")
      return [...spec.words.map((word) => JSON.stringify(word)), "(string & {})"].join(" | ");
    return [...new Set(node.types.map(of))].join(" | ");
  };
  const list = (node: SchemaAST.Arrays): string => {
    if (node.elements.length === 0) {
      const [rest] = node.rest;
      return rest === undefined ? "Readonly<Record<string, never>>" : `ReadonlyArray<${of(rest)}>`;
    }
    const rest = node.rest.map((type) => `...ReadonlyArray<${of(type)}>`);
    return `readonly [${[...node.elements.map(of), ...rest].join(", ")}]`;
  };
  const members = (node: SchemaAST.Objects): string =>
    node.propertySignatures
      .map(({ name: key, type }) => {
        const optional = SchemaAST.isOptional(type) ? "?" : "";
        return `${noteOf(type, names)}readonly ${String(key)}${optional}: ${of(type)};`;
      })
      .join("\n");
  const description = SchemaAST.resolve(ast)?.["description"] ?? name;
  const text =
    ast._tag === "Objects"
      ? `export interface ${name} {\n${members(ast)}\n}`
      : `export type ${name} = ${body(ast)};`;
  return { text: `/** ${description}. */\n${text}`, records, aliases: [...aliases] };
};

const numbers = (node: SchemaAST.Number): string => {
  const spec = specOf(node).find(({ kind }) => kind === "number-word");
  return spec?.kind === "number-word" ? [...spec.words, "(number & {})"].join(" | ") : "number";
};

/** The specification's note on a member, as a comment. */
const noteOf = (node: SchemaAST.AST, names: ReadonlyMap<SchemaAST.AST, string>): string => {
  const note = names.has(node) ? undefined : SchemaAST.resolve(node)?.["description"];
  if (typeof note !== "string" || note === "") return "";
  const sentence = `${note[0]!.toUpperCase()}${note.slice(1)}${note.endsWith(".") ? "" : "."}`;
  return `/** ${sentence} */\n`;
};
