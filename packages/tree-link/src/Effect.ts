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
import * as SchemaIssue from "effect/SchemaIssue";
import * as SchemaTransformation from "effect/SchemaTransformation";
import { type CodecOptions, decode as decodeSync } from "./Decode.ts";
import { encode as encodeSync, type EncodeOptions, type TreeLinkInput } from "./Encode.ts";
import { TreeLinkError } from "./Errors.ts";
import type { TreeLink as TreeLinkType } from "./TreeLink.ts";

export { TreeLinkError };

const uint = (max: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: max }));
const hashes = Schema.Array(uint(0xffff));
const counted = hashes.check(Schema.isMaxLength(255));

/** Schema of a decoded link: every value that `encode` accepts, and no other. */
export const TreeLink: Schema.Codec<TreeLinkType> = Schema.Union([
  Schema.Struct({
    version: Schema.Literal(4),
    class: uint(255),
    ascendancy: uint(255),
    fullscreen: Schema.Literals([0, 1]),
    hashes,
  }),
  Schema.Struct({
    version: Schema.Literal(5),
    class: uint(255),
    ascendancy: uint(255),
    hashes: counted,
    extendedHashes: counted,
  }),
  Schema.Struct({
    version: Schema.Literal(6),
    class: uint(255),
    ascendancy: uint(3),
    alternateAscendancy: uint(63),
    hashes: counted,
    extendedHashes: counted,
    masteries: Schema.Array(Schema.Struct({ node: uint(0xffff), effect: uint(0xffff) })).check(
      Schema.isMaxLength(255),
    ),
  }),
]).annotate({ identifier: "TreeLink" });

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

/** Schema of a payload: text on the wire, a link in the program. */
export const TreeLinkFromString: Schema.Codec<TreeLinkType, string> = Schema.String.pipe(
  Schema.decodeTo(
    TreeLink,
    SchemaTransformation.transformEffect<TreeLinkType, string>({
      decode: (payload, options) =>
        Effect.mapError(
          decode(payload),
          ({ message }) =>
            new SchemaIssue.InvalidValue(
              { expected: `a passive-tree link (${message})` },
              payload,
              options,
            ),
        ),
      encode: (link, options) =>
        Effect.mapError(
          encode(link),
          ({ message }) =>
            new SchemaIssue.InvalidValue(
              { expected: `an encodable link (${message})` },
              link,
              options,
            ),
        ),
    }),
  ),
);
