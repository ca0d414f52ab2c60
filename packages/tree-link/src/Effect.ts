/**
 * The codec for Effect programs: `tree-link/effect`. The only module here that needs `effect`,
 * which is an optional peer.
 *
 * `TreeLinkFromString` is the Schema of a payload; `decode` and `encode` fail with the codec's own
 * `TreeLinkError`, which has a `_tag`.
 *
 * ```ts
 * import { decode } from "@game-data/tree-link/effect";
 * import { Effect } from "effect";
 *
 * const reason = decode("AAAABgAA").pipe(
 *   Effect.as("accepted"),
 *   Effect.catchTag("TreeLinkError", (error) => Effect.succeed(error.reason)),
 * );
 * if (Effect.runSync(reason) !== "truncated") throw new Error("the link is cut off");
 * ```
 */
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type * as SchemaAST from "effect/SchemaAST";
import * as SchemaIssue from "effect/SchemaIssue";
import * as SchemaTransformation from "effect/SchemaTransformation";
import { type CodecOptions, decode as decodeSync } from "./Decode.ts";
import { encode as encodeSync, type EncodeOptions, type TreeLinkInput } from "./Encode.ts";
import { TreeLinkError } from "./Errors.ts";
import { type FieldOf, fieldsOfVersion, VERSIONS } from "./internal/table.ts";
import type { TreeLink as TreeLinkType } from "./TreeLink.ts";

export { TreeLinkError };

const uint = (max: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: max }));
const entryOf = {
  1: uint(0xffff),
  2: Schema.Struct({ node: uint(0xffff), effect: uint(0xffff) }),
};

const schemaOf = (field: FieldOf): Schema.Codec<unknown> => {
  if (!("count" in field)) return uint(field.max);
  const list = Schema.Array(entryOf[field.entry.length] as Schema.Codec<unknown>);
  return field.max === Infinity ? list : list.check(Schema.isMaxLength(field.max));
};

/** Schema of a decoded link: every value that `encode` accepts, and no other. */
export const TreeLink: Schema.Codec<TreeLinkType> = Schema.Union(
  VERSIONS.map((version) =>
    Schema.Struct({
      version: Schema.Literal(version),
      ...Object.fromEntries(fieldsOfVersion(version).map((field) => [field.name, schemaOf(field)])),
    }),
  ),
).annotate({ identifier: "TreeLink" }) as unknown as Schema.Codec<TreeLinkType>;

const attempt = <A>(run: () => A): Effect.Effect<A, TreeLinkError> =>
  Effect.try({ try: run, catch: (cause) => cause as TreeLinkError });

/** Reads the link that a payload carries. */
export const decode = (
  payload: string,
  options?: CodecOptions,
): Effect.Effect<TreeLinkType, TreeLinkError> => attempt(() => decodeSync(payload, options));

/** Writes the payload of a link. */
export const encode = (
  link: TreeLinkInput,
  options?: EncodeOptions,
): Effect.Effect<string, TreeLinkError> => attempt(() => encodeSync(link, options));

const issue =
  (expected: string, value: unknown, options: SchemaAST.ParseOptions) =>
  ({ message }: TreeLinkError) =>
    new SchemaIssue.InvalidValue({ expected: `${expected} (${message})` }, value, options);

/** Schema of a payload: text on the wire, a link in the program. */
export const TreeLinkFromString: Schema.Codec<TreeLinkType, string> = Schema.String.pipe(
  Schema.decodeTo(
    TreeLink,
    SchemaTransformation.transformEffect<TreeLinkType, string>({
      decode: (payload, options) =>
        Effect.mapError(decode(payload), issue("a passive-tree link", payload, options)),
      encode: (link, options) =>
        Effect.mapError(encode(link), issue("an encodable link", link, options)),
    }),
  ),
);
