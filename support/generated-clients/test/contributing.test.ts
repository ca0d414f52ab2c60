/**
 * Holds the recipes of CONTRIBUTING.md against the repository: the files that they name, and those
 * that know every operation.
 */
import { routes } from "@game-data/contract/routes";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The files that the table of a recipe names, in its order. */
const filesOf = (recipe: string): ReadonlyArray<string> => {
  const [, section] = read("CONTRIBUTING.md").split(`\n## ${recipe}\n`);
  const [text] = section!.split("\n## ");
  return [...text!.matchAll(/^\| \[`[^`]+`\]\(([^)]+)\)/gm)].map(([, path]) => path!);
};

it.each([
  ["Add an endpoint", 9],
  ["Add a member", 2],
  ["Add a dialect", 2],
])("%s: at most %i files by hand, and each is there", (recipe, most) => {
  const files = filesOf(recipe);
  expect(files.length).toBeGreaterThan(1);
  expect(files.length).toBeLessThanOrEqual(most);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

it("Add an endpoint: names every file that knows all operations", () => {
  const names = Object.keys(routes);
  const known = globSync("{packages,apps}/*/src/**/*.ts", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.includes("/generated/"))
    .filter((path) => {
      const text = read(path);
      return names.every((name) => text.includes(`"${name}"`));
    });
  expect(known).not.toEqual([]);
  const listed = filesOf("Add an endpoint");
  expect(known.filter((file) => !listed.includes(file))).toEqual([]);
});

it("Add a dialect: names every file that knows all dialects", () => {
  const [source] = filesOf("Add a dialect");
  const names = [...read(source!).matchAll(/^export const (\w+)/gm)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(3);
  const known = globSync("packages/rate-limit/{src,test}/**/*.ts", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => names.every((name) => new RegExp(`\\b${name}\\b`, "u").test(read(path))));
  expect(known.filter((file) => !filesOf("Add a dialect").includes(file))).toEqual([]);
  // Each has a model server.
  expect(known).toContain("packages/rate-limit/test/Dialects.test.ts");
});
