import { gunzipSync, gzipSync } from "node:zlib";

/** What `work` takes on a quiet core of the machines that decide about changes, in milliseconds. */
const WORK_MILLIS = 6.5;
const sample = gzipSync(
  JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ id: n, name: `item ${n * 7919}` }))),
);
const work = () => void JSON.parse(gunzipSync(sample).toString());

type Usage = (before?: NodeJS.CpuUsage) => NodeJS.CpuUsage;
const millisOf = ({ system, user }: NodeJS.CpuUsage): number => (system + user) / 1000;

/** How much slower than a quiet core this one is now: at least 1, the median of five looks. */
const slowness = (): number => {
  const looks = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    return millisOf(process.cpuUsage(before));
  });
  return Math.max(1, looks.toSorted((a, b) => a - b)[2]! / WORK_MILLIS);
};

/**
 * CPU in milliseconds, of all threads or by `usage` of this one, that `run` takes: the least of at most five
 * runs, ended by the first below `limit`, because the process has other work, such as collecting
 * what the test itself left. Where other programs share the core, the same instructions take
 * longer: a run that reaches the limit is measured by a piece of known work right after it.
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
