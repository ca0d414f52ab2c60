/**
 * JSON documents as plain data: a JSON Schema that also carries its TypeScript type, and a strict
 * reader for it.
 *
 * The control plane's documents (faults, policies, clients, snapshots) are described once. The same
 * description checks a request, names the nearest known member for an unknown one, and is part
 * of the OpenAPI document. It runs without Effect, so that a sandbox starts without loading it.
 */

import { parseInstant } from "./instants.ts";

/** The part of JSON Schema 2020-12 that the documents need. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: "string" | "integer" | "number" | "boolean" | "object" | "array" | "null";
  readonly const?: string | number | boolean;
  readonly enum?: ReadonlyArray<string>;
  readonly pattern?: string;
  readonly format?: "date-time";
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly prefixItems?: ReadonlyArray<JsonSchema>;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: ReadonlyArray<string>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: ReadonlyArray<JsonSchema>;
}

/** A description of documents of type `A`. */
export interface Document<out A> {
  readonly schema: JsonSchema;
  readonly isOptional: boolean;
  /** Carries the type; never a value. */
  readonly "~type"?: A;
}

export type DocumentType<D> = D extends Document<infer A> ? A : never;

interface Optional<out A> extends Document<A> {
  readonly isOptional: true;
}

export type Fields = Readonly<Record<string, Document<unknown>>>;
type OptionalKey<F extends Fields> = {
  [K in keyof F]: F[K] extends Optional<unknown> ? K : never;
}[keyof F];
type ObjectOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalKey<F>>]: DocumentType<F[K]>;
} & { readonly [K in OptionalKey<F>]?: DocumentType<F[K]> };
type Simplify<T> = { readonly [K in keyof T]: T[K] };

const make = <A>(schema: JsonSchema): Document<A> & { readonly isOptional: false } => ({
  schema,
  isOptional: false,
});

export const text = (rules: Pick<JsonSchema, "pattern" | "minLength" | "description"> = {}) =>
  make<string>({ type: "string", ...rules });

type Bounds = Pick<JsonSchema, "minimum" | "maximum" | "description">;

export const integer = (rules: Bounds = {}) => make<number>({ type: "integer", ...rules });

export const number = (rules: Bounds = {}) => make<number>({ type: "number", ...rules });

export const flag = make<boolean>({ type: "boolean" });

export const nothing = make<null>({ type: "null" });

export const json = make<unknown>({});

export const literal = <const A extends string | number | boolean>(value: A) =>
  make<A>({ const: value });

export const words = <const A extends string>(...list: ReadonlyArray<A>) =>
  make<A>({ type: "string", enum: list });

export const list = <A>(item: Document<A>, rules: Pick<JsonSchema, "minItems"> = {}) =>
  make<ReadonlyArray<A>>({ type: "array", items: item.schema, ...rules });

export const tuple = <const D extends ReadonlyArray<Document<unknown>>>(...items: D) =>
  make<{ readonly [K in keyof D]: DocumentType<D[K]> }>({
    type: "array",
    prefixItems: items.map(({ schema }) => schema),
  });

/** An object whose keys are free. */
export const dictionary = <A>(value: Document<A>) =>
  make<Readonly<Record<string, A>>>({ type: "object", additionalProperties: value.schema });

/** One of several documents; those with a `kind` are told apart by it. */
export const anyOf = <const D extends ReadonlyArray<Document<unknown>>>(...options: D) =>
  make<DocumentType<D[number]>>({ anyOf: options.map(({ schema }) => schema) });

export const optional = <A>({ schema }: Document<A>): Optional<A> => ({ schema, isOptional: true });

export const object = <const F extends Fields>(
  fields: F,
  { isOpen = false }: { readonly isOpen?: boolean } = {},
): Document<Simplify<ObjectOf<F>>> & { readonly isOptional: false } =>
  make({
    type: "object",
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, field.schema]),
    ),
    required: Object.entries(fields).flatMap(([name, field]) => (field.isOptional ? [] : [name])),
    additionalProperties: isOpen,
  });

/** The same description under a name, which OpenAPI shows, or with a sentence about it. */
export const described = <D extends Document<unknown>>(
  document: D,
  about: Pick<JsonSchema, "title" | "description">,
): D => ({ ...document, schema: { ...document.schema, ...about } });

/** An object that OpenAPI shows under a name. */
export const titled = <const F extends Fields>(title: string, fields: F) =>
  described(object(fields), { title });

/** A place of a document that breaks a rule. */
export interface Issue {
  /** JSON Pointer (RFC 6901); empty for the whole document. */
  readonly pointer: string;
  readonly message: string;
  /** The known member or word that is nearest to an unknown one. */
  readonly nearest?: string;
}

/** Everything that is wrong with a value; nothing when it fits. */
export const issuesOf = (document: Document<unknown>, value: unknown): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = [];
  check(document.schema, value, "", issues);
  return issues;
};

export const formatIssues = (issues: ReadonlyArray<Issue>): string =>
  issues
    .map(({ pointer, message }) => (pointer === "" ? message : `${pointer}: ${message}`))
    .join("; ");

const check = (schema: JsonSchema, value: unknown, pointer: string, issues: Array<Issue>): void => {
  if (schema.anyOf !== undefined) return checkAnyOf(schema.anyOf, value, pointer, issues);
  const expected = mismatch(schema, value);
  if (expected !== undefined) {
    const nearest = typeof value === "string" ? nearestOf(value, schema.enum ?? []) : undefined;
    issues.push({
      pointer,
      message: `Expected ${expected}${hint(nearest)}`,
      ...(nearest !== undefined && { nearest }),
    });
  } else if (Array.isArray(value)) {
    const shape = schema.prefixItems;
    if (shape !== undefined && shape.length !== value.length)
      issues.push({ pointer, message: `Expected ${shape.length} elements` });
    if (value.length < (schema.minItems ?? 0))
      issues.push({ pointer, message: `Expected at least ${schema.minItems} elements` });
    value.forEach((item, index) =>
      check(shape?.[index] ?? schema.items ?? {}, item, `${pointer}/${index}`, issues),
    );
  } else if (schema.type === "object") {
    checkMembers(schema, value as Readonly<Record<string, unknown>>, pointer, issues);
  }
};

const checkMembers = (
  { additionalProperties, properties = {}, required = [] }: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  pointer: string,
  issues: Array<Issue>,
): void => {
  const known = Object.keys(properties);
  for (const name of required)
    if (!Object.hasOwn(value, name) || value[name] === undefined)
      issues.push({ pointer: `${pointer}/${escape(name)}`, message: "is missing" });
  for (const [name, member] of Object.entries(value)) {
    const at = `${pointer}/${escape(name)}`;
    // Left out by a program; JSON has no such value.
    if (member === undefined && Object.hasOwn(properties, name)) continue;
    if (Object.hasOwn(properties, name)) check(properties[name] as JsonSchema, member, at, issues);
    else if (typeof additionalProperties === "object")
      check(additionalProperties, member, at, issues);
    else if (additionalProperties === false) {
      const nearest = nearestOf(name, known);
      issues.push({
        pointer: at,
        message: `unknown member; name one of ${known.join(", ")}${hint(nearest)}`,
        ...(nearest !== undefined && { nearest }),
      });
    }
  }
};

/** Picks the option that a value means: by its `kind`, else the one with the fewest issues. */
const checkAnyOf = (
  options: ReadonlyArray<JsonSchema>,
  value: unknown,
  pointer: string,
  issues: Array<Issue>,
): void => {
  const kinds = options.flatMap(({ properties }) => properties?.["kind"]?.const ?? []) as string[];
  const isKinded =
    kinds.length === options.length && mismatch({ type: "object" }, value) === undefined;
  if (isKinded) {
    const members = value as Readonly<Record<string, unknown>>;
    const { kind } = members;
    const option = options.find(({ properties }) => properties?.["kind"]?.const === kind);
    if (option !== undefined) return check(option, value, pointer, issues);
    const known = new Set(options.flatMap(({ properties = {} }) => Object.keys(properties)));
    for (const name of kind === undefined ? Object.keys(members) : [])
      if (!known.has(name) && nearestOf(name, [...known]) === "kind")
        issues.push({
          pointer: `${pointer}/${escape(name)}`,
          message: `unknown member${hint("kind")}`,
          nearest: "kind",
        });
    const nearest = typeof kind === "string" ? nearestOf(kind, kinds) : undefined;
    issues.push({
      pointer: `${pointer}/kind`,
      message: `Expected one of ${kinds.join(", ")}${hint(nearest)}`,
      ...(nearest !== undefined && { nearest }),
    });
    return;
  }
  const tried = options.map((option) => issuesOf({ schema: option, isOptional: false }, value));
  if (tried.some((found) => found.length === 0)) return;
  // An issue inside the value means that its type fits.
  const best = tried.reduce((one, other) => (scoreOf(other) < scoreOf(one) ? other : one));
  const message = tried
    .flatMap((found) => (isOfWhole(found) ? found[0]!.message : []))
    .join(" or ");
  for (const issue of best)
    issues.push({
      ...issue,
      pointer: pointer + issue.pointer,
      ...(isOfWhole(best) && { message: message.replaceAll(" or Expected ", " or ") }),
    });
};

/** Whether the type of the value is wrong, and no word comes near to it. */
const isOfWhole = ([issue]: ReadonlyArray<Issue>): boolean =>
  issue?.pointer === "" && issue.nearest === undefined;

const scoreOf = (issues: ReadonlyArray<Issue>): number =>
  issues.reduce((sum, { pointer }) => sum + (pointer === "" ? 100 : 1), 0);

/** Returns what was expected in place of a value, or undefined. */
const mismatch = (schema: JsonSchema, value: unknown): string | undefined => {
  if (schema.const !== undefined)
    return value === schema.const ? undefined : JSON.stringify(schema.const);
  switch (schema.type) {
    case "string":
      return typeof value === "string" ? mismatchOfText(schema, value) : "string";
    case "integer":
      return Number.isSafeInteger(value) ? mismatchOfNumber(schema, value as number) : "integer";
    case "number":
      return Number.isFinite(value) ? mismatchOfNumber(schema, value as number) : "number";
    case "boolean":
      return typeof value === "boolean" ? undefined : "boolean";
    case "null":
      return value === null ? undefined : "null";
    case "array":
      return Array.isArray(value) ? undefined : "array";
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value)
        ? undefined
        : "object";
    default:
      return undefined;
  }
};

const mismatchOfText = (schema: JsonSchema, value: string): string | undefined => {
  if (schema.enum !== undefined)
    return schema.enum.includes(value) ? undefined : `one of ${schema.enum.join(", ")}`;
  if (schema.minLength !== undefined && value.length < schema.minLength)
    return `at least ${schema.minLength} characters`;
  // Bounded: the patterns are of our own sources, and linear; a body has 1 MB, a snapshot 64.
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern, "u");
  const isNoDate = schema.format === "date-time" && parseInstant(value) === undefined;
  if (isNoDate || pattern?.test(value) === false)
    return schema.description ?? `a text like ${schema.pattern}`;
  return undefined;
};

const mismatchOfNumber = (schema: JsonSchema, value: number): string | undefined => {
  if (schema.minimum !== undefined && value < schema.minimum) return `at least ${schema.minimum}`;
  if (schema.maximum !== undefined && value > schema.maximum) return `at most ${schema.maximum}`;
  return undefined;
};

/** The JSON Pointer (RFC 6901) of a member within members. */
export const pointerOf = (path: ReadonlyArray<string>): string =>
  path.map((name) => `/${escape(name)}`).join("");

const escape = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

const hint = (nearest: string | undefined): string =>
  nearest === undefined ? "" : `; did you mean ${nearest}?`;

/** The word nearest to a name, if one is near enough to be meant. */
export const nearestOf = (name: string, known: ReadonlyArray<string>): string | undefined => {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const word of known) {
    const distance = editDistance(name.toLowerCase(), word.toLowerCase());
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
};

/** Insertions, deletions, replacements and swaps of neighbours between two short words. */
const editDistance = (one: string, other: string): number => {
  if (Math.abs(one.length - other.length) > 8) return Infinity;
  let before: Array<number> = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      let least = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + same);
      const isSwap =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      if (isSwap) least = Math.min(least, before[column - 2]! + 1);
      next.push(least);
    }
    [before, last] = [last, next];
  }
  return last[other.length]!;
};
