/**
 * Values of every record, and damaged copies of them: the compiled check, Effect, its interpreter,
 * `Drift.typeErrors` and ajv over the JSON Schema give the same verdict on each of them, and those
 * of the package name the same places. An accepted value is returned itself.
 *
 * `node scripts/manyValues.ts 60000` damages that many; CI makes 10 000.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { Arbitrary, Effect, Schema } from "effect";
import { expect, it } from "vitest";
import * as Schemas from "../src/effect/index.ts";
import * as Plain from "../src/index.ts";
import type { PlainRecord } from "../src/index.ts";
import { recordsDocument } from "../src/JsonSchema.ts";
import { targets } from "../scripts/generate.ts";
import { interpreted } from "../scripts/interpreted.ts";
import { mutate, randomOf } from "../scripts/mutate.ts";
import { fixtures } from "./fixtures.ts";
import { placesOfDrift, placesOfEffect, placesOfPlain } from "./places.ts";

const MUTANTS = Number(process.env["MUTANTS"] ?? 2000);

const { $defs, $schema } = recordsDocument();
const ajv = new Ajv2020({ strict: false, code: { optimize: false } });
ajv.addSchema({ $schema, $defs }, "records");
const readers = (await targets()).map(({ name }) => {
  const schema = (Schemas as unknown as Record<string, Schema.Codec<unknown>>)[name]!;
  const isInterpreted = Schema.is(interpreted(schema));
  const plain = (Plain as unknown as Record<string, PlainRecord<unknown>>)[name]!;
  const isOfJsonSchema = ajv.getSchema(`records#/$defs/${name}`)!;
  const sampled = Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 12, seed: 7 });
  const samples = Effect.runSync(sampled).map((one) => JSON.parse(JSON.stringify(one)) as unknown);
  return {
    name,
    /** Like real ones, where there is such a value. */
    values: Object.hasOwn(fixtures, name) ? [fixtures[name]] : samples,
    samples,
    /** The verdict, or what the readers say if it is not the same. */
    judge: (value: unknown): boolean | object => {
      const verdict = plain.is(value);
      const places = {
        plain: placesOfPlain(plain, value),
        effect: placesOfEffect(schema, value),
        drift: placesOfDrift(schema, value),
      };
      const isSame =
        [Schema.is(schema)(value), isInterpreted(value), isOfJsonSchema(value)].every(
          (one) => one === verdict,
        ) &&
        Object.values(places).every(
          (one) => (one.length === 0) === verdict && one.join() === places.plain.join(),
        );
      const isKept = !verdict || Schema.decodeUnknownSync(schema)(value) === value;
      return isSame && isKept ? verdict : { name, value, verdict, ...places };
    },
  };
});

it.for(readers)("agree on arbitrary values of $name", ({ judge, samples }) => {
  for (const sample of samples) expect(judge(sample)).toBe(true);
});

it(`agree on verdict and places of ${MUTANTS} mutants`, { timeout: 900_000 }, () => {
  const random = randomOf(38);
  let refused = 0;
  const disagreements: Array<object> = [];
  for (let count = 0; count < MUTANTS; count++) {
    const { judge, values } = readers[count % readers.length]!;
    let mutant = mutate(values[count % values.length], random);
    // Every third one has a second fault, every ninth a third one.
    for (let more = count; more % 3 === 0 && more > 0; more /= 3) mutant = mutate(mutant, random);
    const verdict = judge(mutant);
    if (verdict === false) refused += 1;
    if (typeof verdict === "object") disagreements.push(verdict);
  }
  expect(disagreements.slice(0, 5)).toEqual([]);
  expect(refused).toBeGreaterThan(MUTANTS / 3);
  expect(refused).toBeLessThan(MUTANTS);
});
