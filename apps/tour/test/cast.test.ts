/** The recorded tour of the README: `node apps/tour/scripts/cast.ts docs/tour.svg` writes it. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { steps } from "../src/runTour.ts";

it("shows the steps that the tour has", () => {
  const recorded = readFileSync(new URL("../../../docs/tour.svg", import.meta.url), "utf8");
  const shown = [...recorded.matchAll(/>\d+\. ([^<]+)<\/text>/gu)].map(([, title]) => title);
  const titles = steps.filter(({ onlyCaptured }) => onlyCaptured !== true);
  expect(shown).toEqual(titles.map(({ title }) => title));
});
