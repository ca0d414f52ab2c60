/**
 * Counts the records of a captured folder directly. A service that replays it must serve as many.
 *
 * A count is omitted if nothing of its kind is captured, so that a program knows what to compare.
 */
import { bodiesWith, type Files, listIn, type Members, singles } from "./Files.ts";
import { isForCodec } from "./Links.ts";
import { announcedRecords } from "./Records.ts";
import { charactersIn } from "./singleRecords.ts";

/** Counts by name. */
export type Counts = Readonly<Record<string, number>>;

/** Counts a folder: the records of realm `pc`, and single characters of all realms. */
export const countAll = (files: Files): Counts => {
  const lists = bodiesWith(files, "characters").slice(0, 1);
  const tabLists = bodiesWith(files, "stashes").filter((body) => !isPage(body));
  const tabs = singles(files, "stash").flatMap(withChildren);
  // The first captured ladder is served for every league.
  const ladders = singles(files, "league").filter((league) => "entries" in league);
  const pages = bodiesWith(files, "stashes").filter(isPage);
  const hours = hoursOf(files);
  const { links } = files;
  const counts: Readonly<Record<string, number | undefined>> = {
    "characters listed": total(lists, lengthOf("characters")),
    "items of single characters": total(
      charactersIn(files).map(({ character }) => character),
      lengthOf("equipment"),
    ),
    "tabs listed": total(
      tabLists.slice(0, 1),
      (list) => listIn(list, "stashes").flatMap(withChildren).length,
    ),
    "tabs with items": total(tabs, one),
    "items in tabs": total(tabs, lengthOf("items")),
    // Events are listed separately.
    leagues: total(
      bodiesWith(files, "leagues"),
      (body) => listIn(body, "leagues").filter(({ event }) => event !== true).length,
    ),
    "entries of the ladder": total(ladders.slice(0, 1), lengthOf("entries")),
    // Files of the stream with the same id are parts of one page.
    pages: pages.length === 0 ? undefined : Map.groupBy(pages, idOf).size,
    changes: total(pages, lengthOf("stashes")),
    "stashes listed": pages.length === 0 ? undefined : standing(pages).length,
    "items in stashes": pages.length === 0 ? undefined : total(standing(pages), lengthOf("items")),
    hours: total(hours, one),
    markets: total(hours, lengthOf("markets")),
    records: announcedRecords(files),
    "links read exactly": total(links, (link) => (isForCodec(link) ? 1 : 0)),
    "links rejected": total(links, (link) => (isForCodec(link) ? 0 : 1)),
  };
  return Object.fromEntries(
    Object.entries(counts).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
};

/**
 * Returns the bodies that a program requests one by one, by the rules above: of lists the first, of
 * single records all. A client refuses such a body as a whole. Pages of streams are not among them,
 * because followers read them record by record, nor are ladders and bare lists of records.
 */
export const requestedBodies = ({ bodies }: Files): Files["bodies"] => {
  const seen = new Set<string>();
  return bodies.filter(({ body, isAsked, realm }) => {
    if ("records" in body || isPage(body) || !isAsked) return false;
    if ("character" in body) return true;
    if (realm !== "pc") return false;
    const list = FIRST.find((member) => member in body);
    if (list === undefined) return "stash" in body || "leagues" in body;
    if (seen.has(list)) return false;
    seen.add(list);
    return true;
  });
};

/**
 * Returns the hours of the exchange. A body without markets that leads where another one leads is
 * none: it says that its hour was not complete when it was asked for.
 */
export const hoursOf = (files: Files): ReadonlyArray<Members> => {
  const all = bodiesWith(files, "markets");
  const byMarkets = all.toSorted((a, b) => lengthOf("markets")(b) - lengthOf("markets")(a));
  const isHour = (body: Members) =>
    lengthOf("markets")(body) > 0 || byMarkets.find((one) => idOf(one) === idOf(body)) === body;
  return all.filter(isHour);
};

/** Members of which the first body is served alone. */
const FIRST = ["uuid", "characters", "stashes"];

/** `undefined` if nothing is captured; zero is a count. */
const total = <A>(all: ReadonlyArray<A>, count: (one: A) => number): number | undefined =>
  all.length === 0 ? undefined : all.reduce((sum, each) => sum + count(each), 0);

const one = () => 1;

const lengthOf = (member: string) => (members: Members) => listIn(members, member).length;

const isPage = (body: Members) => "next_change_id" in body;

const idOf = (page: Members) => page["next_change_id"];

const withChildren = (tab: Members): ReadonlyArray<Members> => [
  tab,
  ...listIn(tab, "children").flatMap(withChildren),
];

/** Returns the public stashes after all changes: a later change replaces an earlier one. */
const standing = (pages: ReadonlyArray<Members>): ReadonlyArray<Members> => {
  const last = new Map(
    pages.flatMap((page) => listIn(page, "stashes")).map((change) => [change["id"], change]),
  );
  return [...last.values()].filter((change) => change["public"] === true);
};

/** The counts of a program next to those of the files. */
export interface Comparison {
  /** Counts that both have. */
  readonly rows: ReadonlyArray<readonly [name: string, program: number, files: number]>;
  /** Names of counts that differ. */
  readonly differing: ReadonlyArray<string>;
  /** Names of counts that the files do not have. */
  readonly notCaptured: ReadonlyArray<string>;
}

/** Compares counts of a program with those of the files. */
export const compareCounts = (program: Counts, files: Counts): Comparison => {
  const rows = Object.entries(program).flatMap(([name, value]) => {
    const counted = files[name];
    return counted === undefined ? [] : [[name, value, counted] as const];
  });
  return {
    rows,
    differing: rows.filter(([, value, counted]) => value !== counted).map(([name]) => name),
    notCaptured: Object.keys(program).filter((name) => files[name] === undefined),
  };
};
