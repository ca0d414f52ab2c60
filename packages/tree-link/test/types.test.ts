/** Types of the public surface. */
import {
  decode,
  type DecodeResult,
  encode,
  safeDecode,
  type TreeLink,
  type TreeLinkError,
  type TreeLinkV4,
} from "@game-data/tree-link";
import { convert } from "@game-data/tree-link/convert";
import { fromPassives, type PassivesInput } from "@game-data/tree-link/passives";
import { view } from "@game-data/tree-link/view";
import { expectTypeOf, it } from "vitest";

it("narrows a link by its version, and a result by `ok`", () => {
  const link: TreeLink = decode("AAAABgABAAAA");
  // @ts-expect-error masteries exist in version 6 alone
  expectTypeOf(link.masteries).toBeAny();
  if (link.version === 4) expectTypeOf(link).toEqualTypeOf<TreeLinkV4>();
  const result = safeDecode("AAAABgABAAAA");
  expectTypeOf(result).toEqualTypeOf<DecodeResult>();
  if (!result.ok) expectTypeOf(result.error).toEqualTypeOf<TreeLinkError>();
});

it("accepts a version 6 link without a second ascendancy, and no other gap", () => {
  const six = { version: 6, class: 0, ascendancy: 0, hashes: [], extendedHashes: [] } as const;
  expectTypeOf(encode).toBeCallableWith({ ...six, masteries: [] });
  // @ts-expect-error masteries are missing
  expectTypeOf(() => encode(six)).returns.toBeString();
});

it("gives the converted link the type of its version", () => {
  expectTypeOf(convert(decode("AAAABgABAAAA"), 4).link).toEqualTypeOf<TreeLinkV4>();
});

it("takes passives of any shape with hashes, and reads views as numbers", () => {
  expectTypeOf<{ hashes: Array<number>; extra: string }>().toExtend<PassivesInput>();
  expectTypeOf(fromPassives).returns.toHaveProperty("masteries");
  expectTypeOf(view("AAAABgABAAAA").hashCount).toBeNumber();
});
