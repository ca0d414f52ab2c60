/**
 * Every path of real-shaped records, with every other type in its place: the compiled check, the
 * interpreted schema, the shape and ajv over the JSON Schema agree on each of them.
 *
 * `MUTANTS=38000 vitest run test/mutants.test.ts` makes that many; CI makes 10 000.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { Schema } from "effect";
import { expect, it } from "vitest";
import * as Drift from "../src/Drift.ts";
import * as Schemas from "../src/effect/index.ts";
import { recordsDocument } from "../src/JsonSchema.ts";
import * as Plain from "../src/index.ts";
import type { PlainRecord } from "../src/index.ts";
import { blame } from "../src/plain/blame.ts";
import { interpreted } from "../scripts/interpreted.ts";
import { randomOf } from "../scripts/mutate.ts";
import { fixtures } from "./fixtures.ts";

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
  [],
  [[]],
  [""],
  {},
  { a: 1 },
];

type Path = ReadonlyArray<string | number>;

const pathsOf = (value: unknown): ReadonlyArray<Path> => {
  if (typeof value !== "object" || value === null) return [[]];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [[], ...entries.flatMap(([key, member]) => pathsOf(member).map((path) => [key, ...path]))];
};

/** A copy of the value with another one at the path, or without what is there. */
const replaced = (
  value: unknown,
  [key, ...rest]: Path,
  other: unknown,
  isRemoval: boolean,
): unknown => {
  if (key === undefined) return other;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string,
    unknown
  >;
  if (rest.length === 0 && isRemoval && !Array.isArray(copy)) delete copy[key];
  else copy[key] = replaced(copy[key], rest, other, isRemoval);
  return copy;
};

it(`agree on ${MUTANTS} mutants`, { timeout: 600_000 }, () => {
  const all = Object.entries(fixtures).flatMap(([name, value]) =>
    pathsOf(value).flatMap((path) => [
      ...OTHERS.map((other) => ({ name, value, path, other, isRemoval: false })),
      { name, value, path, other: undefined, isRemoval: true },
    ]),
  );
  const random = randomOf(38);
  const rounds = Math.ceil(MUTANTS / all.length);
  const chosen = all
    .map((mutant) => ({ mutant, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ mutant }) => mutant);
  const ajv = new Ajv2020({ strict: true, strictTuples: false, code: { optimize: false } });
  ajv.addSchema(recordsDocument(), "records");
  const judges = new Map(
    Object.keys(fixtures).map((name) => {
      const schema = (Schemas as unknown as Record<string, Schema.Codec<unknown>>)[name]!;
      return [
        name,
        {
          plain: (Plain as unknown as Record<string, PlainRecord<unknown>>)[name]!,
          schema,
          isInterpreted: Schema.is(interpreted(schema)),
          isJson: ajv.getSchema(`records#/$defs/${name}`)!,
        },
      ] as const;
    }),
  );
  let count = 0;
  let refused = 0;
  const disagreements: Array<string> = [];
  for (let round = 0; round < rounds; round++) {
    for (const { name, value, path, other, isRemoval } of chosen) {
      if (count === MUTANTS) break;
      count += 1;
      // Later rounds change a second place as well.
      const once = replaced(value, path, other, isRemoval);
      const second = pathsOf(once);
      const mutant =
        round === 0
          ? once
          : replaced(
              once,
              second[Math.floor(random() * second.length)]!,
              OTHERS[count % OTHERS.length],
              false,
            );
      const { isInterpreted, isJson, plain, schema } = judges.get(name)!;
      const verdict = plain.is(mutant);
      if (!verdict) refused += 1;
      const others = {
        effect: Schema.is(schema)(mutant),
        interpreted: isInterpreted(mutant),
        ajv: isJson(mutant),
        shape: blame(plain.shape, mutant, 1).count === 0,
        drift: Drift.typeErrors(schema, mutant, { limit: 1 }).length === 0,
      };
      if (Object.values(others).some((one) => one !== verdict))
        disagreements.push(`${name} /${path.join("/")} ${JSON.stringify({ verdict, ...others })}`);
    }
  }
  expect(disagreements.slice(0, 10)).toEqual([]);
  expect(count).toBe(MUTANTS);
  expect(refused).toBeGreaterThan(MUTANTS / 3);
  expect(refused).toBeLessThan(MUTANTS);
});
