/**
 * Reads a folder of captured responses: bodies, bare lists of records (`{kind, records}`), and
 * passive-tree links. Nothing here uses a schema, a client or a codec, so that a mistake in one of
 * them shows as a difference.
 *
 * A `manifest.json` (a list of `{file, kind, records}`) gives the order, otherwise the paths do.
 * The name of a file, or of a folder above it, begins with its realm; the default is `pc`. The
 * manifest of a recording (`{version, answers}`) says by which request each body was asked.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";

/** Any JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** A passive-tree link as captured, with the result of an independent decoder. */
export interface CapturedLink {
  readonly payload: string;
  /** `null` if the payload is too short to have one. */
  readonly version: number | null;
  readonly status: "exact" | "malformed";
  readonly outside_specification?: boolean;
  readonly expected?: Members;
}

const REALMS = ["pc", "console_a", "console_b", "game2"] as const;

/** The records of a body. */
interface Records {
  /** The specification's name, or the kind of a bare list; `undefined` without records. */
  readonly kind: string | undefined;
  readonly records: ReadonlyArray<unknown>;
  /** The member that holds them; none of a profile, which is the body. */
  readonly member: string;
}

/** Where a body is, and by which request it came. */
interface Place {
  readonly path: string;
  readonly realm: (typeof REALMS)[number];
  /** False for a recorded answer to a request that a program does not send by itself. */
  readonly isAsked: boolean;
}

/** A captured response, or a bare list of records. */
export interface CapturedFile extends Place, Records {
  readonly body: Members;
  /** Why no request of the tour is answered by it. */
  readonly notServed: string | undefined;
}

/** The content of a folder. */
export interface Captured {
  readonly folder: string;
  readonly files: ReadonlyArray<CapturedFile>;
  readonly links: ReadonlyArray<CapturedLink>;
  /** The number of records by the manifest, if there is one. */
  readonly announced: number | undefined;
}

/** The folder cannot be read as captured responses; the message names the file. */
class CapturedError extends Error {}

const LINKS = "tree-links.json";
const MANIFEST = "manifest.json";

/** Kinds in a manifest that are not records. */
const NO_RECORDS = new Set<unknown>(["ItemFilter.filter", "RateLimitHeaders", "Error"]);

/** Reads a folder. Throws a `CapturedError`. */
export const readCaptured = (folder: string): Captured => {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CapturedError(`${folder} is not a folder`);
  const readIn = (file: string): unknown => {
    try {
      return JSON.parse(readFileSync(join(folder, file), "utf8"));
    } catch (cause) {
      throw new CapturedError(`${join(folder, file)}: ${(cause as Error).message}`);
    }
  };
  const manifest = existsSync(join(folder, MANIFEST)) ? readIn(MANIFEST) : undefined;
  const listed = Array.isArray(manifest)
    ? manifest.filter(isMembers)
    : pathsIn(folder).map((file): Members => ({ file }));
  const places = isMembers(manifest)
    ? placesIn(listIn(manifest, "answers"))
    : listed.map(({ file }) => ({
        path: String(file),
        realm: realmOf(String(file)),
        isAsked: true,
      }));
  const lists = new Set<string>();
  const files = places.flatMap((place): ReadonlyArray<CapturedFile> => {
    const body = readIn(place.path);
    if (!isMembers(body)) return [];
    return [{ ...place, ...recordsIn(body), body, notServed: reasonOf(body, place, lists) }];
  });
  const links = existsSync(join(folder, LINKS)) ? readIn(LINKS) : [];
  if (!Array.isArray(links)) throw new CapturedError(`${join(folder, LINKS)} holds no list`);
  if (links.length === 0 && files.every(({ records }) => records.length === 0))
    throw new CapturedError(`${folder} holds no captured responses`);
  const counted = listed.filter(({ kind }) => !NO_RECORDS.has(kind));
  const announced = Array.isArray(manifest)
    ? counted.reduce((sum, { records }) => sum + Number(records), 0)
    : undefined;
  return { folder, files, links, announced };
};

const pathsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json") && path !== LINKS)
    .toSorted();

/** Operations of a recording that the tour calls, without parameters that choose among responses. */
const ASKED = new Set([
  "characters.get",
  "characters.list",
  "currencyExchange.page",
  "leagues.ladder",
  "leagues.list",
  "profile.get",
  "publicStashTabs.page",
  "stashes.get",
  "stashes.list",
]);

const placesIn = (answers: ReadonlyArray<Members>): ReadonlyArray<Place> => {
  const seen = new Set<unknown>();
  return answers.map(({ endpoint, file, parameters }) => {
    const { offset = 0, realm = "pc", type = "main" } = isMembers(parameters) ? parameters : {};
    const isFirst = endpoint === "leagues.list" ? !seen.has(offset) : offset === 0;
    const isAsked = ASKED.has(String(endpoint)) && type === "main" && isFirst;
    if (isAsked && endpoint === "leagues.list") seen.add(offset);
    return { path: String(file), realm: REALMS.find((each) => each === realm) ?? "pc", isAsked };
  });
};

const realmOf = (path: string): Place["realm"] => {
  const words = new Set(path.split(sep).flatMap((part) => [part, part.split(/[-.]/u)[0]]));
  return REALMS.find((realm) => words.has(realm)) ?? "pc";
};

/** The kind of record under each member of a body. The first member that is present decides. */
const MEMBERS: Readonly<Record<string, string>> = {
  characters: "Character",
  character: "Character",
  stash: "StashTab",
  leagues: "League",
  entries: "LadderEntry",
  matches: "PvPMatch",
  filter: "ItemFilter",
  markets: "Market",
};

const NONE: Records = { kind: undefined, records: [], member: "" };

/** Finds the records of a body. */
export const recordsIn = (body: Members): Records => {
  const { kind, league, records, stashes } = body;
  if (typeof kind === "string")
    return Array.isArray(records) ? { kind, records, member: "records" } : NONE;
  if ("uuid" in body) return { kind: "Profile", records: [body], member: "" };
  if (Array.isArray(stashes))
    return {
      kind: isPage(body) ? "PublicStashChange" : "StashTab",
      records: stashes,
      member: "stashes",
    };
  // A ladder is a member of its league.
  const inner = isMembers(league) ? league : body;
  const member = Object.keys(MEMBERS).find((name) => name in inner);
  if (member === undefined) return NONE;
  const value = inner[member];
  return { kind: MEMBERS[member], records: Array.isArray(value) ? value : [value], member };
};

/** Members of the bodies that are served, and those of which the first body is served alone. */
const SERVED = "character characters league leagues markets stash stashes uuid".split(" ");
const ONCE = ["uuid", "characters", "stashes"];

const reasonOf = (
  body: Members,
  { isAsked, realm }: Place,
  lists: Set<string>,
): string | undefined => {
  if ("records" in body) return "a list of records, no response: each is checked";
  if (!isAsked) return "a response to a request that the tour does not send";
  if (!SERVED.some((member) => body[member] != null))
    return "a body that answers no request of the tour";
  if (realm !== "pc" && !("character" in body)) return `a response for the realm ${realm}`;
  const list = isPage(body) ? undefined : ONCE.find((member) => member in body);
  if (list !== undefined && lists.has(list)) return "a second response to the same request";
  if (list !== undefined) lists.add(list);
  return undefined;
};

/** Whether a body is a page of a stream. */
export const isPage = (body: Members): boolean => "next_change_id" in body;

/** Returns the bodies that are served and have a member, in order. */
export const servedWith = ({ files }: Captured, member: string): ReadonlyArray<Members> =>
  files.flatMap(({ body, notServed }) =>
    notServed === undefined && body[member] != null ? [body] : [],
  );

/** Whether a JSON value is an object. */
const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the objects in the list under a member; none if it is not a list. */
export const listIn = (members: Members, name: string): ReadonlyArray<Members> => {
  const list = members[name];
  return Array.isArray(list) ? list.filter(isMembers) : [];
};

/** A passive tree without its character. */
export interface CapturedTree {
  /** The file's name. */
  readonly of: string;
  /** The number of the class, if it is known. */
  readonly class: number | undefined;
  /** Captured trees may have `hashes` only. */
  readonly passives: Members & { readonly hashes: ReadonlyArray<number> };
}

/** Returns the trees of bare lists of passives. */
export const treesIn = ({ files }: Captured): ReadonlyArray<CapturedTree> =>
  files.flatMap(({ kind, path, records }) =>
    kind === "Character.passives"
      ? records.map((record) => {
          if (!hasHashes(record)) throw new CapturedError(`${path} holds no passives`);
          const { character: number } = record;
          const known = typeof number === "number" ? number : undefined;
          return { of: basename(path, ".json"), class: known, passives: record };
        })
      : [],
  );

const hasHashes = (record: unknown): record is CapturedTree["passives"] =>
  isMembers(record) && Array.isArray(record["hashes"]);
