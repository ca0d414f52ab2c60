/**
 * Reads a folder of captured responses: bodies, bare lists of records (`{kind, records}`), and
 * passive-tree links.
 *
 * A `manifest.json` (a list of `{file, kind, records}`) gives the order, otherwise the paths do.
 * The name of a file, or of a folder above it, begins with its realm; the default is `pc`. The
 * manifest of a recording (`{version, answers}`) says by which request each body was asked.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";

/** Any JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** A passive-tree link as captured. */
export interface CapturedLink {
  readonly payload: string;
  readonly version: number | null;
  readonly status: "exact" | "malformed";
  readonly outside_specification?: boolean;
  readonly expected?: Members;
}

/** The realms of the service. */
export const REALMS = ["pc", "console_a", "console_b", "game2"] as const;

/** A realm. */
export type Realm = (typeof REALMS)[number];

/** A captured response, or a bare list of records. */
interface CapturedBody {
  readonly path: string;
  readonly realm: Realm;
  readonly body: Members;
  /** False for a recorded answer to a request that a program does not send by itself. */
  readonly isAsked: boolean;
}

/** The content of a folder. */
export interface Files {
  readonly folder: string;
  readonly bodies: ReadonlyArray<CapturedBody>;
  readonly links: ReadonlyArray<CapturedLink>;
  /** The entries of the manifest, if there is one. */
  readonly announced: ReadonlyArray<Announced> | undefined;
}

/** A file in the manifest. */
interface Announced {
  readonly file: string;
  readonly kind: string;
  readonly records: number;
}

/** The folder cannot be read as captured responses. */
export class CapturedError extends Error {}

const LINKS = "tree-links.json";
const MANIFEST = "manifest.json";

/** Reads a folder. Throws a `CapturedError` that names the file when it cannot. */
export const readFiles = (folder: string): Files => {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CapturedError(`${folder} is not a folder`);
  const manifest = existsSync(join(folder, MANIFEST)) ? parse(join(folder, MANIFEST)) : undefined;
  const announced = Array.isArray(manifest) ? (manifest as ReadonlyArray<Announced>) : undefined;
  const places = isMembers(manifest)
    ? placesIn(listIn(manifest, "answers"))
    : (announced?.map(({ file }) => file) ?? pathsIn(folder)).map((path) => ({
        path,
        realm: realmOf(path),
        isAsked: true,
      }));
  const bodies = places.flatMap((place) => {
    const body = parse(join(folder, place.path));
    return isMembers(body) ? [{ ...place, body }] : [];
  });
  const links = existsSync(join(folder, LINKS)) ? parse(join(folder, LINKS)) : [];
  if (!Array.isArray(links)) throw new CapturedError(`${join(folder, LINKS)} holds no list`);
  if (bodies.length + links.length === 0)
    throw new CapturedError(`${folder} holds no captured responses`);
  return { folder, bodies, links, announced };
};

const pathsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json") && path !== LINKS)
    .toSorted();

/** The answers of a recording, each with whether it is what a program without wishes asks for. */
const placesIn = (answers: ReadonlyArray<Members>) => {
  const seen = new Set<unknown>();
  return answers.map(({ endpoint, file, parameters }) => {
    const { offset = 0, realm = "pc", type = "main" } = isMembers(parameters) ? parameters : {};
    const isFirst = endpoint === "leagues.list" ? !seen.has(offset) : offset === 0;
    const isAsked = ASKED.has(String(endpoint)) && type === "main" && isFirst;
    if (isAsked && endpoint === "leagues.list") seen.add(offset);
    return { path: String(file), realm: isRealm(realm) ? realm : "pc", isAsked };
  });
};

/** Operations of a recording whose bodies are counted. */
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

const parse = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new CapturedError(`${path}: ${(cause as Error).message}`);
  }
};

const realmOf = (path: string): Realm =>
  path
    .split(sep)
    .flatMap((part) => [part, part.split(/[-.]/u)[0] ?? ""])
    .find(isRealm) ?? "pc";

const isRealm = (word: unknown): word is Realm =>
  (REALMS as ReadonlyArray<string>).includes(String(word));

/** Whether a JSON value is an object. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the objects in the list under a member; none if it is not a list. */
export const listIn = (members: Members | undefined, name: string): ReadonlyArray<Members> => {
  const list = members?.[name];
  return Array.isArray(list) ? list.filter(isMembers) : [];
};

/** Returns the responses of a realm that have a member, in order, without bare lists of records. */
export const bodiesWith = (
  { bodies }: Files,
  member: string,
  realm: Realm = "pc",
): ReadonlyArray<Members> =>
  bodies.flatMap((one) =>
    member in one.body && one.realm === realm && one.isAsked && !("records" in one.body)
      ? [one.body]
      : [],
  );

/** Returns the objects captured alone under a member (`{character}`, `{stash}`), in order. */
export const singles = (files: Files, member: string, realm?: Realm): ReadonlyArray<Members> =>
  bodiesWith(files, member, realm).flatMap(({ [member]: value }) =>
    isMembers(value) ? [value] : [],
  );
