import { gunzipSync, gzipSync } from "node:zlib";

/** Milliseconds of CPU that `work` takes on an idle core of the reference machine. */
const WORK_MILLIS = 6.5;
const sample = gzipSync(
  JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ id: n, name: `item ${n * 7919}` }))),
);
const work = () => void JSON.parse(gunzipSync(sample).toString());

type Usage = (before?: NodeJS.CpuUsage) => NodeJS.CpuUsage;
const millisOf = ({ system, user }: NodeJS.CpuUsage): number => (system + user) / 1000;

/** Returns this core's slowness against a quiet core: the median of five samples, at least 1. */
const slowness = (): number => {
  const looks = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    return millisOf(process.cpuUsage(before));
  });
  return Math.max(1, looks.toSorted((a, b) => a - b)[2]! / WORK_MILLIS);
};

/**
 * Measures the CPU that `run` takes, in milliseconds, of all threads or as `usage` reports. Repeats `run`
 * until a run takes less than `limit`, five times at most, and returns the lowest figure, because the
 * process has other work, such as garbage collection. The same instructions take longer on a core that
 * other programs use, so a run at the limit is scaled by a known piece of work right after it.
 */
export const cpuOf = async <A>(
  limit: number,
  run: () => A | Promise<A>,
  usage: Usage = process.cpuUsage,
): Promise<{ readonly value: A; readonly millis: number }> => {
  let millis = Infinity;
  let value: A;
  for (let round = 0; round < 5 && millis >= limit; round += 1) {
    const before = usage();
    value = await run();
    const taken = millisOf(usage(before));
    millis = Math.min(millis, taken < limit ? taken : taken / slowness());
  }
  return { value: value!, millis };
};
