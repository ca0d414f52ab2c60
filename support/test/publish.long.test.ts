/** A release that is stopped at any step, and started again, against stand-ins of npm and gh. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "publish-"));
afterAll(() => rmSync(folder, { recursive: true }));
const [log, release] = [join(folder, "log"), join(folder, "release")];
const steps = () => readFileSync(log, "utf8").split("\n").filter(Boolean);

/** Answers by the log what was done; ends with an error instead of the step numbered FAIL. */
const STAND_IN = `#!${process.execPath}
const { appendFileSync, readFileSync } = require("node:fs");
const [name, args] = [require("node:path").basename(process.argv[1]), process.argv.slice(2)];
const done = readFileSync("${log}", "utf8").split("\\n").filter(Boolean);
const id = args.find((arg) => arg.includes("@game-data/"));
const fail = (text) => { console.error(text); process.exit(1); };
if (args.includes("view")) {
  const file = id.slice(1).replace("/", "-").replace(/@/, "-");
  const isDone = done.some((line) => line.includes(name === "gh" ? "create " + id : file));
  if (isDone) console.log("1.0.0"); else fail(name === "gh" ? "release not found" : "E404");
} else if (process.env.FAIL === String(done.length)) fail("stopped");
else appendFileSync("${log}", name + " " + args.join(" ") + "\\n");
`;
mkdirSync(release);
for (const name of ["npm", "gh"]) writeFileSync(join(folder, name), STAND_IN, { mode: 0o755 });

const packages = ["contract", "api-client"].map((name) => ({
  name: `@game-data/${name}`,
  version: "1.0.0",
  file: `game-data-${name}-1.0.0.tgz`,
  integrity: `sha512-${createHash("sha512").update(name).digest("base64")}`,
  notes: "First.",
}));
const list = (value: unknown) =>
  writeFileSync(join(release, "release.json"), JSON.stringify(value));
beforeEach(() => {
  writeFileSync(log, "");
  list(packages);
  for (const { file, name } of packages) writeFileSync(join(release, file), name.split("/")[1]!);
});
const publish = (FAIL = "") => {
  const PATH = [folder, process.env["PATH"]].join(delimiter);
  const env = { ...process.env, FAIL, PATH, GITHUB_SHA: "abc" };
  const program = join(import.meta.dirname, "../../scripts/publish.mjs");
  return spawnSync(process.execPath, [program, release], { env, encoding: "utf8" });
};

it("scripts/publish.mjs publishes all packages in order, then releases them", () => {
  expect(publish().status).toBe(0);
  expect(steps().map((step) => step.split(" ").slice(0, 2).join(" "))).toEqual([
    "npm publish",
    "npm publish",
    "gh release",
    "gh release",
  ]);
  expect(steps()[0]).toContain(packages[0]!.file);
});

it.each(["0", "1", "2", "3"])(
  "scripts/publish.mjs finishes a release that failed at step %s, and repeats no completed step",
  (step) => {
    expect(publish(step).status).toBe(1);
    expect(publish().status).toBe(0);
    expect(steps()).toHaveLength(4);
    expect(new Set(steps()).size).toBe(4);
  },
);

it.each([
  ["a file with another checksum", { integrity: "sha512-b" }, /is not what was packed/],
  ["a package of another scope", { name: "@other/contract" }, /is not a package/],
  ["an option in place of a name", { name: "--registry=https://example.com" }, /is not a package/],
  ["a path in place of a file", { file: "../a.tgz" }, /is not a package/],
])("scripts/publish.mjs publishes nothing if the release has %s", (_, change, expected) => {
  list([packages[0], { ...packages[1], ...change }]);
  expect(publish().stderr).toMatch(expected);
  expect(steps()).toEqual([]);
});
