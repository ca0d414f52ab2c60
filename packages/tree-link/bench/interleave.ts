/**
 * Measures functions in turns. Imports nothing, because it also runs in a page.
 */

/** Runs once for the input of this number. */
export type Task = (index: number) => unknown;

/** Nanoseconds a call, and how many times the reference that is. */
export interface Figure {
  readonly ours: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly ratio: number;
}

/** Times `tasks.ours` and its peers; the ratio is to `tasks[reference]`. A round is `repeats` runs. */
export const interleave = (
  tasks: Readonly<Record<string, Task>>,
  reference: string,
  inputs: number,
  repeats = 20,
): Figure => {
  const names = Object.keys(tasks);
  const times: Record<string, Array<number>> = Object.fromEntries(names.map((name) => [name, []]));
  let kept: unknown;
  const round = (name: string, count: number): number => {
    const task = tasks[name]!;
    const start = performance.now();
    for (let time = 0; time < count; time++) for (let i = 0; i < inputs; i++) kept = task(i);
    return ((performance.now() - start) * 1e6) / (count * inputs);
  };
  for (const name of names) round(name, 10 * repeats);
  for (let i = 0; i < 300; i++) for (const name of names) times[name]!.push(round(name, repeats));
  if (kept === undefined) throw new Error("the last task gave nothing");
  const median = (values: ReadonlyArray<number>) => {
    const sorted = values.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)]!;
  };
  const ratios = times["ours"]!.map((time, i) => time / times[reference]![i]!);
  const nanoseconds = (name: string) => Math.round(median(times[name]!));
  return {
    ours: nanoseconds("ours"),
    peers: Object.fromEntries(
      names.filter((name) => name !== "ours").map((name) => [name, nanoseconds(name)]),
    ),
    ratio: Math.round(median(ratios) * 100) / 100,
  };
};
