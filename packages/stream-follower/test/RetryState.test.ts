/**
 * Tries are counted per answer: what went wrong with one page is forgotten with the next good one.
 */
import { describe, expect, it } from "vitest";
import { answerHistory, type Fault, type Seen } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { differences, follow, tagOf } from "./support/Run.ts";

const pages = makeHistory({ pages: 6 });
const answer = answerHistory(pages);
const ids = pages.map((page) => page.id);

/** So many faults for each of these ids, one after the other. */
const bend = (plan: Readonly<Record<string, ReadonlyArray<Fault>>>) => {
  const left = new Map(Object.entries(plan).map(([id, faults]) => [id, [...faults]]));
  return (seen: Seen) => left.get(seen.id ?? "")?.shift();
};
const times = (count: number, fault: Fault) => Array.from({ length: count }, () => fault);
const requests = (seen: ReadonlyArray<Seen>, id: string) =>
  seen.filter((one) => one.id === id).length;

const malformed = { kind: "malformed", keepHead: true } as const;
const broken = { kind: "status", status: 503 } as const;

describe("a good answer", () => {
  it("forgets the spaced tries before it: another page has all of its own", async () => {
    const fault = bend({ [ids[1]!]: times(3, malformed), [ids[2]!]: times(3, malformed) });
    const { exit, memory } = await follow({ answer, fault });
    expect(tagOf(exit)).toBe(undefined);
    expect(memory.quarantine).toEqual([]);
    expect(differences(memory, pages)).toEqual([]);
  });

  it("forgets the retries before it: `maxRetries` is of one page", async () => {
    const fault = bend({ [ids[1]!]: times(2, broken), [ids[3]!]: times(2, broken) });
    const { exit, memory } = await follow({ answer, fault }, { maxRetries: 2 });
    expect(tagOf(exit)).toBe(undefined);
    expect(differences(memory, pages)).toEqual([]);
  });
});

describe("a page given up", () => {
  it("takes its tries with it: the malformed page after it is tried as often", async () => {
    const fault = bend({ [ids[1]!]: times(9, malformed), [ids[2]!]: times(9, malformed) });
    const { memory, seen } = await follow({ answer, fault });
    expect([requests(seen, ids[1]!), requests(seen, ids[2]!)]).toEqual([4, 4]);
    expect(memory.quarantine.map(({ tries }) => tries)).toEqual([4, 4]);
  });
});

describe("an id given up", () => {
  it("leaves the one that is read instead all of its tries", async () => {
    const refused = { kind: "status", status: 404 } as const;
    const fault = bend({ [ids[2]!]: times(9, refused), [ids[4]!]: times(3, refused) });
    const { exit, memory, seen } = await follow(
      { answer, fault },
      { onIdRejected: { jumpTo: ids[4]! } },
    );
    expect(tagOf(exit)).toBe(undefined);
    expect(requests(seen, ids[2]!)).toBe(4);
    expect(requests(seen, ids[4]!)).toBe(4);
    expect(memory.gaps).toEqual([{ kind: "jumped", from: ids[2], to: ids[4] }]);
  });
});
