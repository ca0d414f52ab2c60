/**
 * Writes captured responses as a recording for the sandbox's `--replay`, an answer for each request
 * that the tour sends, and counts what they hold. The generated world answers the rest.
 *
 * A recording is a table of requests, and a folder that somebody collected does not say by which
 * request a response was asked. The tour knows what it will ask, so what answers what is told here.
 * A count is omitted if nothing of its kind is captured, so that a step knows what to compare.
 */
import { Limits } from "@game-data/contract";
import { createSandboxHandler, type SandboxOptions } from "@game-data/sandbox";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Captured, isPage, listIn, type Members, servedWith } from "./captured.ts";

const VERSION = 2;
const HOUR = 3600;

/** Counts by name. */
export type Counts = Readonly<Record<string, number>>;

type Parameters = Readonly<Record<string, string | number>>;

interface Recorder {
  readonly captured: Captured;
  /** The leagues that the tour may ask for. */
  readonly leagues: ReadonlyArray<string>;
  /** Answers a request by a body. Several bodies for one request are answered in turn. */
  readonly put: (endpoint: string, parameters: Parameters, body: Members) => void;
  /** Keeps a count, if anything of its kind is captured. */
  readonly count: (name: string, value: number | undefined) => void;
}

/** Writes the responses into a new folder. `world` is that of the sandbox that will serve them. */
export const writeRecording = async (
  captured: Captured,
  folder: string,
  world: SandboxOptions["world"],
): Promise<Counts> => {
  const { announced, links } = captured;
  const exact = links.filter(isForCodec).length;
  const counts: Record<string, number> = {
    ...(announced !== undefined && { records: announced }),
    ...(links.length > 0 && {
      "links read exactly": exact,
      "links rejected": links.length - exact,
    }),
  };
  const answers: Array<object> = [];
  mkdirSync(folder, { recursive: true });
  const recorder: Recorder = {
    captured,
    leagues: await leaguesOf(captured, world),
    put: (endpoint, parameters, body) => {
      const text = JSON.stringify(body);
      const file = `${answers.length + 1}-${endpoint}.json`;
      const sha256 = createHash("sha256").update(text).digest("hex");
      writeFileSync(join(folder, file), text);
      answers.push({ file, endpoint, status: 200, sha256, at: "", parameters });
    },
    count: (name, value) => {
      if (value !== undefined) counts[name] = value;
    },
  };
  for (const serve of [serveCharacters, serveTabs, serveLeagues, serveStream, serveExchange])
    serve(recorder);
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ version: VERSION, answers }));
  return counts;
};

/** Whether a codec must decode a link: versions 2 and 3 are not in the specification. */
export const isForCodec = ({ outside_specification, status }: Captured["links"][number]): boolean =>
  status === "exact" && outside_specification !== true;

/** `undefined` if nothing is captured; zero is a count. */
const total = (all: ReadonlyArray<Members>, countOne: (one: Members) => number = () => 1) =>
  all.length === 0 ? undefined : all.reduce((sum, one) => sum + countOne(one), 0);

const lengthOf = (member: string) => (members: Members) => listIn(members, member).length;

/** Captured leagues, and those of the generated world. */
const leaguesOf = async (captured: Captured, world: SandboxOptions["world"]) => {
  const sandbox = await createSandboxHandler({ world });
  const look = async (path: string) => {
    const request = new Request(`${sandbox.controlUrl}/world?path=${path}`);
    return (await (await sandbox.fetch(request)).json()) as Members;
  };
  const found = [
    ...[await look("/league"), ...servedWith(captured, "leagues")].flatMap((body) =>
      listIn(body, "leagues").map(({ id }) => id),
    ),
    ...[await look("/character"), ...servedWith(captured, "characters")].flatMap((body) =>
      listIn(body, "characters").map(({ league }) => league),
    ),
  ];
  await sandbox.close();
  return [...new Set(found.filter((name) => typeof name === "string"))];
};

const serveCharacters = ({ captured, count, put }: Recorder): void => {
  for (const body of servedWith(captured, "uuid")) put("profile.get", {}, body);
  const lists = servedWith(captured, "characters");
  for (const body of lists) put("characters.list", {}, body);
  count("characters listed", total(lists, lengthOf("characters")));
  const single = charactersIn(captured);
  for (const { character, name, realm } of single)
    put("characters.get", realm === "pc" ? { name } : { realm, name }, { character });
  const characters = single.map(({ character }) => character);
  count("items of single characters", total(characters, lengthOf("equipment")));
};

/** Returns the characters that are captured with their equipment, in all realms. */
export const charactersIn = ({ files }: Captured) =>
  files.flatMap(({ body, notServed, realm }) => {
    const { character } = body as { readonly character?: Members | null };
    if (notServed !== undefined || character == null) return [];
    return [{ realm, name: String(character["name"]), character }];
  });

/** Returns the tabs that are captured with their items. */
export const tabsIn = (captured: Captured) =>
  servedWith(captured, "stash").map(({ stash }) => stash as Members);

const withChildren = (tab: Members): ReadonlyArray<Members> => [
  tab,
  ...listIn(tab, "children").flatMap(withChildren),
];

const serveTabs = ({ captured, count, leagues, put }: Recorder): void => {
  const lists = servedWith(captured, "stashes").filter((body) => !isPage(body));
  const tabs = tabsIn(captured);
  for (const league of leagues) {
    for (const body of lists) put("stashes.list", { league }, body);
    for (const stash of tabs)
      put("stashes.get", { league, stash_id: String(stash["id"]) }, { stash });
  }
  const listed = (list: Members) => listIn(list, "stashes").flatMap(withChildren).length;
  count("tabs listed", total(lists, listed));
  const all = tabs.flatMap(withChildren);
  count("tabs with items", total(all));
  count("items in tabs", total(all, lengthOf("items")));
};

/** Events are listed separately. */
const mainLeagues = (body: Members) =>
  listIn(body, "leagues").filter(({ event }) => event !== true);

/** All captured leagues as one list, and the first captured ladder for every league. */
const serveLeagues = ({ captured, count, leagues, put }: Recorder): void => {
  const lists = servedWith(captured, "leagues");
  const { max: most } = Limits.leagues;
  if (lists.length > 0)
    put("leagues.list", { limit: most }, { leagues: lists.flatMap(mainLeagues).slice(0, most) });
  count(
    "leagues",
    total(lists, (body) => mainLeagues(body).length),
  );
  const ladder = servedWith(captured, "league")
    .map(({ league }) => league as Members)
    .find((league) => "entries" in league);
  if (ladder === undefined) return;
  count("entries of the ladder", total([ladder], lengthOf("entries")));
  const entries = listIn(ladder, "entries");
  const { max: limit } = Limits.ladder;
  for (const league of leagues)
    for (let offset = 0; offset <= entries.length; offset += limit)
      put(
        "leagues.ladder",
        { league, limit, offset },
        { league: { ...ladder, entries: entries.slice(offset, offset + limit) } },
      );
};

/** Pages with one id are parts of a page; the last one leads to an empty page. */
const serveStream = ({ captured, count, put }: Recorder): void => {
  const parts = servedWith(captured, "stashes").filter(isPage);
  const pages = Map.groupBy(parts, (page) => page["next_change_id"]);
  let asked: Parameters = {};
  for (const [next, of] of pages) {
    const stashes = of.flatMap((part) => listIn(part, "stashes"));
    put("publicStashTabs.page", asked, { next_change_id: next, stashes });
    asked = { id: String(next) };
  }
  const { id } = asked;
  if (id === undefined) return;
  put("publicStashTabs.page", asked, { next_change_id: id, stashes: [] });
  const changes = parts.flatMap((part) => listIn(part, "stashes"));
  // A later change replaces an earlier one.
  const last = [...new Map(changes.map((change) => [change["id"], change])).values()];
  const listed = last.filter((change) => change["public"] === true);
  count("pages", pages.size);
  count("changes", changes.length);
  count("stashes listed", listed.length);
  count("items in stashes", total(listed, lengthOf("items")) ?? 0);
};

/**
 * Hours in their order, each where the one before leads; the last leads to one not complete. A body
 * without markets that leads where another one leads is no hour: its hour was not complete when it
 * was asked for.
 */
const serveExchange = ({ captured, count, put }: Recorder): void => {
  const byHour = new Map<number, Members>();
  for (const body of servedWith(captured, "markets")) {
    const kept = byHour.get(nextOf(body));
    if (kept === undefined || lengthOf("markets")(kept) === 0) byHour.set(nextOf(body), body);
  }
  const hours = [...byHour].toSorted(([a], [b]) => a - b);
  let asked: Parameters = {};
  for (const [next, hour] of hours) {
    put("currencyExchange.page", asked, hour);
    asked = { id: next };
  }
  const { id } = asked;
  if (id !== undefined) put("currencyExchange.page", asked, { next_change_id: id, markets: [] });
  const bodies = hours.map(([, hour]) => hour);
  count("hours", total(bodies));
  count("markets", total(bodies, lengthOf("markets")));
};

const nextOf = (hour: Members): number => {
  const next = Number(hour["next_change_id"]);
  return next - (next % HOUR);
};
