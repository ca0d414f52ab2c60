// What makes tasks of other packages stale in `npm test`: code and types, and no comment.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { digestedConfig, digestOf } from "../../../scripts/digests.mjs";

const folder = mkdtempSync(join(tmpdir(), "digests-"));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (path, text) => writeFileSync(join(folder, path), text);

const SOURCE = '/** One. */\nexport const one: string = "a // b"; // one\n';
const DECLARATION = '/** One. */\nexport declare const one: "a  /* b";\n';

beforeEach(() => {
  for (const part of ["src", "dist"]) mkdirSync(join(folder, part), { recursive: true });
  write("src/one.ts", SOURCE);
  write("dist/one.d.ts", DECLARATION);
});

it("is the same after a change of comments and blanks", async () => {
  const before = await digestOf(folder);
  write("src/one.ts", `// New.\n${SOURCE.replace("One", "Two").replace(" =", "\n  =")}`);
  write("dist/one.d.ts", `${DECLARATION.replace("One", "Two\n * and more")}// end\n`);
  expect(await digestOf(folder)).toBe(before);
});

it.each([
  ["src/one.ts", SOURCE.replace("a // b", "a // c")],
  ["dist/one.d.ts", DECLARATION.replace("a  /* b", "a /* b")],
  ["dist/one.d.ts", DECLARATION.replace("declare const", "declare let")],
  ["src/two.ts", ""],
  ["src/page.html", "<p>"],
])("is another after a change of a literal, a type or a list of files: %s", async (path, text) => {
  const before = await digestOf(folder);
  write(path, text);
  expect(await digestOf(folder)).not.toBe(before);
  rmSync(join(folder, path));
});

it("takes sources as they are where there are no declarations", async () => {
  rmSync(join(folder, "dist"), { recursive: true });
  const before = await digestOf(folder);
  write("src/one.ts", SOURCE.replace(": string", ": unknown"));
  expect(await digestOf(folder)).not.toBe(before);
});

it("changes nothing of turbo.json but what tasks of others depend on", () => {
  const text = readFileSync(new URL("../../../turbo.json", import.meta.url), "utf8");
  const { tasks } = digestedConfig(text);
  expect(tasks.transit.inputs).toContain(".digest");
  expect(tasks.transit.inputs).not.toContain("src/**");
  for (const name of ["test", "typecheck", "readme", "examples"])
    expect(tasks[name].dependsOn).toEqual(["transit"]);
  expect(tasks.build.dependsOn).toEqual(["^build"]);
});
