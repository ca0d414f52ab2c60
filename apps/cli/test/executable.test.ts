/** What the single executable cannot do. `scripts/executable.mjs --check` tries the real one. */
import { join } from "node:path";
import sea from "node:sea";
import { afterAll, beforeAll, expect, it } from "vitest";
import { usePrompt } from "./support/gamedata.ts";

const prompt = usePrompt();
const { isSea } = sea;
beforeAll(() => {
  sea.isSea = () => true;
});
afterAll(() => {
  sea.isSea = isSea;
});

it("says which program writes Parquet, before it opens a store", async () => {
  const out = ["--format", "parquet", "--out", join(prompt.home, "items.parquet")];
  const error = await prompt.error(["stream", "export", "items", "--store", "sqlite:none", ...out]);
  expect(error).toMatchObject({ code: "usage" });
  expect(JSON.stringify(error)).toContain("npm install --global @game-data/cli @duckdb/node-api");
});
