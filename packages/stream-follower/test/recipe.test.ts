/**
 * Holds the recipe "Add a store" of CONTRIBUTING.md against the repository: a store that is there
 * is known to every file that the recipe names, and to no other one.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const HERE = "packages/stream-follower";

const [, section] = read("CONTRIBUTING.md").split("\n## Add a store\n");
const listed = [...section!.split("\n## ")[0]!.matchAll(/^\| \[`[^`]+`\]\(([^)]+)\)/gm)].map(
  ([, path]) => path!,
);

/** Drivers that keep pages: those with a lease of their own. */
const stores = globSync(`${HERE}/src/*/lease.ts`, { cwd: root }).map((path) => path.split("/")[3]!);

it("names files that are there, and finds the stores", () => {
  expect(listed.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(stores.toSorted()).toEqual(["nats", "postgres", "sqlite"]);
});

/** Files that tell the stores apart: by their kinds, or by loading each. */
const knowing = globSync(`${HERE}/src/*.ts`, { cwd: root }).filter((path) =>
  stores.every((store) => read(path).includes(`"./${store}/index.ts"`)),
);

it("names every source that loads all stores", () => {
  expect(knowing).not.toEqual([]);
  expect(knowing.filter((path) => !listed.includes(path))).toEqual([]);
});

describe.each(stores)("the store %s", (store) => {
  it.each(listed.filter((path) => !path.startsWith("apps/")))("is known to %s", (path) => {
    const text = read(path).toLowerCase();
    expect(
      text.includes(`/${store}"`) || text.includes(`/${store}/`) || text.includes(`"${store}"`),
    ).toBe(true);
  });

  it("has a subpath, a page log and a sink", () => {
    const { exports } = JSON.parse(read(`${HERE}/package.json`)) as { exports: object };
    expect(exports).toHaveProperty([`./${store}`]);
    for (const name of ["index", "log", "sink"]) {
      expect(existsSync(join(root, HERE, "src", store, `${name}.ts`))).toBe(true);
    }
  });
});
