/**
 * Everything that the limiter decides in the regimes and the traces, short enough to keep: the
 * requests that were served and refused with each seed, and a digest of each trace. Recorded by
 * `node test/model/recorded.ts --write`; the first test that differs tells which plan has changed.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { machines, runCluster } from "./processes.ts";
import type { Machine } from "./processes.ts";
import { traces } from "./queueTrace.ts";
import { lateServers, regimes } from "./regimes.ts";
import { simulate } from "./simulate.ts";
import type { Regime, Run } from "./simulate.ts";

/** Requests served, and those refused. */
export type Recorded = Readonly<Record<string, string>>;

const file = new URL("recorded.json", import.meta.url);

export const recorded = (): Recorded => JSON.parse(readFileSync(file, "utf8")) as Recorded;

export const digest = (lines: ReadonlyArray<string>): string =>
  `${lines.length} lines ${createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16)}`;

export const figures = ({ checksum, served, violations }: Run): string =>
  `${served} served, ${violations} refused, ${(checksum >>> 0).toString(16)}`;

export const plans: ReadonlyArray<Regime> = [...lateServers, ...regimes];

/** What is decided in the first minutes of a regime: nearly all of it, for little time. */
export const firstMinutes = (regime: Regime): string =>
  figures(simulate({ ...regime, hours: 0.06 }, 1));

/** The first seconds of four processes on one store. */
export const firstSeconds = async (machine: Machine): Promise<string> => {
  const { each, served, stall, violations } = await runCluster({ machine, seconds: 4 }, 1);
  return `${served} served, ${violations} refused, ${each.join(" ")}, ${stall.toFixed(1)}`;
};

/** The current results one by one, the cheap ones first. */
async function* current(): AsyncGenerator<readonly [name: string, figure: string]> {
  for (const [name, trace] of Object.entries(traces))
    yield [`queue: ${name}`, digest(await trace())];
  for (const machine of machines) yield [`cluster: ${machine.name}`, await firstSeconds(machine)];
  for (const regime of plans) yield [`first minutes: ${regime.name}`, firstMinutes(regime)];
  for (const regime of plans) yield [regime.name, figures(simulate(regime, 1))];
}

if (process.argv[1] === import.meta.filename) {
  const before = process.argv.includes("--write") ? undefined : recorded();
  const now: Record<string, string> = {};
  for await (const [name, figure] of current()) {
    now[name] = figure;
    if (before && before[name] !== figure) {
      console.log(`${name}: ${figure}, recorded ${before[name]}`);
      process.exit(1);
    }
  }
  if (!before) writeFileSync(file, `${JSON.stringify(now, undefined, 2)}\n`);
}
