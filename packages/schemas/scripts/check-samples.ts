/**
 * `node scripts/check-samples.ts DIR`: decodes every record of a folder of captured payloads with a
 * manifest, and checks it and a damaged copy of it against the interpreter. Prints the deviations
 * that `Drift` counts. Exits with 1 if a record of a live deployment is refused or changed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Exit, Schema } from "effect";
import * as Drift from "../src/Drift.ts";
import * as Schemas from "../src/effect/index.ts";
import { interpreted } from "./interpreted.ts";
import { mutate, randomOf } from "./mutate.ts";

/** One file of the manifest. */
interface Entry {
  readonly file: string;
  readonly kind: string;
  readonly envelope: string;
  readonly records_at: string;
  readonly generation: "developer-api" | "legacy" | "third-party-wrapped";
}

type Codec = Schema.Codec<unknown>;

/** The schemas of kinds that are called otherwise. Texts and headers have none. */
const OTHER_NAMES: Readonly<Record<string, Codec>> = {
  "Character.passives": Schemas.Passives,
  CurrencyExchange: Schemas.Market,
  Error: Schemas.ErrorObject,
};

const schemaOf = (kind: string): Codec | undefined =>
  OTHER_NAMES[kind] ?? (Schemas as unknown as Readonly<Record<string, Codec>>)[kind];

/** Bodies that have a schema as a whole. */
const WHOLE: Readonly<Record<string, Codec>> = {
  CurrencyExchange: Schemas.CurrencyExchangePage,
  PublicStashChange: Schemas.PublicStashPage,
};

const [folder = process.env["GAME_DATA_WIRE_SAMPLES"] ?? ""] = process.argv.slice(2);
const read = (file: string): any => JSON.parse(readFileSync(join(folder, file), "utf8"));

type Placed = readonly [pointer: string, value: unknown];

/** The values at a place in which `*` is any key. */
const valuesAt = (
  value: any,
  [key, ...rest]: ReadonlyArray<string>,
  at = "",
): ReadonlyArray<Placed> =>
  key === undefined
    ? [[at, value]]
    : (key === "*" ? Object.keys(value as object) : [key]).flatMap((name) =>
        valuesAt(value[name], rest, `${at}/${name}`),
      );

/** The records of a file with their schemas. Passive trees come with the items of their jewels. */
const recordsOf = ({ envelope, file, kind, records_at }: Entry) => {
  const schema = schemaOf(kind);
  if (schema === undefined) return [];
  const jewels = envelope.includes("jewels") ? valuesAt(read(file), ["jewels", "*", "*"]) : [];
  return [
    ...valuesAt(read(file), records_at.split("/").slice(1)).map((one) => [schema, ...one] as const),
    ...jewels.map((one) => [Schemas.Item as Codec, ...one] as const),
  ];
};

const add = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const random = randomOf(23);
const refusedBy = new Map<string, number>();
const found = new Map<string, number>();
const failures: Array<string> = [];
const totals = new Map<string, { records: number; refused: number }>();

for (const entry of read("manifest.json") as ReadonlyArray<Entry>) {
  const { file, generation, kind } = entry;
  const isLive = generation === "developer-api";
  const total = totals.get(generation) ?? { records: 0, refused: 0 };
  totals.set(generation, total);
  for (const [schema, pointer, value] of recordsOf(entry)) {
    const fail = (reason: string) => failures.push(`${file}${pointer}: ${reason}`);
    const before = JSON.stringify(value);
    const exit = Schema.decodeUnknownExit(schema)(value);
    const refusals = Drift.typeErrors(schema, value);
    total.records += 1;
    for (const candidate of [value, mutate(value, random)])
      if (Schema.is(schema)(candidate) !== Schema.is(interpreted(schema))(candidate))
        fail("check and interpreter disagree");
    if (Exit.isSuccess(exit) !== (refusals.length === 0)) fail("check and Drift disagree");
    if (Exit.isSuccess(exit) && (exit.value !== value || JSON.stringify(exit.value) !== before))
      fail("changed");
    for (const { actual, kind: how, member } of Drift.report(schema, value, { explicit: true }))
      add(found, `${how} ${member}: ${actual}`);
    if (Exit.isSuccess(exit)) continue;
    total.refused += 1;
    if (isLive) fail("refused");
    const byMember = new Map(refusals.map((one) => [one.member, one]));
    for (const { actual, kind: how, member } of byMember.values())
      add(refusedBy, `${how} ${member}: ${actual}`);
  }
  if (isLive && WHOLE[kind] && !Schema.is(WHOLE[kind])(read(file)))
    failures.push(`${file}: body refused`);
}

console.log("records and refused, by generation:", Object.fromEntries(totals));
console.log("records refused, by member:", Object.fromEntries(refusedBy));
console.log("deviations, by member:");
console.table(Object.fromEntries([...found].toSorted(([a], [b]) => a.localeCompare(b))));
for (const failure of failures.slice(0, 20)) console.error(failure);
console.log(`${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
