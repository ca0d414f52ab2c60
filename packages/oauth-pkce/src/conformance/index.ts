/**
 * The laws of a token store, as tests for a store of your own. Any test runner will do.
 *
 * @example
 * ```ts
 * import { tokenStoreLaws } from "@game-data/oauth-pkce/conformance";
 * import { memoryStore } from "@game-data/oauth-pkce/promise";
 *
 * const store = memoryStore();
 * for (const { run } of tokenStoreLaws(async () => store)) await run();
 * ```
 *
 * @packageDocumentation
 */
import type { Backend } from "../Model.ts";

/** One law. `run` rejects if the store breaks it. */
export interface TokenStoreLaw {
  readonly name: string;
  readonly run: () => Promise<void>;
}

class LawBroken extends Error {
  override readonly name = "LawBroken";
}

const demand = (isTrue: boolean, statement: string): void => {
  if (!isTrue) throw new LawBroken(statement);
};

type Entry = Readonly<Record<"version" | "text", string>>;

const entry = (version: string, text = `text of ${version}`): Entry => ({ version, text });

/** Whole numbers below a bound, the same in every run. */
const seeded = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

type Check = (store: Backend, key: string) => Promise<void>;

const LAWS: Readonly<Record<string, Check>> = {
  "returns what was written, with the store's clock": async (store, key) => {
    demand((await store.read(key)) === undefined, "an unknown key has an entry");
    demand(await store.write(key, undefined, entry("a")), "the first write failed");
    const found = await store.read(key);
    demand(found?.version === "a" && found.text === "text of a", "another entry was read");
    demand(Number.isFinite(found?.now) && found!.now > 1e12, "`now` is not epoch milliseconds");
    const again = await store.read(key);
    demand(again!.now >= found!.now, "`now` went back");
  },
  "writes only in place of the expected version": async (store, key) => {
    await store.write(key, undefined, entry("a"));
    demand(!(await store.write(key, undefined, entry("b"))), "an entry was replaced as if absent");
    demand(!(await store.write(key, "x", entry("b"))), "another version was replaced");
    demand(await store.write(key, "a", entry("b")), "the expected version was not replaced");
    demand((await store.read(key))?.version === "b", "the write is not visible");
    demand(!(await store.write("law none", "a", entry("b"))), "an absent entry was replaced");
  },
  "removes only the expected version": async (store, key) => {
    await store.write(key, undefined, entry("a"));
    demand(!(await store.write(key, "x", undefined)), "another version was removed");
    demand(!(await store.write(key, undefined, undefined)), "an entry counts as absent");
    demand(await store.write(key, "a", undefined), "the expected version was not removed");
    demand((await store.read(key)) === undefined, "a removed entry is still there");
    demand(await store.write(key, undefined, undefined), "an absent entry counts as present");
  },
  "an old version does not overwrite an entry that was made anew": async (store, key) => {
    await store.write(key, undefined, entry("a"));
    await store.write(key, "a", undefined);
    await store.write(key, undefined, entry("b"));
    demand(!(await store.write(key, "a", entry("c"))), "an old holder wrote over a new login");
    demand((await store.read(key))?.version === "b", "the new login is gone");
  },
  "keeps keys apart, and texts as they are": async (store, key) => {
    const keys = [key, `${key} `, `${key}:x`, `${key}%`, `${key}é☃𐍈`, `${key}'";--`];
    const text = `{"a":"é☃𐍈\\u0000'\\"","b":"${"x".repeat(8_000)}"}`;
    for (const [at, each] of keys.entries())
      demand(await store.write(each, undefined, entry(`${at}`, text + at)), "a key is shared");
    for (const [at, each] of keys.entries())
      demand((await store.read(each))?.text === text + at, "a text changed on its way");
  },
  "lets one of many writers win, and counts what it says": async (store, key) => {
    await store.write(key, undefined, entry("0", "0"));
    let successes = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let done = 0; done < 25;) {
          const found = await store.read(key);
          const next = entry(crypto.randomUUID(), `${Number(found?.text) + 1}`);
          if (await store.write(key, found?.version, next)) {
            successes += 1;
            done += 1;
          }
        }
      }),
    );
    const total = Number((await store.read(key))?.text);
    demand(total === successes && successes === 200, `${successes} successes made ${total}`);
  },
  "does what a model does, over 150 random steps": async (store, key) => {
    const model = new Map<string, Entry>();
    const keys = [key, `${key} 2`, `${key} 3`];
    const used = ["never written"];
    const random = seeded(1);
    const oneOf = <A>(list: ReadonlyArray<A>): A => list[random(list.length)]!;
    for (let step = 0; step < 150; step++) {
      const each = oneOf(keys);
      const current = model.get(each)?.version;
      // The right version, none, or one of long ago.
      const expected = oneOf([current, current, undefined, oneOf(used)]);
      const next = random(4) === 0 ? undefined : entry(`${step}`);
      const isWritten = await store.write(each, expected, next);
      const said = `step ${step}`;
      demand(isWritten === (expected === current), `${said}: the write said ${isWritten}`);
      if (isWritten && next) model.set(each, next);
      else if (isWritten) model.delete(each);
      if (next) used.push(next.version);
      const found = await store.read(each);
      const known = model.get(each);
      const isSame = found?.version === known?.version && found?.text === known?.text;
      demand(isSame, `${said}: another entry was read`);
    }
  },
  "forgets an entry at the end of its time, and not before": async (store, key) => {
    await store.write(key, undefined, { ...entry("a"), ttlMillis: 50 });
    await store.write(`${key} long`, undefined, { ...entry("a"), ttlMillis: 3_600_000 });
    await new Promise((resolve) => setTimeout(resolve, 120));
    demand((await store.read(key)) === undefined, "an entry outlived its time");
    demand(!(await store.write(key, "a", entry("b"))), "an entry was replaced after its time");
    demand(await store.write(key, undefined, entry("b")), "an ended entry is in the way");
    demand((await store.read(`${key} long`)) !== undefined, "an entry was forgotten too early");
    demand(await store.write(`${key} long`, "a", entry("b")), "a live entry was not replaced");
  },
  "keeps the end of an entry that is replaced with the ttl `keep`": async (store, key) => {
    // A store that takes longer than the time of an entry is asked again with a longer one.
    for (const ttlMillis of [80, 800, 8000]) {
      const [ending, lasting] = [`${key} ${ttlMillis}`, `${key} ${ttlMillis} for ever`];
      const began = Date.now();
      await store.write(ending, undefined, { ...entry("a"), ttlMillis });
      await store.write(lasting, undefined, entry("a"));
      const kept = { ...entry("b"), ttlMillis: "keep" } as const;
      const isWritten =
        (await store.write(ending, "a", kept)) && (await store.write(lasting, "a", kept));
      const found = await store.read(ending);
      if (ttlMillis < 8000 && Date.now() - began >= ttlMillis) continue;
      demand(isWritten, "`keep` was refused");
      demand(found?.version === "b", "the entry was not replaced");
      await new Promise((resolve) => setTimeout(resolve, 2 * ttlMillis));
      demand((await store.read(ending)) === undefined, "the end of the entry was not kept");
      demand((await store.read(lasting)) !== undefined, "an entry got an end");
      return;
    }
  },
};

/** Returns the laws for stores that `open` opens; each law uses keys of its own. */
export const tokenStoreLaws = (open: () => Promise<Backend>): ReadonlyArray<TokenStoreLaw> =>
  Object.entries(LAWS).map(([name, check]) => ({
    name,
    run: async () => check(await open(), `law ${crypto.randomUUID()}`),
  }));
