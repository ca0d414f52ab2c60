/** Writes the shape of a record as a TypeScript expression. See `Shape` for the language. */
import { SchemaAST } from "effect";
import { flatten, isAnyString, isStringLiteral, type Target } from "./nodes.ts";

/** A shape, and the records that it refers to. */
export interface PrintedShape {
  readonly text: string;
  readonly records: ReadonlySet<string>;
}

/** The shape of a record. */
export const shapeModule = (
  { name, ast }: Target,
  names: ReadonlyMap<SchemaAST.AST, string>,
): PrintedShape => {
  const records = new Set<string>();
  const of = (node: SchemaAST.AST): string => {
    if (SchemaAST.isSuspend(node)) return `() => ${names.get(node.thunk())!}`;
    const record = names.get(node);
    if (record === undefined) return body(node);
    records.add(record);
    return `["@", ${record}]`;
  };
  const body = (node: SchemaAST.AST): string => {
    const letter = letterOf(node);
    if (letter !== undefined) return JSON.stringify(letter);
    switch (node._tag) {
      case "Literal":
        return `["=", ${JSON.stringify(node.literal)}]`;
      case "Union":
        return union(node);
      case "Arrays":
        return node.elements.length > 0 || node.rest.length === 0
          ? `["(", ${[node.rest.length === 0, ...node.elements.map(of)].join(", ")}]`
          : `["[", ${of(node.rest[0]!)}]`;
      case "Objects":
        return node.propertySignatures.length === 0
          ? `["{", ${of(node.indexSignatures[0]!.type)}]`
          : structure(node);
      default:
        throw new Error(`${name}: no shape for ${node._tag}`);
    }
  };
  const union = (node: SchemaAST.Union): string => {
    const hasString = node.types.some(isAnyString);
    const members = node.types
      .flatMap(flatten)
      .filter((type) => !(hasString && isStringLiteral(type)));
    const literals = members.filter(({ _tag }) => _tag === "Literal");
    const letters = [...new Set(members.flatMap((type) => letterOf(type) ?? []))].join("");
    const others = members.filter(
      (type) => names.has(type) || (letterOf(type) === undefined && type._tag !== "Literal"),
    );
    const parts = [
      ...(letters === "" ? [] : [JSON.stringify(letters)]),
      ...(literals.length === 0
        ? []
        : [
            `["=", ${literals.map((type) => JSON.stringify((type as SchemaAST.Literal).literal)).join(", ")}]`,
          ]),
      ...others.map(of),
    ];
    return parts.length === 1 ? parts[0]! : `["|", ${parts.join(", ")}]`;
  };
  const structure = (node: SchemaAST.Objects): string => {
    const members = node.propertySignatures.map(({ name: key, type }) => {
      const optional = SchemaAST.isOptional(type) ? "?" : "";
      return `${JSON.stringify(`${String(key)}${optional}`)}: ${of(type)}`;
    });
    return `{ ${members.join(", ")} }`;
  };
  return { text: body(ast), records };
};

const letterOf = (node: SchemaAST.AST): string | undefined => {
  switch (node._tag) {
    case "String":
      return "s";
    case "Boolean":
      return "b";
    case "Null":
      return "n";
    case "Any":
    case "Unknown":
      return "a";
    case "Number": {
      const checks = (node.checks ?? []).length;
      if (checks === 2) return "u";
      const [check] = node.checks ?? [];
      const { id } = (check?.annotations ?? {})["representation"] as { id: string };
      return id.endsWith("isInt") ? "i" : "f";
    }
    default:
      return undefined;
  }
};
