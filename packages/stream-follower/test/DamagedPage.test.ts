/** A page with damaged bytes is requested a second time, and then taken without its damaged rows. */
import { expect, it } from "vitest";
import type { Seen } from "./support/FaultServer.ts";
import { follow, tagOf, waitsOf } from "./support/Run.ts";

const whole = '{"id":"a","public":true,"stash":"first","items":[{"name":"Ring"}]}';
const other = '{"id":"b","public":false}';
const DAMAGES = {
  "a control character in an item": Buffer.from(whole.replace("Ring", "Ri\u0001ng")),
  "a byte that is not UTF-8": Buffer.from(whole.replace("Ring", "Ri\u00ffng"), "latin1"),
};

const page = (row: Uint8Array, end = "]}") =>
  Buffer.concat([
    Buffer.from('{"next_change_id":"p1","stashes":['),
    row,
    Buffer.from(`,${other}${end}`),
  ]);

/** Serves the damaged page the given number of times, then the whole one, then the end. */
const script = (damaged: Uint8Array, times: number) => {
  let served = 0;
  return {
    answer: ({ id }: Seen) => {
      if (id !== undefined) return { body: '{"next_change_id":"p1","stashes":[]}' };
      served += 1;
      return { body: served <= times ? damaged : page(Buffer.from(whole)) };
    },
  };
};

const waits = (seen: ReadonlyArray<Seen>) => waitsOf(seen.filter(({ id }) => id === undefined));

it.each(Object.entries(DAMAGES))(
  "a follower takes a page from the second response if the first response is damaged: %s",
  async (_, row) => {
    const { exit, memory, seen } = await follow(script(page(row), 1));
    expect(tagOf(exit)).toBe(undefined);
    expect(memory.quarantine).toEqual([]);
    expect(memory.stashes.get("a")?.json).toBe(whole);
    expect(waits(seen)).toEqual([2000]);
  },
);

it.each(Object.entries(DAMAGES))(
  "a follower loses only the damaged row of a page if the second response has it too: %s",
  async (_, row) => {
    const { exit, memory, seen } = await follow(script(page(row), Infinity));
    expect(tagOf(exit)).toBe(undefined);
    expect(waits(seen)).toEqual([2000]);
    expect([...memory.stashes.keys()]).toEqual(["b"]);
    expect(memory.quarantine).toHaveLength(1);
    const [record] = memory.quarantine;
    expect(record).toMatchObject({ place: 0, errorTag: "MalformedRow" });
    expect(Buffer.from(record!.bytes).equals(row)).toBe(true);
  },
);

it.each(["]}}", "]}\u0000", ']}{"next_change_id":"x","stashes":[]}'])(
  "a follower keeps all rows of a page with bytes after its end: %j",
  async (end) => {
    const { exit, memory, seen } = await follow(script(page(Buffer.from(whole), end), Infinity));
    expect(tagOf(exit)).toBe(undefined);
    expect(waits(seen)).toEqual([2000]);
    expect([...memory.stashes.keys()]).toEqual(["a", "b"]);
    expect(memory.quarantine).toEqual([]);
  },
);
