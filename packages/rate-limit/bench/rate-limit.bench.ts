import { regimes } from "../test/model/regimes.ts";
import { simulate } from "../test/model/simulate.ts";

const only = process.argv.find((each) => each.startsWith("--only="))?.slice(7);
const seeds = Number(process.argv.find((each) => each.startsWith("--seeds="))?.slice(8) ?? 3);
const trace = process.argv.includes("--trace");
for (const regime of regimes) {
  if (only && !regime.name.includes(only)) continue;
  const started = performance.now();
  const runs = Array.from({ length: seeds }, (_, seed) =>
    simulate(regime, seed + 1, trace ? (text) => console.log(text) : undefined),
  );
  const mean = (pick: (run: (typeof runs)[number]) => number) =>
    runs.reduce((sum, run) => sum + pick(run), 0) / runs.length;
  const u = mean((run) => run.utilisation);
  const v = mean((run) => run.violations);
  const ok = u >= regime.floor && v <= (regime.violations ?? 0);
  console.log(
    `${ok ? "ok  " : "FAIL"} ${regime.name.padEnd(48)} ${u.toFixed(1).padStart(6)} (${regime.floor}) v ${v.toFixed(1)} (${regime.violations ?? 0}) oracle ${mean((r) => r.oracle).toFixed(0)} fr ${mean((r) => r.foreignRefused).toFixed(1)} ${((performance.now() - started) / seeds).toFixed(0)} ms`,
  );
}
