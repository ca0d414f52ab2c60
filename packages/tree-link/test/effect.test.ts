import { assert, describe, it } from "@effect/vitest";
import * as Plain from "@game-data/tree-link";
import { decode, encode, TreeLinkError } from "@game-data/tree-link/effect";
import { TreeLink, TreeLinkFromString } from "@game-data/tree-link/effect";
import { Effect, Schema } from "effect";
import fc from "fast-check";
import { link as anyLink } from "@game-data/tree-link/arbitrary";

describe("functions", () => {
  it.effect("decode and encode as the plain codec", () =>
    Effect.gen(function* () {
      const link = yield* decode("AAAABgABAAAA");
      assert.deepStrictEqual(link, Plain.decode("AAAABgABAAAA"));
      assert.strictEqual(yield* encode(link), "AAAABgABAAAA");
    }),
  );

  it.effect("fail with a tagged error of the same reason, place and words", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(decode("AAAABgAA"));
      assert.isTrue(error instanceof TreeLinkError);
      assert.strictEqual(error._tag, "TreeLinkError");
      assert.deepStrictEqual(
        [error.reason, error.unit, error.offset, error.field, error.message],
        ["truncated", "byte", 6, "hashes", "Truncated in hashes, at byte 6."],
      );
      const link = { ...Plain.decode("AAAABgABAAAA"), ascendancy: 4 };
      const handled = yield* encode(link).pipe(
        Effect.catchTag("TreeLinkError", ({ reason }) => Effect.succeed(reason)),
      );
      assert.strictEqual(handled, "out-of-range");
    }),
  );
});

describe("TreeLinkFromString", () => {
  it.effect("decodes a payload to a link and encodes it back", () =>
    Effect.gen(function* () {
      const link = yield* Schema.decodeUnknownEffect(TreeLinkFromString)("AAAABgMCAQABAAA=");
      assert.deepStrictEqual(link.hashes, [1]);
      assert.strictEqual(yield* Schema.encodeEffect(TreeLinkFromString)(link), "AAAABgMCAQABAAA=");
    }),
  );

  it.effect("tells the reason of a refusal in the schema's error", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Schema.decodeUnknownEffect(TreeLinkFromString)("AAAABgAA"));
      assert.include(String(error), "a passive-tree link (Truncated in hashes, at byte 6.)");
      const hashes = Array.from({ length: 400_000 }, () => 0);
      const long = { version: 4, class: 0, ascendancy: 0, fullscreen: 0, hashes } as const;
      const refused = yield* Effect.flip(Schema.encodeEffect(TreeLinkFromString)(long));
      assert.include(String(refused), "an encodable link (Too long, at character 1048576.)");
    }),
  );
});

describe("TreeLink", () => {
  it("accepts every link that encodes", () => {
    fc.assert(
      fc.property(anyLink, (link) => Schema.is(TreeLink)(link)),
      { numRuns: 200, seed: 20_261_121 },
    );
  });

  it("refuses what does not encode", () => {
    const link = Plain.decode("AAAABgABAAAA");
    const isLink = Schema.is(TreeLink);
    const many = Array.from({ length: 256 }, () => 0);
    for (const change of [
      ...[{ ascendancy: 4 }, { alternateAscendancy: 64 }, { class: -1 }, { class: 256 }],
      ...[{ hashes: [65_536] }, { hashes: many }, { extendedHashes: many }, { version: 7 }],
      { masteries: many.map((node) => ({ node, effect: 0 })) },
      { masteries: [{ node: 65_536, effect: 0 }] },
    ])
      assert.isFalse(isLink({ ...link, ...change }), JSON.stringify(change));
  });
});
