// Adds up the reports of all suites, which are in reports/ of the repository and of each package:
// node scripts/sum-reports.mjs ["step=exit code" …]. A test that one run skipped for want of a service
// and another run passed counts once, as passed. Prints what failed or was skipped, then
// `N passed, N failed, N skipped`, and exits with 1 unless everything ran and passed.
//
// The host's own Node runs this, which may be older than the one of the project.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const RANK = { skipped: 0, passed: 1, failed: 2 };
const outcomes = new Map();
const logs = [];
let tests = 0;
const record = (name, outcome) => {
  if (RANK[outcome] >= (RANK[outcomes.get(name)] ?? -1)) outcomes.set(name, outcome);
};
/** A suite without its service has that in its title. */
const plain = (title) => title.replaceAll(/ \(left out: needs \w+\)/g, "");
const list = (folder) =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];

const recordReport = (file) => {
  const { outcomes: programs = [], testResults = [] } = JSON.parse(readFileSync(file, "utf8"));
  for (const { name, passed, log } of programs) {
    record(name, passed ? "passed" : "failed");
    if (!passed) logs.push([name, log]);
  }
  for (const { assertionResults, name: path, status } of testResults) {
    tests += assertionResults.length;
    // A file may fail outside its tests.
    if (status === "failed" && !assertionResults.some((one) => one.status === "failed"))
      record(path, "failed");
    for (const { failureMessages, fullName, status: outcome } of assertionResults) {
      record(`${path} › ${plain(fullName)}`, outcome in RANK ? outcome : "skipped");
      for (const message of failureMessages) console.log(`== ${fullName} failed:\n${message}`);
    }
  }
};

const folders = ["packages", "apps", "support"].flatMap((name) => list(join(root, name)));
for (const folder of [root, ...folders])
  for (const file of list(join(folder, "reports"))) if (file.endsWith(".json")) recordReport(file);
for (const step of process.argv.slice(2)) {
  const [name, code] = step.split("=");
  record(name, code === "0" ? "passed" : "failed");
}

for (const [name, log] of logs) {
  const text = existsSync(join(root, log)) ? readFileSync(join(root, log), "utf8") : "no log";
  console.log(`== ${name} failed:\n${text.split("\n").slice(-60).join("\n")}`);
}
const named = (outcome) => [...outcomes].filter(([, value]) => value === outcome);
for (const outcome of ["failed", "skipped"])
  for (const [name] of named(outcome)) console.log(`${outcome}: ${name}`);
const [passed, failed, skipped] = ["passed", "failed", "skipped"].map((one) => named(one).length);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 && skipped === 0 && tests > 0 ? 0 : 1;
