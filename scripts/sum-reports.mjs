// Adds up the reports of all suites: node scripts/sum-reports.mjs ["step=exit code" …]. They stand
// in reports/ of the repository and of each package. A test that one run left out for want of a
// service and another run passed counts once, as passed. Prints the last lines of each program that
// failed, then what failed, left no report or was left out, closes with `N passed, N failed, N skipped`, and exits
// with 1 unless everything ran and passed.
//
// The host's own Node runs this, which may be older than the one of the project.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const RANK = { skipped: 0, passed: 1, failed: 2 };
const steps = process.argv.slice(2);

const outcomes = new Map();
const logs = [];
const record = (name, outcome) => {
  if (RANK[outcome] >= (RANK[outcomes.get(name)] ?? -1)) outcomes.set(name, outcome);
};
const outcomeOf = (status) => (status === "passed" || status === "failed" ? status : "skipped");
// A suite that was left out says so in its title; the same tests have the plain title where the
// service is there.
const plain = (title) => title.replaceAll(/ \(left out: needs \w+\)/g, "");

const list = (folder) =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
const folders = ["packages", "apps", "support"].flatMap((name) => list(join(root, name)));
const files = [root, ...folders].flatMap((folder) => list(join(folder, "reports")));
for (const file of files.filter((name) => name.endsWith(".json"))) {
  const report = JSON.parse(readFileSync(file, "utf8"));
  for (const { name, passed, log } of report.outcomes ?? []) {
    record(name, passed ? "passed" : "failed");
    if (!passed) logs.push([name, log]);
  }
  for (const { name: path, status, assertionResults } of report.testResults ?? []) {
    if (status === "failed" && assertionResults.length === 0) record(path, "failed");
    for (const test of assertionResults) {
      record(`${path} › ${plain(test.fullName)}`, outcomeOf(test.status));
      for (const message of test.failureMessages)
        console.log(`== ${test.fullName} failed:\n${message}`);
    }
  }
}
for (const folder of folders) {
  const manifest = join(folder, "package.json");
  const isSuite =
    existsSync(manifest) && readFileSync(manifest, "utf8").includes("=reports/tests.json");
  if (isSuite && !existsSync(join(folder, "reports/tests.json")))
    record(`${folder} has left no reports/tests.json`, "failed");
}
for (const step of steps) {
  const [name, code] = step.split("=");
  record(name, code === "0" ? "passed" : "failed");
}

// The tests that SECURITY.md names have to be among those that passed; their titles may have holes.
const passedTests = [...outcomes].filter(([, outcome]) => outcome === "passed");
const security = readFileSync(join(root, "SECURITY.md"), "utf8");
for (const [, file, titles] of security.matchAll(/\]\((\S+\.test\.tsx?)\)((?:,? "[^"]+")+)/g))
  for (const [, title] of titles.matchAll(/"([^"]+)"/g)) {
    const parts = title.split(/%\w/);
    const isProof = ([name]) => name.includes(file) && parts.every((part) => name.includes(part));
    if (!passedTests.some(isProof)) record(`SECURITY.md: no test passed: ${title}`, "failed");
  }

// Turbo writes a summary of each run where TURBO_RUN_SUMMARY asks for it.
for (const file of list(join(root, ".turbo", "runs")))
  for (const { taskId, execution, logFile } of JSON.parse(readFileSync(file, "utf8")).tasks)
    if (execution && execution.exitCode !== 0) logs.push([taskId, logFile]);
const lastLines = (file) =>
  readFileSync(join(root, file), "utf8").split("\n").slice(-60).join("\n");
for (const [name, log] of logs)
  console.log(`== ${name} failed:\n${existsSync(join(root, log)) ? lastLines(log) : "no log"}`);

const named = (outcome) => [...outcomes].filter(([, value]) => value === outcome);
for (const outcome of ["failed", "skipped"])
  for (const [name] of named(outcome)) console.log(`${outcome}: ${name}`);
const [passed, failed, skipped] = ["passed", "failed", "skipped"].map((o) => named(o).length);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 && skipped === 0 && passed > 0 ? 0 : 1;
