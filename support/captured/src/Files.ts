/**
 * A folder of captured answers: response bodies, bare lists of records (`{kind, records}`), and
 * passive-tree links.
 *
 * A `manifest.json` (a list of `{file, kind, records}`) gives the order, else the paths do. A
 * realm's word begins the name of a file or of a folder it lies in; without one it is `pc`.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { CapturedLink } from "./Links.ts";

/** Any JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** The realms of the service. */
export const REALMS = ["pc", "console_a", "console_b", "game2"] as const;

/** One of them. */
export type Realm = (typeof REALMS)[number];

/** A captured answer, or a bare list of records. */
interface CapturedBody {
  readonly path: string;
  readonly realm: Realm;
  readonly body: Members;
}

/** What the files of a folder hold. */
export interface Files {
  readonly folder: string;
  readonly bodies: ReadonlyArray<CapturedBody>;
  readonly links: ReadonlyArray<CapturedLink>;
  /** What the manifest says that the files hold, where there is one. */
  readonly announced: ReadonlyArray<Announced> | undefined;
}

/** A file as the manifest announces it. */
interface Announced {
  readonly file: string;
  readonly kind: string;
  readonly records: number;
}

/** A folder that holds no captured answers. */
export class CapturedError extends Error {}

const LINKS = "tree-links.json";
const MANIFEST = "manifest.json";

/** Reads a folder whole. Throws a `CapturedError` that names the file when it cannot. */
export const readFiles = (folder: string): Files => {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CapturedError(`${folder} is not a folder`);
  const announced = existsSync(join(folder, MANIFEST))
    ? (parse(join(folder, MANIFEST)) as ReadonlyArray<Announced>)
    : undefined;
  const paths = announced?.map(({ file }) => file) ?? pathsIn(folder);
  const bodies = paths.flatMap((path) => {
    const body = parse(join(folder, path));
    return isMembers(body) ? [{ path, realm: realmOf(path), body }] : [];
  });
  const links = existsSync(join(folder, LINKS)) ? parse(join(folder, LINKS)) : [];
  if (!Array.isArray(links)) throw new CapturedError(`${join(folder, LINKS)} holds no list`);
  if (bodies.length + links.length === 0)
    throw new CapturedError(`${folder} holds no captured answers`);
  return { folder, bodies, links, announced };
};

const pathsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json") && path !== LINKS)
    .toSorted();

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

const isRealm = (word: string): word is Realm => (REALMS as ReadonlyArray<string>).includes(word);

/** Whether a JSON value is an object. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The objects of the list under a member; none where it is anything else. */
export const listIn = (members: Members | undefined, name: string): ReadonlyArray<Members> => {
  const list = members?.[name];
  return Array.isArray(list) ? list.filter(isMembers) : [];
};

/** The answers of a realm that have a member, in order; bare lists of records are no answers. */
export const bodiesWith = (
  { bodies }: Files,
  member: string,
  realm: Realm = "pc",
): ReadonlyArray<Members> =>
  bodies.flatMap((one) =>
    member in one.body && one.realm === realm && !("records" in one.body) ? [one.body] : [],
  );

/** The objects that are captured alone under a member (`{character}`, `{stash}`), in order. */
export const singles = (files: Files, member: string, realm?: Realm): ReadonlyArray<Members> =>
  bodiesWith(files, member, realm).flatMap(({ [member]: value }) =>
    isMembers(value) ? [value] : [],
  );
