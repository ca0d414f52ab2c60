/** Contrast of the tokens, by WCAG 2.2 §1.4.3 and §1.4.11. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const css = readFileSync(new URL("../tokens.css", import.meta.url), "utf8");
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/gu)].map(
    ([, name = "", light = "", dark = ""]) => [name, { light, dark }],
  ),
);

const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

const least = (front: string, back: string): number =>
  Math.min(
    ...(["light", "dark"] as const).map((scheme) =>
      contrast(tokens.get(front)![scheme], tokens.get(back)![scheme]),
    ),
  );

const SURFACES = ["ground", "surface", "sunken"];

it.each(
  ["text", "muted", "accent", "bad", "warn", "good"].flatMap((front) =>
    SURFACES.map((back) => [front, back]),
  ),
)("the style sheet gives text in %s on %s a contrast of 4.5 or more", (front, back) => {
  expect(least(front, back)).toBeGreaterThanOrEqual(4.5);
});

it.each([
  ["on-accent", "accent"],
  ["text", "accent-soft"],
  ["bad", "bad-soft"],
  ["text", "bad-soft"],
  ["warn", "warn-soft"],
  ["text", "warn-soft"],
  ["good", "good-soft"],
])("the style sheet gives text in %s on %s a contrast of 4.5 or more", (front, back) => {
  expect(least(front, back)).toBeGreaterThanOrEqual(4.5);
});

it.each(SURFACES)("the style sheet gives edges on %s a contrast of 3 or more", (back) => {
  expect(least("edge", back)).toBeGreaterThanOrEqual(3);
});
