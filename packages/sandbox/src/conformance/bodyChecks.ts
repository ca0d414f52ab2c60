/** Compares a record with its request, and its entries with each other. Pure functions. */
import { type BodyCheck, type Found, foundAt } from "./report.ts";

/** A member of an object or array; `undefined` of anything else. */
export const at = (value: unknown, member: string | number): unknown =>
  typeof value === "object" && value !== null
    ? (value as Readonly<Record<string | number, unknown>>)[member]
    : undefined;

/** The list in a member, or none. */
export const listIn = (value: unknown, member: string): ReadonlyArray<unknown> => {
  const list = at(value, member);
  return Array.isArray(list) ? (list as ReadonlyArray<unknown>) : [];
};

const other = (pointer: string, expected: string, actual: string): Found =>
  foundAt(["body", pointer], "other-result", expected, actual);

/** The record has the name that was requested. */
export const names =
  (member: string, name: string, value: string | undefined): BodyCheck =>
  (body) => {
    if (at(at(body, member), name) === value) return [];
    const actual = at(body, member) === null ? "null" : "another one";
    return [other(`/${member}/${name}`, "the requested one", actual)];
  };

/** A list is not longer than the limit that applies. */
export const atMost =
  (member: string, most: number): BodyCheck =>
  (body) => {
    const { length } = listIn(body, member);
    return length > most ? [other(`/${member}`, `at most ${most}`, `${length}`)] : [];
  };

const inMember = (member: string, found: ReadonlyArray<Found>): ReadonlyArray<Found> =>
  found.map((each) => ({ ...each, at: `/${member}${each.at}` }));

/** The entries of a ladder: not more than the limit that applies, no rank before a lower one. */
export const entries =
  (member: string, most: number): BodyCheck =>
  (body) => {
    const ladder = at(body, member);
    const ranks = inOrder(ladder, ["rank"], (before, after) => after < before);
    return inMember(member, [...atMost("entries", most)(ladder), ...ranks]);
  };

/** A ladder sorted by experience (§4.2). */
export const byExperience: BodyCheck = (body) => {
  const path = ["character", "experience"];
  const rising = inOrder(at(body, "league"), path, (before, after) => after > before);
  return inMember("league", rising);
};

/** The first entry of a ladder whose number breaks an order. */
const inOrder = (
  ladder: unknown,
  path: ReadonlyArray<string>,
  isBroken: (before: number, after: number) => boolean,
): ReadonlyArray<Found> => {
  const numbers = listIn(ladder, "entries").map((entry) => path.reduce<unknown>(at, entry));
  const wrong = numbers.findIndex((after, index) => {
    const before = numbers[index - 1];
    return typeof before === "number" && typeof after === "number" && isBroken(before, after);
  });
  if (wrong === -1) return [];
  const pointer = `/entries/${wrong}/${path.join("/")}`;
  return [other(pointer, "the order of the entries before", "another order")];
};

/** §4.2: a page of the stream has each stash once, and if it has any it leads to another page. */
export const streamPage =
  (asked: string | undefined): BodyCheck =>
  (body) => {
    const isStill = asked !== undefined && at(body, "next_change_id") === asked;
    return isStill && listIn(body, "stashes").length > 0
      ? [...uniqueTabs(body), other("/next_change_id", "another id", "the requested id")]
      : uniqueTabs(body);
  };

/** Tabs of a list, and tabs within them, have an id of their own (§2). */
export const uniqueTabs: BodyCheck = (body) => {
  const seen = new Map<unknown, string>();
  const visit = (tabs: ReadonlyArray<unknown>, pointer: string): ReadonlyArray<Found> =>
    tabs.flatMap((tab, index) => {
      const here = `${pointer}/${index}`;
      const id = at(tab, "id");
      const first = seen.get(id);
      if (first === undefined && typeof id === "string") seen.set(id, here);
      return [
        ...(first === undefined
          ? []
          : [other(`${here}/id`, "an id of its own", `the id of ${first}`)]),
        ...visit(listIn(tab, "children"), `${here}/children`),
      ];
    });
  return visit(listIn(body, "stashes"), "/stashes");
};

/** The exchange goes forward, or stays at its end. */
export const notBefore =
  (id: number | undefined): BodyCheck =>
  (body) => {
    const next = at(body, "next_change_id");
    return id !== undefined && typeof next === "number" && next < id
      ? [other("/next_change_id", "the requested hour or a later one", "an earlier hour")]
      : [];
  };
