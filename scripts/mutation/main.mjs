// Judges the tests of packages: pnpm mutation [NAME …] [--files GLOB] [--since REVISION]
// [--seconds N] [--write]. Every small change of the sources (a mutant)
// that a test reaches should make a test fail; the score is the share that does.
//
// `scores.json` holds the least score of the files of each GLOB of a package, which only rises
// (--write raises it, and docs/benchmarks.md shows it). Without --files these globs are judged, each
// in its share of the seconds. With --since, mutants on changed lines alone are judged, and each that
// survives fails the run: write a test, or say on its line why none can notice it, naming the mutant
// as it is printed:
//
//   // mutant: `seen < 128 → seen <= 128` is equivalent, 128 alone is never seen.
//
// Such an excuse is judged as well: it fails the run if a test notices its mutant, or if it names
// none.
//
// A mutant can loop for ever without reaching its own switch, and only another process can end
// that: this one reads the log of the tests, and ends them after 20 s of silence.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { instrument } from "./instrument.mjs";

const SILENCE_MS = 20_000;
const root = join(import.meta.dirname, "../..");
const scoresFile = join(import.meta.dirname, "scores.json");
const scores = JSON.parse(readFileSync(scoresFile, "utf8"));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: "string" },
    since: { type: "string" },
    seconds: { type: "string", default: "1800" },
    write: { type: "boolean", default: false },
  },
});
const unknown = positionals.find((name) => !Object.hasOwn(scores, name));
if (unknown !== undefined) {
  console.error(`There is no package ${unknown}. Say one of ${Object.keys(scores).join(", ")}.`);
  process.exit(64);
}

/** The lines of the log so far, as one record. */
const readLog = (folder) => {
  const state = {
    killed: new Map(),
    timedOut: new Set(),
    reached: new Set(),
    atLoad: new Set(),
  };
  let trying;
  for (const line of readFileSync(join(folder, "log.ndjson"), "utf8").split("\n").filter(Boolean)) {
    const entry = JSON.parse(line);
    for (const id of entry.reached ?? []) state.reached.add(id);
    for (const id of entry.atLoad ?? []) state.atLoad.add(id);
    if (entry.trying) trying = entry.trying;
    if (entry.killed) state.killed.set(entry.killed, entry.by);
    if (entry.timedOut) state.timedOut.add(entry.timedOut);
  }
  return { ...state, trying };
};

const isTrying = (log) => readFileSync(log, "utf8").trimEnd().split("\n").at(-1).includes("trying");

/** Starts the tests once. `true` when they ended by themselves, `false` when they fell silent. */
const runTests = async (name, folder, mostMillis) => {
  const config = join(import.meta.dirname, "vitest.config.mjs");
  const args = ["exec", "vitest", "run", "--config", config, "--root", "."];
  const child = spawn("pnpm", args, {
    cwd: join(root, "packages", name),
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, MUTATION_FOLDER: folder, MUTATION_MOST_MILLIS: String(mostMillis) },
  });
  let said = "";
  child.stderr.on("data", (data) => (said = (said + data).slice(-4000)));
  const ended = new Promise((resolve) => child.once("exit", () => resolve(true)));
  const log = join(folder, "log.ndjson");
  for (;;) {
    if (await Promise.race([ended, sleep(200, false)])) return { hasEnded: true, said };
    // A long test is silent as well: vitest ends it, as long as no mutant is at work.
    if (Date.now() - statSync(log).mtimeMs < SILENCE_MS || !isTrying(log)) continue;
    process.kill(-child.pid, "SIGKILL");
    await ended;
    return { hasEnded: false, said };
  }
};

/** Runs the tests of a package until each mutant is judged or the time is over. */
const judge = async (name, mutants, sources, seconds) => {
  const folder = mkdtempSync(join(tmpdir(), "mutation-"));
  const log = join(folder, "log.ndjson");
  writeFileSync(log, "");
  writeFileSync(join(folder, "sources.json"), JSON.stringify(sources));
  const until = Date.now() + seconds * 1000;
  const judged = mutants.map(({ id }) => id);
  writeFileSync(join(folder, "run.json"), JSON.stringify({ judged, until }));
  // Milliseconds: first the cheap tests; then the dearer ones, for the mutants that no cheap one notices.
  const limits = [200, 800, Infinity];
  for (;;) {
    const { hasEnded, said } = await runTests(name, folder, limits[0]);
    const state = readLog(folder);
    if (hasEnded && state.reached.size === 0 && values.since === undefined)
      throw new Error(`${name}: no test reached a mutant.\n${said}`);
    if (hasEnded) limits.shift();
    if (limits.length === 0 || Date.now() > until) {
      rmSync(folder, { recursive: true });
      return { ...state, isCutShort: Date.now() > until };
    }
    if (!hasEnded)
      writeFileSync(log, `${JSON.stringify({ timedOut: state.trying })}\n`, { flag: "a" });
  }
};

const lineOf = ({ file, line, mutator, text }) => `${file}:${line} ${mutator}: \`${text}\``;

const isWhole = values.since === undefined;
const { since } = values;
const names = positionals.length > 0 ? positionals : Object.keys(scores);
const runs = names.flatMap((name) => {
  const scored = isWhole ? Object.keys(scores[name]) : [];
  const globs = values.files ? [values.files] : scored.length > 0 ? scored : ["**/*.ts"];
  const seconds = Math.round(Number(values.seconds) / globs.length);
  return globs.map((files) => ({ name, files, seconds }));
});
for (const { name, files, seconds } of runs) {
  const { sources, mutants, stale } = await instrument(root, name, { files, since });
  if (mutants.length === 0 && !isWhole) continue;
  if (mutants.length === 0) {
    console.error(`${name}: no source of it is ${files}`);
    process.exit(64);
  }
  const { killed, timedOut, reached, atLoad, isCutShort } = await judge(
    name,
    mutants,
    sources,
    seconds,
  );
  const isNoticed = ({ id }) => killed.has(id) || timedOut.has(id);
  const left = mutants.filter((one) => reached.has(one.id) && !isNoticed(one));
  const survivors = left.filter(({ isExcused }) => !isExcused);
  const falseExcuses = mutants.filter((one) => one.isExcused && isNoticed(one));
  const noticed = mutants.filter(isNoticed).length;
  const score = Math.floor((1000 * noticed) / Math.max(1, noticed + survivors.length)) / 10;
  const least = scores[name][files] ?? 0;
  const unreached = mutants.filter(({ id }) => !reached.has(id) && !atLoad.has(id)).length;
  for (const one of survivors) console.log(lineOf(one));
  for (const one of falseExcuses) console.log(`${lineOf(one)} is excused, and a test notices it`);
  for (const place of stale) console.log(`${place} excuses no mutant`);
  console.log(
    `${name}, ${files}: ${mutants.length} mutants, ${reached.size} reached by a test, ${unreached} by ` +
      `none (the others run at load), ${noticed} noticed (${timedOut.size} by time), ` +
      `${left.length - survivors.length} excused, ${survivors.length} survive: ${score} % (least ${least})` +
      (isCutShort ? `; ended after ${seconds} s` : ""),
  );
  if (falseExcuses.length > 0 || stale.length > 0) process.exitCode = 1;
  if (isWhole && !isCutShort && score < least) process.exitCode = 1;
  if (values.since !== undefined && survivors.length > 0) process.exitCode = 1;
  if (values.write && isWhole && !isCutShort) scores[name][files] = Math.max(least, score);
}
if (values.write) writeFileSync(scoresFile, `${JSON.stringify(scores, null, 2)}\n`);
