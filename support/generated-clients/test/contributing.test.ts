/**
 * Holds the recipes of CONTRIBUTING.md against the repository: the files that they name, and those
 * that know every operation.
 */
import { routes } from "@game-data/contract/routes";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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
  ["Add a dialect", 2],
  ["Add a link version", 5],
  ["Add a command", 3],
])("%s: at most %i files by hand, and each is there", (recipe, most) => {
  const files = filesOf(recipe);
  expect(files.length).toBeGreaterThan(1);
  expect(files.length).toBeLessThanOrEqual(most);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

it("the limits of functions and files have no exception", () => {
  const { overrides } = JSON.parse(read("limits.oxlintrc.json")) as {
    overrides: ReadonlyArray<object>;
  };
  const excludeFiles = ["test", "bench", "runtimes", "examples"].map((folder) => `**/${folder}/**`);
  expect(overrides).toEqual([
    expect.objectContaining({ excludeFiles: [...excludeFiles, "docs/**"] }),
  ]);
  const sources = globSync("{packages,apps}/*/src/**/*.{ts,tsx}", { cwd: root });
  const exempt = /(?:oxlint|eslint)-disable\S*\s+(?:--|\*\/|$|.*(?:max-|complexity))/mu;
  expect(sources.filter((file) => exempt.test(read(file)))).toEqual([]);
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

it("Add a link version: names every file that the compiler asks for", () => {
  const tool = join(root, "packages/tree-link");
  const cache = join(tool, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const copy = mkdtempSync(join(cache, "version-"));
  try {
    cpSync(join(tool, "src"), join(copy, "src"), { recursive: true });
    const types = join(copy, "src/TreeLink.ts");
    const text = readFileSync(types, "utf8");
    const [last] = [...text.matchAll(/\| TreeLinkV(\d+);/gu)].map(([, version]) => Number(version));
    const [before, next] = [`TreeLinkV${last}`, `TreeLinkV${last! + 1}`];
    const added = `export interface ${next} extends Omit<${before}, "version"> {
      readonly version: ${last! + 1};
      readonly planted: ReadonlyArray<number>;
    }`;
    writeFileSync(types, `${text.replace(`| ${before};`, `| ${before} | ${next};`)}${added}\n`);
    const config = {
      extends: join(tool, "tsconfig.build.json"),
      compilerOptions: { rootDir: "src", noEmit: true, composite: false, incremental: false },
      include: ["src/**/*.ts"],
      exclude: [],
    };
    writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(root, "node_modules/.bin/tsc");
    const { stdout } = spawnSync(tsc, ["-p", copy, "--pretty", "false"], {
      cwd: copy,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    const asked = new Set([...stdout.matchAll(/^(src\/\S+?)\(/gm)].map(([, file]) => file!));
    const listed = filesOf("Add a link version").map((file) =>
      file.replace("packages/tree-link/", ""),
    );
    expect([...asked, "src/TreeLink.ts"].toSorted()).toEqual(listed.toSorted());
  } finally {
    rmSync(copy, { recursive: true });
  }
});
