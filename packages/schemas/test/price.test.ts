/** What a note says of a price, and what it does not. */
import { readPrice } from "@game-data/schemas/price";
import { expect, it } from "vitest";

it.each([
  ["~price 5 gilt-orb", 5],
  ["~b/o 5 gilt-orb", 5],
  ["~price 1/4 gilt-orb", 0.25],
  ["~price 2,5 gilt-orb", 2.5],
  ["~price 3/1,5 gilt-orb", 2],
  ["~price\t  5   gilt-orb \n", 5],
  ["~price 999999999.999999 gilt-orb", 999_999_999.999_999],
  [`~price 5 gilt-orb${" ".repeat(483)}`, 5],
])("readPrice reads the price in %j", (note, amount) => {
  expect(readPrice(note)).toEqual({ amount, currency: "gilt-orb" });
});

it.each([
  ...["~offer 5 gilt-orb", "price 5 gilt-orb", "only ~price 5 gilt-orb", ""],
  ...["~price 5 gilt-orb or more", "~price gilt-orb", "~price 5 ", "~price 0 gilt-orb"],
  ...["~price 1.1234567 gilt-orb", `~price 5 ${"x".repeat(61)}`],
  // A text out of sight, and a longer note than any.
  ...[`~price 5 gilt-orb${" ".repeat(490)}Somebody`, `~price 5 gilt-orb${" ".repeat(484)}`],
  ...[{ toString: (): string => "~price 5 gilt-orb" }, undefined],
])("readPrice reads no price in %j", (note) => expect(readPrice(note)).toBeUndefined());

it("readPrice replaces a lone surrogate in the currency", () => {
  expect(readPrice("~price 5 orb\uD800")?.currency).toBe("orb\uFFFD");
});
