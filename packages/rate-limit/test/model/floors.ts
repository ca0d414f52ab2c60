/**
 * The results of each regime with the first seed: per cent of the oracle's requests (0.3 less than
 * was
 * measured), and refused requests. A change of the planner that loses any of it fails.
 */
export const floors: ReadonlyArray<
  readonly [name: string, utilisation: number, violations: number]
> = [
  ["nested 12:6 + 40:60, 3 fibers", 99.5, 0],
  ["four windows 12:6, 40:60, 150:300, 400:900", 99.4, 0],
  ["30:10, 8 at once", 98.5, 0],
  ["2:10 + 5:300", 98.0, 0],
  ["1:5", 49.2, 0],
  ["15:10 b5", 99.4, 0],
  ["15:10 b5 + 30:300 b60", 98.7, 0],
  ["2:10 b5 + 5:300 b60", 93.9, 0],
  ["15:10 b20", 99.4, 0],
  ["30:60 b60", 99.0, 0],
  ["15:10 b7", 99.5, 0],
  ["30:10 b5, latency 1.5-3 s", 95.4, 0],
  ["30:10, 20 % of answers take 4 s", 90.7, 0],
  ["30:10, latency 0.2-0.6 s", 95.4, 0],
  ["4 processes on one store, 15:10 + 40:60", 99.5, 0],
  ["4 processes, 15:10 b5 + 30:60 b60", 99.3, 0],
  ["6 users, ip 60:60, account 30:60", 99.3, 0],
  ["6 users, ip 600:60, account 30:60", 99.4, 0],
  ["foreign, steady 10/min of 30:60", 69.7, 1],
  ["foreign, Poisson 10/min of 30:60", 55.9, 2],
  ["foreign, Poisson 30/min of 120:60", 78.7, 3],
  ["foreign burst of 10 each 5 min, 30:60", 24.2, 5],
  ["no -State, no bucket, 15:10", 97.9, 0],
  ["no -State, b5, 15:10", 96.7, 1],
  ["30 % of answers with missing or broken headers", 98.8, 0],
  ["a rule absent for 30 s in 5 min, still enforced", 97.5, 0],
  ["limits change 40 to 10, +4:10, to 100", 99.1, 1],
  ["one route alternates between two policies", 99.4, 0],
  ["route moves to a stricter policy", 98.2, 0],
  ["server clock jitters by 50 ms either way", 99.5, 0],
  ["server clock 200 ppm fast, b5, 4 h", 99.6, 0],
  ["client's wall clock one hour back", 98.7, 0],
  ["client's wall clock one hour forward", 98.7, 0],
  ["restart each 24 s, kept store, 30:60 b60", 99.0, 0],
  ["restart each 24 s, nothing kept, 30:60", 73.2, 0],
  ["half of the answers are 404", 98.7, 0],
  ["one refusal reaches four in flight", 98.5, 0],
];
