/**
 * `node scripts/check-samples.ts DIR`: decodes every record of a folder of captured payloads,
 * compares `Drift` with the manifest, checks every record and a damaged copy of it against the
 * interpreter, and prints the differences. Exits with 1 if a record of a live deployment is refused
 * or changed.
 */
import { Exit, Schema } from "effect";
import * as Drift from "../src/Drift.ts";
import { interpreted } from "./interpreted.ts";
import { mutate, randomOf } from "./mutate.ts";
import { body, bodySchemaOf, claimed, counted, manifest, recordsOf } from "./samples.ts";

const [folder = process.env["GAME_DATA_WIRE_SAMPLES"] ?? ""] = process.argv.slice(2);

const random = randomOf(23);
const refusedBy = new Map<string, number>();
const differences = new Map<string, { claimed: number; counted: number; files: number }>();
const failures: Array<string> = [];
const totals = new Map<string, { records: number; refused: number }>();

for (const entry of manifest(folder)) {
  const total = totals.get(entry.generation) ?? { records: 0, refused: 0 };
  totals.set(entry.generation, total);
  for (const { schema, pointer, value } of recordsOf(folder, entry)) {
    const before = JSON.stringify(value);
    const exit = Schema.decodeUnknownExit(schema)(value);
    const refusals = Drift.typeErrors(schema, value);
    total.records += 1;
    for (const candidate of [value, mutate(value, random)]) {
      if (Schema.is(schema)(candidate) !== Schema.is(interpreted(schema))(candidate)) {
        failures.push(`${entry.file}${pointer}: check and interpreter disagree`);
      }
    }
    if (Exit.isSuccess(exit) !== (refusals.length === 0))
      failures.push(`${entry.file}${pointer}: check and Drift disagree`);
    if (Exit.isSuccess(exit) && (exit.value !== value || JSON.stringify(exit.value) !== before)) {
      failures.push(`${entry.file}${pointer}: changed`);
    }
    if (Exit.isSuccess(exit)) continue;
    total.refused += 1;
    if (entry.generation === "developer-api") failures.push(`${entry.file}${pointer}: refused`);
    for (const { kind, member, actual } of new Map(
      refusals.map((one) => [one.member, one]),
    ).values()) {
      const key = `${kind} ${member}: ${actual}`;
      refusedBy.set(key, (refusedBy.get(key) ?? 0) + 1);
    }
  }
  const whole = bodySchemaOf(entry.kind);
  if (
    whole !== undefined &&
    entry.generation === "developer-api" &&
    !Schema.is(whole)(body(folder, entry))
  ) {
    failures.push(`${entry.file}: body refused`);
  }
  const [said, found] = [claimed(entry), counted(folder, entry)];
  for (const key of new Set([...said.keys(), ...found.keys()])) {
    const [a, b] = [said.get(key) ?? 0, found.get(key) ?? 0];
    if (a === b) continue;
    const old = differences.get(key) ?? { claimed: 0, counted: 0, files: 0 };
    differences.set(key, {
      claimed: old.claimed + a,
      counted: old.counted + b,
      files: old.files + 1,
    });
  }
}

console.log("records and refused, by generation:", Object.fromEntries(totals));
console.log("records refused, by member:", Object.fromEntries(refusedBy));
console.log("deviations that differ from the manifest:");
console.table(Object.fromEntries([...differences].toSorted(([a], [b]) => a.localeCompare(b))));
for (const failure of failures.slice(0, 20)) console.error(failure);
console.log(`${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
