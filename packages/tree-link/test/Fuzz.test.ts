/** The arguments of the fuzz kit. `Fuzz.long.test.ts` judges what the kit finds. */
import { safeDecode } from "@game-data/tree-link";
import { type Codec, fuzz, type FuzzOptions, passes } from "@game-data/tree-link/fuzz";
import { describe, expect, it } from "vitest";

const refuses: Codec = { decode: () => undefined, encode: () => undefined };

describe("fuzz", () => {
  it("fuzz shortens the input of a finding", () => {
    const trims: Codec = {
      decode: (text) => {
        const result = safeDecode(text.trim());
        return result.ok ? result.link : undefined;
      },
    };
    const { findings } = fuzz(trims, { cases: 2_000 });
    expect(findings[0]).toMatchObject({ kind: "accepts invalid-character", found: {} });
    expect(JSON.stringify(findings[0]!.input).length).toBeLessThan(30);
  });

  it.each([{ cases: Number.NaN }, { cases: -1 }, { seconds: -1 }, { seed: Number.NaN }])(
    "fuzz refuses the options %j, which would end the run without a finding",
    (options: FuzzOptions) => {
      const [field] = Object.keys(options);
      expect(() => fuzz(refuses, options)).toThrow(
        expect.objectContaining({ reason: "out-of-range", field }),
      );
    },
  );

  it.each(["decode", "encode"] as const)(
    "fuzz refuses a codec whose %s returns a promise",
    async (name) => {
      const late = { ...refuses, [name]: async () => Promise.reject(new Error("late")) };
      expect(() => fuzz(late as never, { cases: 10 })).toThrow(
        `Invalid type in codec.${name}, at element 0. It returns a promise.`,
      );
      const one = { id: "a", flags: [], note: "", payload: "AAAABgAAAAAA", link: {} };
      const both = { ...one, direction: name, result: "valid" } as const;
      expect(() => passes(late as never, both)).toThrow(/It returns a promise/u);
      // A rejection that nobody handles would fail the run of the tests.
      await new Promise((resolve) => setImmediate(resolve));
    },
  );
});
