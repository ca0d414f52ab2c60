/** Random services, by seed. */
import type { ModelWindow } from "./Server.ts";
import { generator, type Regime } from "./simulate.ts";

/** A service of 1 to 4 windows with hidden buckets, three users, and up to a second for one way. */
export const randomService = (seed: number): Regime => {
  const random = generator(seed * 104_729);
  const pick = <A>(list: ReadonlyArray<A>) => list[Math.floor(random() * list.length)]!;
  const count = 1 + Math.floor(random() * 4);
  let period = pick([1, 2, 5, 10]);
  let max = 2 + Math.floor(random() * 30);
  const windows: Array<ModelWindow> = [];
  for (let index = 0; index < count; index++) {
    const longest = Math.max(5, 2 * period);
    windows.push({
      rule: pick(["account", "client", "ip"]),
      max,
      period: period * 1000,
      bucket: Math.min(pick([0, 1, 5, 7, 10, 20, 30, 60]), longest) * 1000,
    });
    period *= pick([3, 5, 6]);
    max = Math.max(max + 1, Math.floor(max * (1.5 + 3 * random())));
  }
  const longestWay = random() * 1000;
  return {
    name: `service ${seed}`,
    server: (next) => ({
      policies: [{ name: "p", windows }],
      phase: Math.floor(next() * 60_000),
    }),
    hours: 0.25,
    fibers: 8,
    identities: ["a", "b", "c"],
    oneWay: (next) => 5 + next() * longestWay,
    target: 0,
  };
};
