/**
 * The scripts of the store in Redis, without a Redis: a sorted set per window and a hash, in
 * memory. `test/Stores.test.ts` compares each reply with that of a real one.
 */

/** A Redis in memory. */
export interface ModelRedis {
  /** One command and its reply; `millis` is the server's time. */
  readonly run: (command: ReadonlyArray<string>, millis: number) => unknown;
  /** The members of all windows and their scores. */
  readonly members: () => ReadonlyArray<readonly [member: string, score: number]>;
  /** Loses all data. */
  readonly flush: () => void;
}

const GRACE_MILLIS = 2500;
const MEMORY_MILLIS = 120_000;

export const modelRedis = (): ModelRedis => {
  const meta = new Map<string, string>();
  const sets = new Map<string, Map<string, number>>();

  const setOf = (key: string): Map<string, number> => {
    let set = sets.get(key);
    if (!set) sets.set(key, (set = new Map()));
    return set;
  };

  const numbered = (field: string): number => Number(meta.get(field) ?? 0);

  const run = (command: ReadonlyArray<string>, millis: number): unknown => {
    const [name, script = "", count, ...rest] = command;
    if (name !== "EVAL") throw new Error(`the model has no command ${name}`);
    const keys = rest.slice(1, Number(count));
    const argv = rest.slice(Number(count));
    const arg = (index: number): string => argv[index - 1] ?? "";
    const n = keys.length;
    const now = Math.max(Math.floor(millis), numbered("now"));
    const known = meta.get("version") ?? "0";
    const reply = (status: number, opens: number): unknown => [
      status,
      now,
      opens,
      known,
      known === arg(1) ? "" : (meta.get("knowledge") ?? ""),
      ...keys.map((key, index) => {
        const since = Number(arg(index + 2));
        return [...setOf(key)]
          .filter(([, score]) => score >= since)
          .toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
          .flatMap(([member, score]) => [member, String(score)]);
      }),
      ...keys.map((key) => meta.get(key) ?? ""),
    ];

    const reserve = (): unknown => {
      if (!meta.has("born")) return reply(2, 0);
      const opens = numbered("opens");
      if (opens > now) return reply(0, opens);
      const lease = Number(arg(n + 3));
      for (const [index, key] of keys.entries()) {
        const set = setOf(key);
        const old = Number(arg(index + 2)) - MEMORY_MILLIS;
        for (const [member, score] of set) if (score < old) set.delete(member);
        const cut = Number(arg(n + 4 + 2 * index));
        const limit = Number(arg(n + 5 + 2 * index));
        let counted = 0;
        for (const score of set.values()) if (score >= cut) counted++;
        if (counted >= limit) return reply(0, 0);
      }
      meta.set("now", String(now));
      for (const key of keys)
        setOf(key).set(`${now}|${(now + lease).toFixed(0)}|${arg(n + 2)}`, now + lease);
      return reply(1, 0);
    };

    const settle = (): unknown => {
      if (!meta.has("born")) return reply(2, 0);
      meta.set("now", String(now));
      const member = argv[n + 2];
      if (member !== undefined) {
        const at = Math.min(now + 1, arg(n + 4) === "" ? now + 1 : Number(arg(n + 4)));
        for (const [index, key] of keys.entries()) {
          const set = setOf(key);
          if (arg(n + 2) !== "1") set.delete(member);
          else if (set.has(member)) set.set(member, at);
          const told = arg(n + 5 + index);
          if (told !== "") meta.set(key, `${at.toFixed(0)}|${told}|${member}`);
        }
      }
      return reply(1, 0);
    };

    const publish = (): unknown => {
      if (known !== arg(1)) return reply(0, 0);
      meta.set("knowledge", arg(2));
      if (!meta.has("born")) meta.set("born", String(now));
      meta.set("version", String(Number(known) + 1));
      return [1, now, 0, Number(known) + 1, ""];
    };

    const restore = (): unknown => {
      if (!meta.has("born")) {
        meta.set("born", String(now));
        meta.set("opens", String(now + GRACE_MILLIS));
      }
      let next = 3;
      for (const key of keys) {
        const set = setOf(key);
        for (let hits = Number(arg(next++)); hits > 0; hits--) {
          const member = arg(next + 1);
          if (!set.has(member)) set.set(member, Number(arg(next)));
          next += 2;
        }
      }
      return 1;
    };

    if (script.includes("local id, lease")) return reserve();
    if (script.includes("local member")) return settle();
    if (script.includes("'knowledge', ARGV[2]")) return publish();
    if (script.includes("local a = 3")) return restore();
    throw new Error("the model does not know this script");
  };

  return {
    run,
    members: () => [...sets.values()].flatMap((set) => [...set]),
    flush: () => {
      meta.clear();
      sets.clear();
    },
  };
};
