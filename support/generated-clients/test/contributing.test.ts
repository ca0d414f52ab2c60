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
  ["Add a member", 3],
  ["Add a command", 3],
])("%s: at most %i files by hand, and each is there", (recipe, most) => {
  const files = filesOf(recipe);
  expect(files.length).toBeGreaterThan(1);
  expect(files.length).toBeLessThanOrEqual(most);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

it("Add a command: every command file is reached from Cli.ts", () => {
  const files = globSync("apps/cli/src/commands/*.ts", { cwd: root });
  const texts = ["apps/cli/src/Cli.ts", ...files].map(read).join("\n");
  const names = files.map((file) => file.replaceAll("\\", "/").split("/").at(-1)!);
  expect(names).not.toEqual([]);
  expect(
    names.filter((name) => !new RegExp(`from "\\./(?:commands/)?${name}"`, "u").test(texts)),
  ).toEqual([]);
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
