/** Compares a record with what was asked for, and its entries with each other. Pure. */
import { at } from "./checks.ts";
import type { BodyCheck } from "./Examiner.ts";
import { foundAt, type Found } from "./report.ts";

const broken = (pointer: string, expected: string, actual: string): Found =>
  foundAt(["body", pointer], "other-result", expected, actual);

export const names =
  (member: string, name: string, value: string): BodyCheck =>
  (body) => {
    if (at(at(body, member), name) === value) return [];
    const actual = at(body, member) === null ? "null" : "another one";
    return [broken(`/${member}/${name}`, "the requested one", actual)];
  };

/** A list is not longer than the limit that applies. */
export const atMost =
  (member: string, most: number): BodyCheck =>
  (body) => {
    const { length } = listAt(body, member);
    return length > most ? [broken(`/${member}`, `at most ${most}`, `${length}`)] : [];
  };

/** The entries of a ladder: not more than the limit that applies, no rank before a lower one. */
export const entries =
  (member: string, most: number): BodyCheck =>
  (body) => {
    const ladder = at(body, member);
    const found = [...atMost("entries", most)(ladder), ...inOrder(ladder, byRank)];
    return found.map((each) => ({ ...each, at: `/${member}${each.at}` }));
  };

/** A ladder sorted by experience (§4.2). */
export const byExperience: BodyCheck = (body) => [
  ...entries("league", Infinity)(body),
  ...inOrder(at(body, "league"), falling).map((each) => ({ ...each, at: `/league${each.at}` })),
];

interface Order {
  readonly path: ReadonlyArray<string>;
  readonly expected: string;
  readonly actual: string;
  readonly isBroken: (before: number, after: number) => boolean;
}

const byRank: Order = {
  path: ["rank"],
  expected: "the rank of the entry before, or a later one",
  actual: "an earlier rank",
  isBroken: (before, after) => after < before,
};

const falling: Order = {
  path: ["character", "experience"],
  expected: "the experience of the entry before, or less",
  actual: "more",
  isBroken: (before, after) => after > before,
};

const inOrder = (ladder: unknown, { actual, expected, isBroken, path }: Order) => {
  const numbers = listAt(ladder, "entries").map((entry) => path.reduce<unknown>(at, entry));
  const wrong = numbers.findIndex((after, index) => {
    const before = numbers[index - 1];
    return typeof before === "number" && typeof after === "number" && isBroken(before, after);
  });
  return wrong === -1 ? [] : [broken(`/entries/${wrong}/${path.join("/")}`, expected, actual)];
};

/** §4.2: a page of the stream has each stash once, and where it has any it leads to another page. */
export const streamPage =
  (asked: string | undefined): BodyCheck =>
  (body) => {
    const isStill = asked !== undefined && at(body, "next_change_id") === asked;
    return [
      ...uniqueTabs(body),
      ...(isStill && listAt(body, "stashes").length > 0
        ? [broken("/next_change_id", "another id than the requested one", "the requested id")]
        : []),
    ];
  };

/** Tabs of a list, and tabs within them, have an id of their own (§2). */
export const uniqueTabs: BodyCheck = (body) => {
  const seen = new Map<string, string>();
  const found: Array<Found> = [];
  const visit = (tabs: ReadonlyArray<unknown>, pointer: string): void => {
    for (const [index, tab] of tabs.entries()) {
      const here = `${pointer}/${index}`;
      const id = at(tab, "id");
      if (typeof id === "string") {
        const first = seen.get(id);
        if (first === undefined) seen.set(id, here);
        else found.push(broken(`${here}/id`, "an id of its own", `the id of ${first}`));
      }
      visit(listAt(tab, "children"), `${here}/children`);
    }
  };
  visit(listAt(body, "stashes"), "/stashes");
  return found;
};

/** The exchange goes forward, or stays at its end. */
export const notBefore =
  (id: number | undefined): BodyCheck =>
  (body) => {
    const next = at(body, "next_change_id");
    return id !== undefined && typeof next === "number" && next < id
      ? [broken("/next_change_id", "the requested hour or a later one", "an earlier hour")]
      : [];
  };

const listAt = (value: unknown, member: string): ReadonlyArray<unknown> => {
  const list = at(value, member);
  return Array.isArray(list) ? (list as ReadonlyArray<unknown>) : [];
};
