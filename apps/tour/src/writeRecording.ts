/**
 * Writes captured responses as a recording for the sandbox's `--replay`: an answer for each request
 * that the tour sends.
 *
 * A recording is a table of requests, and a folder that somebody collected does not say by which
 * request a response was asked. The tour knows what it will ask, so what answers what is told here.
 * The generated world answers the rest.
 */
import { bodiesWith, type Captured, hoursOf, listIn, type Members } from "@game-data/captured";
import { Limits } from "@game-data/contract";
import { createSandboxHandler, type SandboxOptions } from "@game-data/sandbox";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const VERSION = 2;
const HOUR = 3600;

type Parameters = Readonly<Record<string, string | number>>;

/** Answers a request by a body. Several bodies for one request are answered in turn. */
type Put = (endpoint: string, parameters: Parameters, body: Members) => void;

/** Writes the responses into a new folder. `world` is that of the sandbox that will serve them. */
export const writeRecording = async (
  captured: Captured,
  folder: string,
  world: SandboxOptions["world"],
): Promise<void> => {
  const answers: Array<object> = [];
  mkdirSync(folder, { recursive: true });
  const put: Put = (endpoint, parameters, body) => {
    const text = JSON.stringify(body);
    const file = `${answers.length + 1}-${endpoint}.json`;
    const sha256 = createHash("sha256").update(text).digest("hex");
    writeFileSync(join(folder, file), text);
    answers.push({ file, endpoint, status: 200, sha256, at: "", parameters });
  };
  const leagues = await leaguesOf(captured, world);
  putAccount(captured, put, leagues);
  putLeagues(captured, put, leagues);
  putStream(captured, put);
  putExchange(captured, put);
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ version: VERSION, answers }));
};

/** Counts the files that no request of the tour asks for, by the reason. */
export const notServed = ({ bodies }: Captured): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { body, isAsked, realm } of bodies) {
    const reason = reasonOf(body, isAsked, realm);
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
};

const reasonOf = (body: Members, isAsked: boolean, realm: string): string | undefined => {
  if ("records" in body) return "a list of records, no response: each is checked";
  if (!isAsked) return "a response to a request that the tour does not send";
  if (!SERVED.some((member) => body[member] != null))
    return "a body that answers no request of the tour";
  return realm === "pc" || "character" in body ? undefined : `a response for the realm ${realm}`;
};

/** Members of the bodies that are served. */
const SERVED = [
  "character",
  "characters",
  "league",
  "leagues",
  "markets",
  "stash",
  "stashes",
  "uuid",
];

/** The leagues that the tour may ask for: captured ones, and those of the generated world. */
const leaguesOf = async (captured: Captured, world: SandboxOptions["world"]) => {
  const sandbox = await createSandboxHandler({ world });
  const look = async (path: string) => {
    const request = new Request(`${sandbox.controlUrl}/world?path=${path}`);
    return (await (await sandbox.fetch(request)).json()) as Members;
  };
  const found = [
    ...[await look("/league"), ...bodiesWith(captured, "leagues")].flatMap((body) =>
      listIn(body, "leagues").map(({ id }) => id),
    ),
    ...[await look("/character"), ...bodiesWith(captured, "characters")].flatMap((body) =>
      listIn(body, "characters").map(({ league }) => league),
    ),
  ];
  await sandbox.close();
  return [...new Set(found.filter((name) => typeof name === "string"))];
};

const putAccount = (captured: Captured, put: Put, leagues: ReadonlyArray<string>): void => {
  for (const body of bodiesWith(captured, "uuid").slice(0, 1)) put("profile.get", {}, body);
  for (const body of bodiesWith(captured, "characters").slice(0, 1))
    put("characters.list", {}, body);
  for (const { character, name, realm } of captured.characters)
    put("characters.get", realm === "pc" ? { name } : { realm, name }, { character });
  const lists = bodiesWith(captured, "stashes").filter((body) => !("next_change_id" in body));
  const tabs = bodiesWith(captured, "stash").filter(({ stash }) => stash !== null);
  for (const league of leagues) {
    for (const body of lists.slice(0, 1)) put("stashes.list", { league }, body);
    for (const body of tabs)
      put("stashes.get", { league, stash_id: String((body["stash"] as Members)["id"]) }, body);
  }
};

/** All captured leagues as one list, and the first captured ladder for every league. */
const putLeagues = (captured: Captured, put: Put, leagues: ReadonlyArray<string>): void => {
  const lists = bodiesWith(captured, "leagues");
  const main = lists
    .flatMap((body) => listIn(body, "leagues"))
    .filter(({ event }) => event !== true);
  const { max: most } = Limits.leagues;
  if (lists.length > 0) put("leagues.list", { limit: most }, { leagues: main.slice(0, most) });
  const ladder = bodiesWith(captured, "league")
    .map(({ league }) => league as Members | null)
    .find((league) => league !== null && "entries" in league);
  if (ladder == null) return;
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
const putStream = (captured: Captured, put: Put): void => {
  const pages = bodiesWith(captured, "stashes").filter((body) => "next_change_id" in body);
  let asked: Parameters = {};
  for (const [next, parts] of Map.groupBy(pages, (page) => page["next_change_id"])) {
    const stashes = parts.flatMap((part) => listIn(part, "stashes"));
    put("publicStashTabs.page", asked, { next_change_id: next, stashes });
    asked = { id: String(next) };
  }
  const { id } = asked;
  if (id !== undefined) put("publicStashTabs.page", asked, { next_change_id: id, stashes: [] });
};

/** Hours in their order, each where the one before leads; the last leads to one not complete. */
const putExchange = (captured: Captured, put: Put): void => {
  const hours = hoursOf(captured).toSorted((a, b) => nextOf(a) - nextOf(b));
  let asked: Parameters = {};
  for (const hour of hours) {
    put("currencyExchange.page", asked, hour);
    asked = { id: nextOf(hour) };
  }
  const { id } = asked;
  if (id !== undefined) put("currencyExchange.page", asked, { next_change_id: id, markets: [] });
};

const nextOf = (hour: Members): number => {
  const next = Number(hour["next_change_id"]);
  return next - (next % HOUR);
};
