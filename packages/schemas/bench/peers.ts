/**
 * The same schema for every library, built from one definition: the shape of our own schema. All of
 * them keep unknown members, know every key of an item and its recursion, and check whole and
 * unsigned numbers.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { scope } from "arktype";
import { Schema } from "effect";
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler";
import { Compile } from "typebox/schema";
import * as v from "valibot";
import { z } from "zod";
import { shapeOf } from "../src/internal/shapeOf.ts";
import { makeJsonSchemaWriter } from "../src/JsonSchema.ts";
import type { Shape, Shaped } from "../src/plain/Shape.ts";
import { interpreted } from "../scripts/interpreted.ts";
import { acceptsNull, besidesNull } from "../scripts/shapes.ts";

/** Checks a value or throws. */
export type Contender = (value: unknown) => unknown;

const throwing = (name: string, check: (value: unknown) => boolean): Contender => {
  return (value) => {
    if (!check(value)) throw new Error(`${name} refuses the value`);
  };
};

/** All contenders but ours, for one schema. */
export const peersOf = (schema: Schema.Codec<unknown>): Readonly<Record<string, Contender>> => {
  const { definitions, write } = makeJsonSchemaWriter();
  const json = { ...write(schema), $defs: definitions };
  const ajv = new Ajv2020({ strict: false }).compile(json);
  const typebox = Compile(json);
  const shape = shapeOf(schema.ast);
  const aliases: Record<string, unknown> = {};
  const root = build(arktype(aliases), shape);
  const ark = scope({ ...aliases, Root: root } as never).export() as unknown as {
    readonly Root: { readonly assert: Contender };
  };
  const inZod = build(zod, shape);
  const inValibot = build(valibot, shape);
  const jit = interpreted(schema);
  const plain = Schema.make<Schema.Codec<unknown>>(interpreted(schema).ast).annotate({});
  const interpretedDecode = Schema.decodeUnknownSync(plain);
  SchemaJITCompiler.enable(jit.ast);
  const jitDecode = Schema.decodeUnknownSync(jit);
  return {
    "effect, interpreted": interpretedDecode,
    "effect, JIT": jitDecode,
    zod: (value) => inZod.parse(value),
    valibot: (value) => v.parse(inValibot, value),
    arktype: (value) => ark.Root.assert(value),
    ajv: throwing("ajv", (value) => ajv(value)),
    typebox: throwing("typebox", (value) => typebox.Check(value)),
  };
};

/** A member's type, and whether it may be absent. */
type Members<A> = ReadonlyArray<readonly [name: string, type: A, isOptional: boolean]>;

/** How a library says what shapes say. */
interface Library<A> {
  readonly letters: Readonly<Record<string, A>>;
  readonly nullable: (type: A) => A;
  readonly literal: (value: string | boolean) => A;
  readonly union: (types: ReadonlyArray<A>) => A;
  readonly list: (element: A) => A;
  readonly dictionary: (element: A) => A;
  readonly tuple: (elements: ReadonlyArray<A>, isExact: boolean) => A;
  readonly structure: (members: Members<A>) => A;
  /** A record, which may refer to itself. */
  readonly record: (name: string, make: () => A) => A;
  readonly itself: (name: string, get: () => A) => A;
}

const build = <A>(library: Library<A>, root: Shape): A => {
  const known = new Map<Shaped, A>();
  const record = (shaped: Shaped): A => {
    const found = known.get(shaped) ?? library.record(shaped.name, () => of(shaped.shape));
    known.set(shaped, found);
    return found;
  };
  const oneOf = (types: ReadonlyArray<A>): A =>
    types.length === 1 ? types[0]! : library.union(types);
  const of = (shape: Shape): A => {
    if (typeof shape === "function") return library.itself(shape().name, () => record(shape()));
    if (shape !== "a" && acceptsNull(shape)) return library.nullable(of(besidesNull(shape)));
    if (typeof shape === "string") return oneOf([...shape].map((one) => library.letters[one]!));
    if (!Array.isArray(shape))
      return library.structure(
        Object.entries(shape).map(([key, member]) => [
          key.replace("?", ""),
          of(member),
          key.endsWith("?"),
        ]),
      );
    const [tag, inner, ...more] = shape as readonly [string, any, ...Array<any>];
    switch (tag) {
      case "@":
        return record(inner);
      case "=":
        return oneOf([inner, ...more].map(library.literal));
      case "[":
        return library.list(of(inner));
      case "{":
        return library.dictionary(of(inner));
      case "(":
        return library.tuple(more.map(of), inner);
      case "?":
        return oneOf(Object.values<Shape>(more[1]).map(of));
      default:
        return oneOf([inner, ...more].map(of));
    }
  };
  return of(root);
};

const zod: Library<z.ZodType> = {
  letters: {
    s: z.string(),
    b: z.boolean(),
    i: z.int(),
    u: z.int().nonnegative(),
    f: z.number(),
    a: z.any(),
  },
  nullable: (type) => type.nullable(),
  literal: (value) => z.literal(value),
  union: (types) => z.union(types),
  list: (element) => z.array(element),
  dictionary: (element) => z.record(z.string(), element),
  tuple: (elements, isExact) => {
    const types = elements as [z.ZodType, ...Array<z.ZodType>];
    return isExact ? z.tuple(types) : z.tuple(types, z.any());
  },
  structure: (members) =>
    z.looseObject(
      Object.fromEntries(
        members.map(([name, type, isOptional]) => [name, isOptional ? type.optional() : type]),
      ),
    ),
  record: (_, make) => make(),
  itself: (_, get) => z.lazy(get),
};

const valibot: Library<v.GenericSchema> = {
  letters: {
    s: v.string(),
    b: v.boolean(),
    i: v.pipe(v.number(), v.safeInteger()),
    u: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    f: v.pipe(v.number(), v.finite()),
    a: v.any(),
  },
  nullable: (type) => v.nullable(type),
  literal: (value) => v.literal(value),
  union: (types) => v.union([...types]),
  list: (element) => v.array(element),
  dictionary: (element) => v.record(v.string(), element),
  tuple: (elements, isExact) =>
    isExact ? v.strictTuple([...elements]) : v.looseTuple([...elements]),
  structure: (members) =>
    v.looseObject(
      Object.fromEntries(
        members.map(([name, type, isOptional]) => [name, isOptional ? v.optional(type) : type]),
      ),
    ),
  record: (_, make) => make(),
  itself: (_, get) => v.lazy(get),
};

/** arktype's own notation, with a name for each record. */
const arktype = (aliases: Record<string, unknown>): Library<unknown> => {
  const union = (types: ReadonlyArray<unknown>): unknown =>
    types.reduce((left, right) =>
      typeof left === "string" && typeof right === "string"
        ? `${left} | ${right}`
        : [left, "|", right],
    );
  return {
    letters: {
      s: "string",
      b: "boolean",
      i: "number.integer",
      u: "number.integer >= 0",
      f: "number",
      a: "unknown",
    },
    nullable: (type) => union([type, "null"]),
    literal: (value) => JSON.stringify(value),
    union,
    list: (element) => [element, "[]"],
    dictionary: (element) => (element === "unknown" ? "object" : { "[string]": element }),
    tuple: (elements, isExact) => (isExact ? elements : [...elements, "...", "unknown[]"]),
    structure: (members) =>
      Object.fromEntries(
        members.map(([name, type, isOptional]) => [isOptional ? `${name}?` : name, type]),
      ),
    record: (name, make) => {
      aliases[name] = make();
      return name;
    },
    itself: (name) => name,
  };
};
