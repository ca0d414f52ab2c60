/**
 * The vocabulary in which every record module is written: small schema constructors that hold two
 * facts at once, what is *accepted* from the wire (the schema itself) and what the specification
 * *says* (an annotation).
 *
 * `Drift` and `Conformance` read the second one; the compiled checks are generated from the first
 * one alone. Only structures, arrays, dictionaries, unions and primitives occur: no class, no
 * transformation, no declaration, so that a check can be compiled and a checked value is the input
 * itself.
 */
import * as Schema from "effect/Schema";
import * as SchemaAST from "effect/SchemaAST";
import type { Format } from "../plain/formats.ts";
import type { PlainRecord, Standard } from "../plain/PlainRecord.ts";
import { compiled } from "./compiled.ts";

/** The specification's type of a value, where the accepted type is wider. */
export type Spec =
  /**
   * One of these words; any other string is accepted. `extra` words came later and are known all
   * the same.
   */
  | { readonly kind: "word"; readonly words: ReadonlyArray<string> }
  /** One of these numbers; any other unsigned integer is accepted. */
  | { readonly kind: "number-word"; readonly words: ReadonlyArray<number> }
  /** "Always true if present": an explicit `false` is accepted. */
  | { readonly kind: "always-true" }
  /** A string of a fixed form; any other string is accepted. */
  | { readonly kind: "format"; readonly format: Format }
  /**
   * The first member of the union is the documented type, the others are what services send as
   * well.
   */
  | { readonly kind: "documented-first" }
  /** The member is required by the specification, yet services leave it out. */
  | { readonly kind: "required"; readonly only?: "game 1" | "game 2" }
  /** A number rounded to this many decimal places. */
  | { readonly kind: "decimals"; readonly places: number }
  /** A number in this closed range. */
  | { readonly kind: "range"; readonly minimum: number; readonly maximum: number }
  /** The keys that the specification names for a dictionary. */
  | { readonly kind: "keys"; readonly words: ReadonlyArray<string> };

/** Under this annotation key a schema carries its `Spec`s. */
const SPEC = "gameDataSpec";

/** The specification's statements about a node, the nearest one first. */
export const specOf = (ast: SchemaAST.AST): ReadonlyArray<Spec> => {
  const known = specs.get(ast);
  if (known !== undefined) return known;
  const found = (SchemaAST.resolve(ast)?.[SPEC] as ReadonlyArray<Spec> | undefined) ?? [];
  specs.set(ast, found);
  return found;
};

const specs = /*#__PURE__*/ new WeakMap<SchemaAST.AST, ReadonlyArray<Spec>>();

/** A schema whose checked value is its input: no transformation, no service. */
export type Wire<T> = Schema.Codec<T>;

/**
 * A record's schema: the codec of the record, and its members for spreading into other structures.
 */
export interface RecordSchema<T, Fields extends Schema.Struct.Fields> extends Schema.Codec<T> {
  /** The members of the record, as `Schema.Struct` takes them. */
  readonly fields: Fields;
  /** Standard Schema, version 1: the schema may stand wherever one is asked for. */
  readonly "~standard": Standard<T>;
}

const says = <T>(schema: Wire<T>, spec: Spec, description?: string): Wire<T> =>
  schema.annotate({
    [SPEC]: [spec],
    ...(description === undefined ? {} : { description }),
  }) as Wire<T>;

/**
 * Puts the specification's note on a schema. Never on a record: an annotated record is another
 * schema.
 */
export const describe = <T>(schema: Wire<T>, description: string): Wire<T> =>
  schema.annotate({ description }) as Wire<T>;

/** `?type`: null or absent. */
export const nullish = <T>(
  schema: Wire<T>,
  description?: string,
): Schema.optionalKey<Wire<T | null>> => {
  const nullable: Wire<T | null> = Schema.NullOr(schema);
  return Schema.optionalKey(description === undefined ? nullable : describe(nullable, description));
};

/** Required by the specification, yet left out by services: null or absent, and `Drift` says so. */
export const requiredButOmitted = <T>(
  schema: Wire<T>,
  description?: string,
  only?: "game 1" | "game 2",
): Schema.optionalKey<Wire<T | null>> =>
  Schema.optionalKey(
    says(
      Schema.NullOr(schema) as Wire<T | null>,
      only === undefined ? { kind: "required" } : { kind: "required", only },
      description,
    ),
  );

/** A string. */
export const string: Wire<string> = Schema.String;
/** A Boolean. */
export const bool: Wire<boolean> = Schema.Boolean;
/** An unsigned integer (§1). */
export const uint: Wire<number> = Schema.Natural;
/** An integer. */
export const int: Wire<number> = Schema.Int;
/** A finite number. */
export const float: Wire<number> = Schema.Finite;
/** Strings. */
export const strings: Wire<ReadonlyArray<string>> = /*#__PURE__*/ Schema.Array(Schema.String);
/** Unsigned integers. */
export const uints: Wire<ReadonlyArray<number>> = /*#__PURE__*/ Schema.Array(Schema.Natural);

/** A Boolean that is always true if present, says the specification; services send `false` too. */
export const alwaysTrue: Wire<boolean> = /*#__PURE__*/ says(Schema.Boolean, {
  kind: "always-true",
});

/** An open enumeration: the specification's words, and any other string. */
export const openEnum = <const Words extends ReadonlyArray<string>>(
  words: Words,
): Wire<Words[number] | (string & {})> =>
  says(
    Schema.Union([Schema.Literals(words), Schema.StringForLiteralAutocomplete]) as Wire<
      Words[number] | (string & {})
    >,
    {
      kind: "word",
      words,
    },
  );

/** An open enumeration of unsigned integers. */
export const openNumberEnum = <const Words extends ReadonlyArray<number>>(
  words: Words,
): Wire<Words[number] | (number & {})> =>
  says(Schema.Natural as Wire<Words[number] | (number & {})>, { kind: "number-word", words });

/** A string of a documented form; other strings are accepted and reported. */
export const formattedString = (format: Format): Wire<string> =>
  says(Schema.String, { kind: "format", format });

/** The documented type first, then the types that services send in its place. */
export const documentedOr = <A, B>(documented: Wire<A>, seen: Wire<B>): Wire<A | B> =>
  says(Schema.Union([documented, seen]) as Wire<A | B>, { kind: "documented-first" });

/** An unsigned integer that some services send as a string of digits. */
export const uintOrDigits: Wire<number | string> = /*#__PURE__*/ documentedOr(uint, string);

/** A number with a documented rounding. */
export const rounded = (places: number): Wire<number> =>
  says(Schema.Finite, { kind: "decimals", places });

/** An unsigned integer of a documented range. */
export const ranged = (minimum: number, maximum: number): Wire<number> =>
  says(Schema.Natural, { kind: "range", minimum, maximum });

/**
 * An empty JSON array, typed as a dictionary without members: the services' JSON encoder writes an
 * empty map so. `[]["key"]` is `undefined` as well, and `Object.entries([])` is empty, hence the
 * type tells no lie that a reader of a dictionary could notice.
 */
const emptyMap: Wire<Readonly<Record<string, never>>> = /*#__PURE__*/ Schema.Tuple(
  [],
) as unknown as Wire<Readonly<Record<string, never>>>;

/** A dictionary. An empty one may arrive as `[]`. */
export const dictionary = <T>(
  value: Wire<T>,
  keys?: ReadonlyArray<string>,
): Wire<{ readonly [key: string]: T }> => {
  const record: Wire<{ readonly [key: string]: T }> = Schema.Record(Schema.String, value);
  return documentedOr(
    keys === undefined ? record : says(record, { kind: "keys", words: keys }),
    emptyMap,
  );
};

/** An array. */
export const array = <T>(element: Wire<T>): Wire<ReadonlyArray<T>> => Schema.Array(element);

/** A structure without a name of its own. Members beyond the named ones are kept. */
export const openStruct = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
): Wire<Schema.Struct.Type<Fields>> =>
  Schema.StructWithRest(Schema.Struct(fields), [
    Schema.Record(Schema.String, Schema.Any),
  ]) as unknown as Wire<Schema.Struct.Type<Fields>>;

/** A record of §2. Members beyond the named ones are kept. */
export const record = <T, const Fields extends Schema.Struct.Fields>(
  plain: PlainRecord<T>,
  description: string,
  fields: Fields,
): RecordSchema<T, Fields> => {
  const schema = openStruct(fields).annotate({ identifier: plain.name, description });
  return Object.assign(compiled(schema, plain), { fields }) as unknown as RecordSchema<T, Fields>;
};
