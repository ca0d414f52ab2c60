/** Writes the shape of a record as a TypeScript expression. See `Shape` for the language. */
import type { SchemaAST } from "effect";
import { bodyWith } from "../src/internal/shapeOf.ts";
import type { Shape } from "../src/plain/Shape.ts";
import type { Target } from "./nodes.ts";

/** A shape, and the records that it refers to. */
export interface PrintedShape {
  readonly text: string;
  readonly records: ReadonlySet<string>;
}

/** The shape of a record. Alternatives that nothing tells apart throw. */
export const shapeModule = (
  { name, ast }: Target,
  names: ReadonlyMap<SchemaAST.AST, string>,
): PrintedShape => {
  const records = new Set<string>();
  const print = (shape: Shape): string => {
    if (typeof shape === "string") return JSON.stringify(shape);
    if (typeof shape === "function") return `() => ${shape().name}`;
    if (!Array.isArray(shape)) return members(shape as Readonly<Record<string, Shape>>);
    const [tag, ...parts] = shape as readonly [string, ...Array<any>];
    switch (tag) {
      case "@":
        records.add(parts[0].name);
        return `["@", ${parts[0].name}]`;
      case "=":
        return JSON.stringify(shape);
      case "?":
        return `["?", ${JSON.stringify(parts[0])}, ${JSON.stringify(parts[1])}, ${members(parts[2])}]`;
      case "(":
        return `["(", ${[parts[0], ...parts.slice(1).map(print)].join(", ")}]`;
      default:
        return `[${[JSON.stringify(tag), ...parts.map(print)].join(", ")}]`;
    }
  };
  const members = (named: Readonly<Record<string, Shape>>): string =>
    `{ ${Object.entries(named)
      .map(([key, shape]) => `${JSON.stringify(key)}: ${print(shape)}`)
      .join(", ")} }`;
  const shape = bodyWith(ast, {
    recordOf: (node) => {
      const record = names.get(node);
      return record === undefined ? undefined : { name: record, shape: {} };
    },
    otherwise: (node) => {
      throw new Error(`${name}: no shape tells the values of a ${node._tag} apart`);
    },
  });
  return { text: print(shape), records };
};
