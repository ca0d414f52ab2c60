/** The places for which each reader refuses a value, as sorted JSON pointers. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { Exit, Schema, type SchemaIssue } from "effect";
import * as Drift from "../src/Drift.ts";
import { type Json, recordsDocument } from "../src/JsonSchema.ts";
import type { PlainRecord } from "../src/index.ts";

/** As many places as Effect's decoders name. */
const LIMIT = 100;

const sorted = (pointers: Iterable<string>): ReadonlyArray<string> =>
  [...new Set(pointers)].toSorted();

const pointerOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Of the plain record. */
export const placesOfPlain = (record: PlainRecord<unknown>, value: unknown) => {
  const result = record.safeDecode(value, { issues: LIMIT });
  return result.ok ? [] : sorted(result.error.issues.map(({ pointer }) => pointer));
};

/** Of the Effect Schema. */
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

/** Of `Drift.typeErrors`. */
export const placesOfDrift = (schema: Schema.Codec<unknown>, value: unknown) =>
  sorted(Drift.typeErrors(schema, value, { limit: LIMIT }).map(({ pointer }) => pointer));

/**
 * Of ajv, which reads the JSON Schema. Alternatives report the errors of all of them there, so the
 * document is read with `if`, `then` and `else` in the place of `anyOf`: by JSON type, or by a
 * literal member.
 */
export const ajvOf = (): ((name: string) => (value: unknown) => ReadonlyArray<string>) => {
  const { $defs, $schema } = recordsDocument();
  const options = { allErrors: true, strict: false, verbose: true, code: { optimize: false } };
  const ajv = new Ajv2020(options);
  ajv.addSchema({ $schema, $defs: selecting($defs, $defs) } as Json, "records");
  return (name) => {
    const validate = ajv.getSchema(`records#/$defs/${name}`) as ValidateFunction;
    return (value) => (validate(value) ? [] : sorted((validate.errors ?? []).flatMap(placesOf)));
  };
};

const placesOf = ({ data, instancePath, keyword, params }: ErrorObject): ReadonlyArray<string> => {
  if (keyword === "if") return [];
  if (keyword === "required") return [instancePath + pointerOf([params["missingProperty"]])];
  if (keyword !== "minItems") return [instancePath];
  const { length } = data as ReadonlyArray<unknown>;
  return Array.from(
    { length: params["limit"] - length },
    (_, at) => `${instancePath}/${length + at}`,
  );
};

type Definitions = Readonly<Record<string, Json>>;

const selecting = (node: unknown, definitions: Definitions): unknown => {
  if (Array.isArray(node)) return node.map((one) => selecting(one, definitions));
  if (typeof node !== "object" || node === null) return node;
  const { anyOf, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, member]) => [key, selecting(member, definitions)]),
  ) as { readonly anyOf?: ReadonlyArray<Json> };
  if (anyOf === undefined) return rest;
  const resolved = anyOf.map((part) => definitions[String(part["$ref"]).slice(8)] ?? part);
  const isTwice = resolved.filter(({ type }) => type === "object").length > 1;
  const guards = resolved.map((part) => guardOf(part, isTwice));
  const last = isTwice ? guardOf(resolved[0]!, true, [true, false]) : { not: {} };
  return {
    ...rest,
    ...anyOf.reduceRight<Json>(
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      (next, part, at) => ({ if: guards[at], then: part, else: next }),
      last,
    ),
  };
};

/** What tells a value of the alternative from those of the others. */
const guardOf = (
  { maxItems, properties, type }: Json,
  byPublic: boolean,
  words?: unknown,
): Json => {
  if (!byPublic) return { type, ...(maxItems === undefined ? {} : { maxItems }) };
  const { enum: own } = (properties as Definitions)["public"]!;
  return { type, required: ["public"], properties: { public: { enum: words ?? own } } };
};
