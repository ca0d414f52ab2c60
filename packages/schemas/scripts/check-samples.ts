/**
 * `node scripts/check-samples.ts DIR` decodes every record of a folder of captured payloads with a
 * manifest and prints the deviations that `Drift` counts. Exits with 1 if a record of a live
 * deployment is refused.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { recordKinds } from "../src/Check.ts";
import * as Drift from "../src/Drift.ts";

/** An entry of the manifest. */
interface Entry {
  readonly file: string;
  readonly kind: string;
  readonly envelope: string;
  readonly records_at: string;
  readonly generation: "developer-api" | "legacy" | "third-party-wrapped";
}

/** The records that the manifest calls by other names. Texts and headers are not records. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "Character.passives": "Passives",
  CurrencyExchange: "Market",
  Error: "ErrorObject",
};

const [folder = process.env["GAME_DATA_WIRE_SAMPLES"] ?? ""] = process.argv.slice(2);
const read = (file: string): any => JSON.parse(readFileSync(join(folder, file), "utf8"));

/** Returns the values at a place in which `*` is any key. */
const valuesAt = (value: any, [key, ...rest]: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  if (key === undefined) return [value];
  const keys = key === "*" ? Object.keys(value as object) : [key];
  return keys.flatMap((one) => valuesAt(value[one], rest));
};

/** Returns the records of a file. Passive trees have the items of their jewels beside them. */
const recordsIn = ({ envelope, file, kind, records_at }: Entry) => {
  const name = OTHER_NAMES[kind] ?? kind;
  if (!recordKinds.has(name)) return [];
  const body: unknown = read(file);
  const jewels = envelope.includes("jewels") ? valuesAt(body, ["jewels", "*", "*"]) : [];
  return [
    ...valuesAt(body, records_at.split("/").slice(1)).map((value) => [name, value] as const),
    ...jewels.map((value) => ["Item", value] as const),
  ];
};

const deviations: Array<Drift.Deviation> = [];
const totals: Record<string, { records: number; refused: number }> = {};
for (const entry of read("manifest.json") as ReadonlyArray<Entry>) {
  const total = (totals[entry.generation] ??= { records: 0, refused: 0 });
  for (const [name, value] of recordsIn(entry)) {
    const record = recordKinds.get(name)!;
    total.records += 1;
    deviations.push(...Drift.report(record, value, { explicit: true }));
    const result = record.safeDecode(value);
    if (result.ok) continue;
    total.refused += 1;
    if (entry.generation === "developer-api") {
      console.error(`${entry.file}: ${result.error.message}`);
      process.exitCode = 1;
    }
  }
}

console.table(totals);
console.table(Object.fromEntries([...Drift.summary(deviations)].toSorted()));
