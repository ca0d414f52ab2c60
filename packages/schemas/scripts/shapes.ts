/** The shape of a record, its TypeScript expression, and questions about it, for the generator. */
import type { SchemaAST } from "effect";
import { bodyWith } from "../src/internal/shapeOf.ts";
import type { Shape } from "../src/plain/Shape.ts";

/** A record to be compiled: the name of its module, and its node. */
export interface Target {
  readonly name: string;
  readonly ast: SchemaAST.AST;
}

/** The shape of a record's own members. Alternatives that nothing tells apart throw. */
export const shapeOfTarget = (
  { name, ast }: Target,
  names: ReadonlyMap<SchemaAST.AST, string>,
): Shape =>
  bodyWith(ast, {
    recordOf: (node) => {
      const record = names.get(node);
      return record === undefined ? undefined : { name: record, shape: {} };
    },
    isStrict: true,
    otherwise: (node) => {
      throw new Error(`${name}: no shape tells the values of a ${node._tag} apart`);
    },
  });

/** A shape as an expression; `use` is told of the records that it refers to. */
export const printShape = (shape: Shape, use: (record: string) => void = () => {}): string => {
  const print = (one: Shape): string => printShape(one, use);
  const members = (named: Readonly<Record<string, Shape>>): string =>
    `{ ${Object.entries(named)
      .map(([key, member]) => `${JSON.stringify(key)}: ${print(member)}`)
      .join(", ")} }`;
  if (typeof shape === "string") return JSON.stringify(shape);
  if (typeof shape === "function") return `() => ${shape().name}`;
  if (!Array.isArray(shape)) return members(shape as Readonly<Record<string, Shape>>);
  const [tag, ...parts] = shape as readonly [string, ...Array<any>];
  switch (tag) {
    case "@":
      use(parts[0].name);
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

export type Structure = Readonly<Record<string, Shape>>;
type Tagged = readonly [tag: string, ...parts: ReadonlyArray<any>];

export const tagged = (shape: Shape): Tagged | undefined =>
  Array.isArray(shape) ? (shape as unknown as Tagged) : undefined;

/** The shapes right below one; records are not entered. */
export const partsOf = (shape: Shape): ReadonlyArray<Shape> => {
  if (typeof shape === "string" || typeof shape === "function") return [];
  const [tag, ...parts] = tagged(shape) ?? [];
  if (tag === undefined) return Object.values(shape as Structure);
  if (tag === "@" || tag === "=") return [];
  if (tag === "?") return Object.values<Shape>(parts[2]);
  return tag === "(" ? parts.slice(1) : parts;
};

/** Whether the record itself stands in the shape. */
export const reaches = (shape: Shape): boolean =>
  typeof shape === "function" || partsOf(shape).some(reaches);

export const acceptsNull = (shape: Shape): boolean =>
  typeof shape === "string"
    ? /[na]/u.test(shape)
    : tagged(shape)?.[0] === "|" && partsOf(shape).some(acceptsNull);

/** The types besides null. */
export const besidesNull = (shape: Shape): Shape => {
  if (typeof shape === "string") return shape.replace("n", "");
  if (tagged(shape)?.[0] !== "|") return shape;
  const parts = partsOf(shape)
    .map((part) => (typeof part === "string" ? part.replace("n", "") : part))
    .filter((part) => part !== "");
  return parts.length === 1 ? parts[0]! : ["|", ...parts];
};
