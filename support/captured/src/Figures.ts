/**
 * Figures of a captured folder, counted directly: what a service that replays it must come to.
 *
 * A figure is left out where nothing of its kind is captured, so that a program knows what it may
 * compare.
 */
import { bodiesWith, type Files, listIn, type Members, singles } from "./Files.ts";
import { isForCodec } from "./Links.ts";
import { announcedRecords } from "./Records.ts";
import { charactersIn } from "./Singles.ts";

/** Figures by what they count. */
export type Figures = Readonly<Record<string, number>>;

/** All figures of a folder: those of realm `pc`, and single characters of all realms. */
export const figuresOf = (files: Files): Figures => {
  const lists = bodiesWith(files, "characters").slice(0, 1);
  const tabLists = bodiesWith(files, "stashes").filter((body) => !isPage(body));
  const tabs = singles(files, "stash").flatMap(withChildren);
  // Whatever league is asked for, the first captured ladder answers.
  const ladders = singles(files, "league").filter((league) => "entries" in league);
  const pages = bodiesWith(files, "stashes").filter(isPage);
  const hours = bodiesWith(files, "markets");
  const { links } = files;
  const figures: Readonly<Record<string, number | undefined>> = {
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
    // Events are listed by themselves.
    leagues: total(
      bodiesWith(files, "leagues"),
      (body) => listIn(body, "leagues").filter(({ event }) => event !== true).length,
    ),
    "entries of the ladder": total(ladders.slice(0, 1), lengthOf("entries")),
    // Files of the stream with one id are parts of one page.
    pages: pages.length === 0 ? undefined : Map.groupBy(pages, idOf).size,
    changes: total(pages, lengthOf("stashes")),
    "stashes listed": pages.length === 0 ? undefined : standing(pages).length,
    "items in stashes": pages.length === 0 ? undefined : total(standing(pages), lengthOf("items")),
    hours: total(hours, one),
    markets: total(hours, lengthOf("markets")),
    records: announcedRecords(files),
    "links read exactly": total(links, (link) => (isForCodec(link) ? 1 : 0)),
    "links refused": total(links, (link) => (isForCodec(link) ? 0 : 1)),
  };
  return Object.fromEntries(
    Object.entries(figures).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
};

/** Nothing there is no figure; zero is one. */
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

/**
 * The stashes that stay listed: a later change replaces an earlier one, and one that is not public
 * removes it.
 */
const standing = (pages: ReadonlyArray<Members>): ReadonlyArray<Members> => {
  const last = new Map(
    pages.flatMap((page) => listIn(page, "stashes")).map((change) => [change["id"], change]),
  );
  return [...last.values()].filter((change) => change["public"] === true);
};

/** Figures of a program beside those of the files. */
export interface Comparison {
  /** Those that both have. */
  readonly rows: ReadonlyArray<readonly [name: string, program: number, files: number]>;
  /** The names of those that differ. */
  readonly differing: ReadonlyArray<string>;
  /** The names of those that the files have nothing of. */
  readonly notCaptured: ReadonlyArray<string>;
}

/** Compares figures of a program with those of the files. */
export const compareFigures = (program: Figures, files: Figures): Comparison => {
  const rows = Object.entries(program).flatMap(([name, figure]) => {
    const counted = files[name];
    return counted === undefined ? [] : [[name, figure, counted] as const];
  });
  return {
    rows,
    differing: rows.filter(([, figure, counted]) => figure !== counted).map(([name]) => name),
    notCaptured: Object.keys(program).filter((name) => files[name] === undefined),
  };
};
