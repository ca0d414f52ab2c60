/** What a compiler reads for an import: `effect` is an optional peer of the entries without it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, describe, it } from "@effect/vitest";
import manifest from "../package.json" with { type: "json" };

const home = join(import.meta.dirname, "..");

/** The files that the compiler reads for a program that imports the entries. */
const filesOf = (entries: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folder = mkdtempSync(join(home, "node_modules/.declarations-"));
  try {
    const file = join(folder, "program.ts");
    const lines = entries.map((entry) => `export type * from "@game-data/contract${entry}";`);
    writeFileSync(file, lines.join("\n"));
    const tsc = join(home, "../../node_modules/.bin/tsc");
    const options = ["--ignoreConfig", "--listFilesOnly", "--module", "nodenext", "--types", ""];
    const { status, stdout } = spawnSync(tsc, [...options, file], { encoding: "utf8" });
    assert.strictEqual(status, 0, stdout);
    return stdout.split("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const ofEffect = (files: ReadonlyArray<string>) =>
  files.filter((path) => /node_modules\/effect\//u.test(path));

describe("declarations", () => {
  const light = ["", "/routes", "/results", "/Scope", "/ErrorCode", "/Lifetimes", "/UserAgent"];

  it("of the entries without Effect load no file of it", () => {
    const files = filesOf(light);
    assert.isTrue(files.some((path) => path.endsWith("contract/src/operations.ts")));
    assert.deepStrictEqual(ofEffect(files), []);
    assert.deepStrictEqual(manifest.peerDependenciesMeta, { effect: { optional: true } });
  });

  it("are told apart from those that do", () => assert.isNotEmpty(ofEffect(filesOf(["/failure"]))));
});
