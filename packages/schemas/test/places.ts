/** The places for which each reader refuses a value, as sorted JSON pointers. */
import { Exit, Schema, type SchemaIssue } from "effect";
import * as Drift from "../src/Drift.ts";
import type { PlainRecord } from "../src/index.ts";

/** The number of places that Effect's decoders name. */
const LIMIT = 100;

const sorted = (pointers: Iterable<string>): ReadonlyArray<string> =>
  [...new Set(pointers)].toSorted();

const pointerOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Returns the places of the plain record. */
export const placesOfPlain = (record: PlainRecord<unknown>, value: unknown) => {
  const result = record.safeDecode(value, { issues: LIMIT });
  return result.ok ? [] : sorted(result.error.issues.map(({ pointer }) => pointer));
};

/** Returns the places of the Effect Schema. */
export const placesOfEffect = (schema: Schema.Codec<unknown>, value: unknown) => {
  const exit = Schema.decodeUnknownExit(schema, { errors: "all" })(value);
  if (Exit.isSuccess(exit)) return [];
  const [reason] = exit.cause.reasons as ReadonlyArray<{ readonly error?: Schema.SchemaError }>;
  return sorted(pathsOf(reason!.error!.issue).map(pointerOf));
};

const pathsOf = (issue: SchemaIssue.Issue): ReadonlyArray<ReadonlyArray<PropertyKey>> => {
  if (issue._tag === "Composite") return issue.issues.flatMap(pathsOf);
  if (issue._tag !== "Pointer") return [[]];
  return pathsOf(issue.issue).map((path) => [...issue.path, ...path]);
};

/** Returns the places of `Drift.typeErrors`. */
export const placesOfDrift = (schema: Drift.Source, value: unknown) =>
  sorted(Drift.typeErrors(schema, value, { limit: LIMIT }).map(({ pointer }) => pointer));
