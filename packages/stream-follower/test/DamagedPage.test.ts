/** A page that came with damaged bytes is requested again before it is taken as it is. */
import { expect, it } from "vitest";
import type { Seen } from "./support/FaultServer.ts";
import { follow, tagOf, waitsOf } from "./support/Run.ts";

const whole = '{"id":"a","public":true,"stash":"first","items":[{"name":"Ring"}]}';
const other = '{"id":"b","public":false}';
const damages = {
  "a control character in an item": Buffer.from(whole.replace("Ring", "Ri\u0001ng")),
  "a byte that is no UTF-8": Buffer.from(whole.replace("Ring", "Ri\u00ffng"), "latin1"),
  "a text that is not JSON": Buffer.from(whole.replace("true", "tru")),
};

const pageOf = (row: Uint8Array, nextId: string) =>
  Buffer.concat([
    Buffer.from(`{"next_change_id":"${nextId}","stashes":[`),
    row,
    Buffer.from(`,${other}]}`),
  ]);

/** The first page damaged so many times; then the end. */
const script = (damaged: Uint8Array, times: number) => {
  let left = times;
  return {
    answer: ({ id }: Seen) => {
      if (id !== undefined) return { body: '{"next_change_id":"p1","stashes":[]}' };
      left -= 1;
      return { body: pageOf(left >= 0 ? damaged : Buffer.from(whole), "p1") };
    },
  };
};

/** Waits between the requests for the first page. */
const times = (seen: ReadonlyArray<Seen>) => waitsOf(seen.filter(({ id }) => id === undefined));

it.each(Object.entries(damages))("once: the next answer is taken whole: %s", async (_, damaged) => {
  const { exit, memory, seen } = await follow(script(damaged, 1));
  expect(tagOf(exit)).toBe(undefined);
  expect(memory.quarantine).toEqual([]);
  expect(memory.stashes.get("a")?.change?.json).toBe(whole);
  expect(times(seen)).toEqual([2000]);
});

it.each(Object.entries(damages))(
  "for ever: after 2, 8 and 30 seconds the row is set aside with its own bytes: %s",
  async (_, damaged) => {
    const { exit, memory, seen } = await follow(script(damaged, Infinity));
    expect(tagOf(exit)).toBe(undefined);
    expect(times(seen)).toEqual([2000, 8000, 30_000]);
    expect([...memory.stashes.keys()]).toEqual(["b"]);
    expect(memory.quarantine).toHaveLength(1);
    const [record] = memory.quarantine;
    expect(record).toMatchObject({ kind: "row", place: 0, errorTag: "MalformedRow", tries: 4 });
    expect(Buffer.from(record!.bytes).equals(damaged)).toBe(true);
  },
);

it("with a second list, that stands for the first, is requested again, and then taken as JSON.parse reads it", async () => {
  const twice = (times_: number) => {
    let left = times_;
    const list = `"stashes":[${whole}],`;
    return follow({
      answer: ({ id }) => {
        left -= id === undefined ? 1 : 0;
        const rest = id === undefined ? other : "";
        return { body: `{"next_change_id":"p1",${left < 0 ? "" : list}"stashes":[${rest}]}` };
      },
    });
  };
  expect(times((await twice(1)).seen)).toEqual([2000]);
  const { memory, seen } = await twice(Infinity);
  expect(times(seen)).toEqual([2000, 8000, 30_000]);
  expect([...memory.stashes.keys()]).toEqual(["b"]);
});
