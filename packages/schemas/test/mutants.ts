/** Values of every record, damaged copies of them, and what each reader makes of them. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { Arbitrary, Effect, Schema } from "effect";
import { recordKinds } from "../src/Check.ts";
import * as Schemas from "../src/effect/index.ts";
import { recordsDocument } from "../src/JsonSchema.ts";
import { fixtures } from "./fixtures.ts";
import { mutate, randomOf } from "./mutate.ts";
import { placesOfDrift, placesOfEffect, placesOfPlain } from "./places.ts";

const { $defs, $schema } = recordsDocument();
const ajv = new Ajv2020({ strict: false, code: { optimize: false } });
ajv.addSchema({ $schema, $defs }, "records");

/** The readers of each record. */
export const readers = [...recordKinds].map(([name, plain]) => {
  const schema = (Schemas as unknown as Record<string, Schemas.Wire<unknown>>)[name]!;
  // Effect interprets the members of an annotated schema.
  const isInterpreted = Schema.is(schema.annotate({}));
  const isOfJsonSchema = ajv.getSchema(`records#/$defs/${name}`)!;
  const sampled = Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 12, seed: 7 });
  const samples = Effect.runSync(sampled).map((one) => JSON.parse(JSON.stringify(one)) as unknown);
  return {
    name,
    samples,
    /** A value like those of services if there is one. */
    values: Object.hasOwn(fixtures, name) ? [fixtures[name]] : samples,
    /** Returns the verdict on a value, or what the readers say if they disagree. */
    judge: (value: unknown): boolean | object => {
      const verdict = plain.is(value);
      const places = {
        plain: placesOfPlain(plain, value),
        effect: placesOfEffect(schema, value),
        drift: placesOfDrift(schema, value),
      };
      const verdicts = [Schema.is(schema)(value), isInterpreted(value), isOfJsonSchema(value)];
      const isSame =
        verdicts.every((one) => one === verdict) &&
        Object.values(places).every(
          (one) => (one.length === 0) === verdict && one.join() === places.plain.join(),
        );
      const isKept = !verdict || Schema.decodeUnknownSync(schema)(value) === value;
      return isSame && isKept ? verdict : { name, value, verdict, ...places };
    },
  };
});

/** Judges a number of mutants: how many are refused, and the first disagreements. */
export const judgeMutants = (count: number, seed: number) => {
  const random = randomOf(seed);
  const disagreements: Array<object> = [];
  let refused = 0;
  for (let index = 0; index < count; index++) {
    const { judge, values } = readers[index % readers.length]!;
    let mutant = mutate(values[index % values.length], random);
    // Every third mutant has a second fault, every ninth a third one.
    for (let more = index; more % 3 === 0 && more > 0; more /= 3) mutant = mutate(mutant, random);
    const verdict = judge(mutant);
    if (verdict === false) refused += 1;
    if (typeof verdict === "object" && disagreements.length < 5) disagreements.push(verdict);
  }
  return { disagreements, refused };
};
