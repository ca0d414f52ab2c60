/**
 * Every path of real-shaped records, with every other type in its place: the compiled check, Effect,
 * its interpreter, `Drift.typeErrors` and ajv over the JSON Schema give the same verdict on each of
 * them, and name the same places.
 *
 * `node scripts/manyValues.ts 60000` makes that many; CI makes 10 000.
 */
import { Schema } from "effect";
import { expect, it } from "vitest";
import * as Schemas from "../src/effect/index.ts";
import * as Plain from "../src/index.ts";
import type { PlainRecord } from "../src/index.ts";
import { interpreted } from "../scripts/interpreted.ts";
import { randomOf } from "../scripts/mutate.ts";
import { fixtures } from "./fixtures.ts";
import { ajvOf, placesOfDrift, placesOfEffect, placesOfPlain } from "./places.ts";

const MUTANTS = Number(process.env["MUTANTS"] ?? 500);
const OTHERS: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  "",
  "1",
  "constructor",
  [],
  [[]],
  [""],
  [1, null],
  {},
  { a: 1 },
  JSON.parse('{"__proto__":{"id":1},"id?":5}'),
];

type Path = ReadonlyArray<string | number>;
type Container = Record<string | number, unknown>;

/** What is done to a member or an element of its container. */
const EDITS: ReadonlyArray<(container: Container, key: string | number, other: unknown) => void> = [
  (container, key, other) => (container[key] = other),
  (container, key) => {
    if (Array.isArray(container)) container.splice(Number(key), 1);
    else delete container[key];
  },
  (container, key, other) => {
    if (Array.isArray(container)) container.push(other);
    else container[`${key}?`] = other;
  },
  (container, key, other) => {
    Object.defineProperty(container, Array.isArray(container) ? key : "__proto__", {
      value: other,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  },
];

const pathsOf = (value: unknown): ReadonlyArray<Path> => {
  if (typeof value !== "object" || value === null) return [[]];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [[], ...entries.flatMap(([key, member]) => pathsOf(member).map((path) => [key, ...path]))];
};

/** A copy of the value with an edit at the path. */
const edited = (value: unknown, path: Path, edit: (typeof EDITS)[number], other: unknown) => {
  const key = path.at(-1);
  if (key === undefined) return other;
  const copy = structuredClone(value);
  edit(
    path.slice(0, -1).reduce<any>((at, step) => at[step], copy),
    key,
    structuredClone(other),
  );
  return copy;
};

it(`agree on verdict and places of ${MUTANTS} mutants`, { timeout: 900_000 }, () => {
  const random = randomOf(38);
  const pick = <T>(list: ReadonlyArray<T>): T => list[Math.floor(random() * list.length)]!;
  const ajv = ajvOf();
  const readers = Object.entries(fixtures).map(([name, value]) => {
    const schema = (Schemas as unknown as Record<string, Schema.Codec<unknown>>)[name]!;
    return {
      name,
      value,
      paths: pathsOf(value),
      plain: (Plain as unknown as Record<string, PlainRecord<unknown>>)[name]!,
      schema,
      isInterpreted: Schema.is(interpreted(schema)),
      placesOfJson: ajv(name),
    };
  });
  let refused = 0;
  const disagreements: Array<string> = [];
  for (let count = 0; count < MUTANTS; count++) {
    const { isInterpreted, name, paths, placesOfJson, plain, schema, value } =
      readers[count % readers.length]!;
    let mutant = edited(value, pick(paths), pick(EDITS), pick(OTHERS));
    // Every third one has a second fault, every ninth a third one.
    for (let more = count; more % 3 === 0 && more > 0; more /= 3)
      mutant = edited(mutant, pick(pathsOf(mutant)), pick(EDITS), pick(OTHERS));
    const verdict = plain.is(mutant);
    if (!verdict) refused += 1;
    const verdicts = [Schema.is(schema)(mutant), isInterpreted(mutant)];
    const places = {
      plain: placesOfPlain(plain, mutant),
      effect: placesOfEffect(schema, mutant),
      drift: placesOfDrift(schema, mutant),
      ajv: placesOfJson(mutant),
    };
    const isSame =
      verdicts.every((one) => one === verdict) &&
      Object.values(places).every(
        (one) => (one.length === 0) === verdict && one.join() === places.plain.join(),
      );
    if (!isSame) disagreements.push(`${name} ${JSON.stringify({ mutant, verdict, ...places })}`);
  }
  expect(disagreements.slice(0, 5)).toEqual([]);
  expect(refused).toBeGreaterThan(MUTANTS / 3);
  expect(refused).toBeLessThan(MUTANTS);
});
