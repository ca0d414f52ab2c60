/**
 * Copies a JSON value along the shape of its record. The visitor says what becomes of leaves, of
 * structures, and of what the shape does not know; the walk itself is the same for all of them.
 *
 * The value need not conform: where it has another JSON type than the shape, it is a misfit. The
 * stack is as deep as the value, so a caller bounds the depth or catches the `RangeError`.
 */
import { isObject, type Shape } from "@game-data/schemas/PlainRecord";

/** A record as far as shapes refer to it. */
export interface Shaped {
  readonly name: string;
  readonly shape: Shape;
  readonly is?: ((value: unknown) => boolean) | undefined;
}

/** What becomes of the parts of a value. `Context` is what the visitor knows of a place. */
export interface ShapeVisitor<Context> {
  /** A string, number, Boolean or null where the shape has the letters, or a literal. */
  leaf(value: unknown, letters: string, context: Context): unknown;
  /** A value, or a member, that the shape does not know. */
  misfit(value: unknown, context: Context): unknown;
  /** Whether members that a shape does not know are left out, with their names. */
  readonly isClosed?: boolean;
  /** The name of an entry of a dictionary in the copy. */
  key?(key: string): string;
  record(record: Shaped, context: Context): Context;
  member(name: string, context: Context, owner: Members): Context;
  element(key: string | number, context: Context): Context;
  /** Changes the copy of a structure. `members` are those of the shape, with `?` at their ends. */
  structure?(copy: Record<string, unknown>, members: Structure, context: Context): void;
}

type Members = Readonly<Record<string, unknown>>;
type Structure = { readonly [member: string]: Shape };
type Tagged = readonly [string, ...ReadonlyArray<unknown>];

const isTagged = (shape: Shape): shape is Shape & Tagged => Array.isArray(shape);

/** Whether a value of any type stands under the letters: `a` is anything. */
const ANY = "a";

export const mapRecord = <Context>(
  record: Shaped,
  value: unknown,
  visitor: ShapeVisitor<Context>,
  context: Context,
): unknown => mapShape(record.shape, value, visitor, visitor.record(record, context));

const mapShape = <Context>(
  shape: Shape,
  value: unknown,
  visitor: ShapeVisitor<Context>,
  context: Context,
): unknown => {
  if (typeof shape === "function") return mapRecord(shape(), value, visitor, context);
  if (typeof shape === "string")
    return fits(shape, value)
      ? visitor.leaf(value, shape, context)
      : visitor.misfit(value, context);
  if (!isTagged(shape))
    return fits(shape, value)
      ? mapStructure(shape as Structure, value as Members, visitor, context)
      : visitor.misfit(value, context);
  switch (shape[0]) {
    case "@":
      return mapRecord(shape[1] as Shaped, value, visitor, context);
    case "|":
      return mapAlternatives(shape.slice(1) as ReadonlyArray<Shape>, value, visitor, context);
    case "?": {
      const [, member, , cases] = shape as unknown as [string, string, Shape, Structure];
      const literal = isObject(value) ? String(value[member]) : "";
      return Object.hasOwn(cases, literal)
        ? mapShape(cases[literal]!, value, visitor, context)
        : visitor.misfit(value, context);
    }
    case "=":
      return shape.includes(value as never)
        ? visitor.leaf(value, "s", context)
        : visitor.misfit(value, context);
    default:
      return fits(shape, value)
        ? mapElements(shape, value, visitor, context)
        : visitor.misfit(value, context);
  }
};

const mapAlternatives = <Context>(
  shapes: ReadonlyArray<Shape>,
  value: unknown,
  visitor: ShapeVisitor<Context>,
  context: Context,
): unknown => {
  const fitting = shapes.filter((shape) => fits(shape, value));
  const found = fitting.find((shape) => isRecordOf(shape, value)) ?? fitting[0];
  return found === undefined
    ? visitor.misfit(value, context)
    : mapShape(found, value, visitor, context);
};

const mapStructure = <Context>(
  members: Structure,
  value: Members,
  visitor: ShapeVisitor<Context>,
  context: Context,
): unknown => {
  const copy = Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const shape = own(members, name) ?? own(members, `${name}?`);
      const at = visitor.member(name, context, value);
      if (shape !== undefined) return [[name, mapShape(shape, member, visitor, at)]];
      const copied = visitor.misfit(member, at);
      return visitor.isClosed === true ? [] : [[name, copied]];
    }),
  );
  visitor.structure?.(copy, members, context);
  return copy;
};

const own = (members: Structure, name: string): Shape | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined;

const mapElements = <Context>(
  shape: Shape & Tagged,
  value: unknown,
  visitor: ShapeVisitor<Context>,
  context: Context,
): unknown => {
  const isTuple = shape[0] === "(";
  const map = (element: unknown, key: string | number): unknown => {
    const of = (isTuple ? shape[2 + Number(key)] : shape[1]) as Shape | undefined;
    const at = visitor.element(key, context);
    return of === undefined ? visitor.misfit(element, at) : mapShape(of, element, visitor, at);
  };
  if (Array.isArray(value)) return value.map(map);
  return Object.fromEntries(
    Object.entries(value as Members).map(([key, element]) => [
      visitor.key?.(key) ?? key,
      map(element, key),
    ]),
  );
};

/** Whether a value has the JSON type of a shape. */
const fits = (shape: Shape, value: unknown): boolean => {
  if (typeof shape === "string") return shape.includes(ANY) || letters(value).test(shape);
  if (!isTagged(shape)) return typeof shape === "function" || isObject(value);
  switch (shape[0]) {
    case "[":
      return Array.isArray(value);
    case "(":
      return Array.isArray(value) && (shape[1] !== true || value.length === shape.length - 2);
    case "=":
      return shape.includes(value as never);
    default:
      return isObject(value);
  }
};

const isRecordOf = (shape: Shape, value: unknown): boolean =>
  isTagged(shape) && shape[0] === "@" && (shape[1] as Shaped).is?.(value) === true;

/** The letters under which a value may stand; the checks tell kinds of numbers apart. */
const letters = (value: unknown): RegExp =>
  value === null ? /n/u : (LETTERS[typeof value as keyof typeof LETTERS] ?? /(?!)/u);

const LETTERS = { string: /s/u, boolean: /b/u, number: /[iuf]/u } as const;
