/** Makes records from their tables. Shape and check of a record are made on first use. */
import { explain } from "./explain.ts";
import { type Check, makeCheck } from "./makeCheck.ts";
import type { DecodeOptions, DecodeResult, PlainRecord, Shape } from "./PlainRecord.ts";
import { RecordError } from "./RecordError.ts";
import { toShape } from "./shape.ts";
import type { Notation, Read } from "./terms.ts";

export type { PlainRecord } from "./PlainRecord.ts";
export * from "./terms.ts";

/**
 * Makes a record from its table without checking the table. `./notation` exports a checked form.
 *
 * @example
 * ```ts
 * import { record } from "@game-data/schemas/notation";
 *
 * const Winner = record("Winner", { name: "string", rank: "uint" });
 * console.log(Winner.is({ name: "Kelo", rank: -1 })); // false
 * ```
 */
export const record = <const N extends Notation, T = Read<N>>(
  name: string,
  table: N,
): PlainRecord<T> => {
  let shape: Shape | undefined;
  let check: Check | undefined;
  const is = (value: unknown): value is T => {
    // A record that contains itself runs the same check, one level deeper.
    check ??= makeCheck(self.shape, (inner, depth) => check!(inner, depth));
    try {
      return check(value, 0);
    } catch {
      return false; // A getter or a proxy has thrown.
    }
  };
  const safeDecode = (value: unknown, options?: DecodeOptions): DecodeResult<T> => {
    if (is(value)) return { ok: true, value };
    const whole: Shape = { kind: "record", record: self };
    return { ok: false, error: new RecordError(name, explain(whole, value, options?.issues)) };
  };
  const self: PlainRecord<T> = {
    name,
    get shape() {
      return (shape ??= toShape(table));
    },
    is,
    decode: (value) => {
      const result = safeDecode(value);
      if (result.ok) return result.value;
      throw result.error;
    },
    safeDecode,
    "~standard": {
      version: 1,
      vendor: "game-data",
      validate: (value) => {
        const result = safeDecode(value);
        if (result.ok) return { value: result.value };
        const issues = result.error.issues.map(({ actual, expected, path }) => ({
          message: `Expected ${expected}, got ${actual}`,
          path,
        }));
        return { issues };
      },
    },
  };
  return self;
};
