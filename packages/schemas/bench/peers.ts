/**
 * The same record for every library, made from the shape of our record. All of them keep unknown
 * members, know every key of an item and its recursion, and check unsigned numbers.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { Schema } from "effect";
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler";
import { Compile } from "typebox/schema";
import { z } from "zod";
import { recordSchema } from "../src/effect/index.ts";
import { makeJsonSchemaWriter } from "../src/JsonSchema.ts";
import type { LeafType, PlainRecord, Shape } from "../src/PlainRecord.ts";
import { interpreted } from "./interpreted.ts";

/** Checks a value or throws. */
export type Contender = (value: unknown) => unknown;

const throwing = (name: string, check: (value: unknown) => boolean): Contender => {
  return (value) => {
    if (!check(value)) throw new Error(`${name} refuses the value`);
  };
};

/** Returns all contenders but ours for a record. */
export const peersOf = (record: PlainRecord<unknown>): Readonly<Record<string, Contender>> => {
  const { definitions, write } = makeJsonSchemaWriter();
  const json = { ...write(record), $defs: definitions };
  const ajv = new Ajv2020({ strict: false }).compile(json);
  const typebox = Compile(json);
  const inZod = toZod(record);
  const schema = recordSchema(record);
  const jit = interpreted(schema);
  const plain = Schema.make<Schema.Codec<unknown>>(interpreted(schema).ast).annotate({});
  SchemaJITCompiler.enable(jit.ast);
  return {
    "effect, interpreted": Schema.decodeUnknownSync(plain),
    "effect, JIT": Schema.decodeUnknownSync(jit),
    zod: (value) => inZod.parse(value),
    ajv: throwing("ajv", (value) => ajv(value)),
    typebox: throwing("typebox", (value) => typebox.Check(value)),
  };
};

const LEAVES: { readonly [type in LeafType]: z.ZodType } = {
  string: z.string(),
  bool: z.boolean(),
  uint: z.int().nonnegative(),
  int: z.int(),
  float: z.number(),
  any: z.any(),
};

const toZod = (root: PlainRecord<unknown>): z.ZodType => {
  const records = new Map<PlainRecord<unknown>, z.ZodType>();
  const define = (record: PlainRecord<unknown>): z.ZodType => {
    const made = records.get(record) ?? build(record.shape, record);
    records.set(record, made);
    return made;
  };
  const build = (shape: Shape, self: PlainRecord<unknown>): z.ZodType => {
    const of = (inner: Shape) => build(inner, self);
    switch (shape.kind) {
      case "leaf":
      case "words":
        return LEAVES[shape.type];
      case "literal":
        return z.literal([...shape.values]);
      case "list":
        return z.array(of(shape.of));
      case "pair":
        return z.tuple(shape.of.map(of) as [z.ZodType, z.ZodType], z.any());
      case "dictionary":
        return z.union([z.record(z.string(), of(shape.of)), z.tuple([])]);
      case "either":
        return z.union(shape.of.map(of));
      case "record":
        return define(shape.record);
      case "cases":
        return z.union([...shape.of.values()].map(define));
      case "this":
        return z.lazy(() => define(self));
      case "structure":
        return z.looseObject(
          Object.fromEntries(
            [...shape.members].map(([name, member]) => {
              const type = member.canBeNull ? of(member.shape).nullable() : of(member.shape);
              return [name, member.canBeAbsent ? type.optional() : type];
            }),
          ),
        );
    }
  };
  return define(root);
};
