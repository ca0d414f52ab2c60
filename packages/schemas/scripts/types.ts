/** Writes the TypeScript type of a record, with the specification's notes. */
import { SchemaAST } from "effect";
import type { Target } from "./shapes.ts";
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
  const printer = new Printer(names, known);
  const description = SchemaAST.resolve(ast)?.["description"] ?? name;
  const declaration =
    ast._tag === "Objects"
      ? `export interface ${name} {\n${printer.members(ast)}\n}`
      : `export type ${name} = ${printer.body(ast)};`;
  const { aliases, records } = printer;
  return { text: `/** ${description}. */\n${declaration}`, records, aliases: [...aliases] };
};

class Printer {
  readonly records = new Set<string>();
  readonly aliases = new Set<Alias>();
  readonly #names: ReadonlyMap<SchemaAST.AST, string>;
  readonly #known: Aliases;

  constructor(names: ReadonlyMap<SchemaAST.AST, string>, known: Aliases) {
    this.#names = names;
    this.#known = known;
  }

  /** The name of a node that has one, or its type. */
  of(node: SchemaAST.AST): string {
    if (SchemaAST.isSuspend(node)) return this.of(node.thunk());
    const alias = this.#known.get(node);
    const record = this.#names.get(node);
    if (alias !== undefined) this.aliases.add(alias);
    else if (record !== undefined) this.records.add(record);
    return alias?.name ?? record ?? this.body(node);
  }

  body(node: SchemaAST.AST): string {
    switch (node._tag) {
      case "String":
      case "Boolean":
      case "Null":
        return node._tag.toLowerCase();
      case "Number":
        return numbers(node);
      case "Any":
      case "Unknown":
        return "unknown";
      case "Literal":
        return JSON.stringify(node.literal);
      case "Union":
        return this.#union(node);
      case "Arrays":
        return this.#list(node);
      case "Objects":
        return node.propertySignatures.length === 0
          ? `{ readonly [key: string]: ${this.of(node.indexSignatures[0]!.type)} }`
          : `{ ${this.members(node)} }`;
      default:
        throw new Error(`no type for ${node._tag}`);
    }
  }

  members(node: SchemaAST.Objects): string {
    const line = ({ name, type }: SchemaAST.PropertySignature) => {
      const optional = SchemaAST.isOptional(type) ? "?" : "";
      return `${noteOf(type, this.#names)}readonly ${String(name)}${optional}: ${this.of(type)};`;
    };
    return node.propertySignatures.map(line).join("\n");
  }

  #union(node: SchemaAST.Union): string {
    const spec = specOf(node).find(({ kind }) => kind === "word");
    if (spec?.kind === "word")
      return [...spec.words.map((word) => JSON.stringify(word)), "(string & {})"].join(" | ");
    return [...new Set(node.types.map((type) => this.of(type)))].join(" | ");
  }

  #list({ elements, rest }: SchemaAST.Arrays): string {
    const [other] = rest.map((type) => this.of(type));
    if (elements.length === 0)
      return other === undefined ? "Readonly<Record<string, never>>" : `ReadonlyArray<${other}>`;
    const tail = other === undefined ? [] : [`...ReadonlyArray<${other}>`];
    return `readonly [${[...elements.map((type) => this.of(type)), ...tail].join(", ")}]`;
  }
}

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
