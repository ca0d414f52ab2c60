/**
 * A folder of captured answers, read as plain JSON: what the tour's figures are held against.
 *
 * Nothing here knows a schema or a package, so that a mistake in one of them shows as a difference.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { TourFailure } from "./Tour.ts";

/** Any JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** A captured answer, or a bare list of records (`{kind, records}`). */
export interface CapturedBody {
  readonly path: string;
  readonly realm: string;
  readonly body: Members;
}

/** A passive-tree link as captured, with what an independent decoder reads in it. */
export interface CapturedLink {
  readonly payload: string;
  readonly version: number | null;
  readonly status: "exact" | "malformed";
  readonly outside_specification?: boolean;
  readonly expected?: Members;
}

/** What a folder holds. */
export interface Captured {
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

const LINKS = "tree-links.json";
const MANIFEST = "manifest.json";

/** Reads a folder; the order is the manifest's, or that of the paths. */
export const readCaptured = (folder: string): Captured => {
  if (!statSync(folder).isDirectory())
    throw new TourFailure({ message: `${folder} is not a folder` });
  const announced = existsSync(join(folder, MANIFEST))
    ? (parse(join(folder, MANIFEST)) as ReadonlyArray<Announced>)
    : undefined;
  const paths = announced?.map(({ file }) => file) ?? pathsIn(folder);
  const bodies = paths.flatMap((path) => {
    const body = parse(join(folder, path));
    return isMembers(body) ? [{ path, realm: realmOf(path), body }] : [];
  });
  const links = existsSync(join(folder, LINKS)) ? parse(join(folder, LINKS)) : [];
  if (bodies.length === 0 && !Array.isArray(links))
    throw new TourFailure({ message: `${folder} holds no captured answers` });
  return { folder, bodies, links: links as ReadonlyArray<CapturedLink>, announced };
};

const pathsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json") && path !== LINKS)
    .toSorted();

const parse = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new TourFailure({ message: `${path}: ${(cause as Error).message}` });
  }
};

/** A realm's word begins the name of the file or of a folder; without one it is `pc`. */
const realmOf = (path: string): string =>
  path
    .split(sep)
    .flatMap((part) => [part, part.split(/[-.]/u)[0] ?? ""])
    .find((part) => ["console_a", "console_b", "game2"].includes(part)) ?? "pc";

/** Whether a JSON value is an object. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The list under a member; none where it is anything else. */
export const listIn = (members: Members | undefined, name: string): ReadonlyArray<Members> => {
  const list = members?.[name];
  return Array.isArray(list) ? list.filter(isMembers) : [];
};

/** The bodies of a realm that have a member, in order. */
export const bodiesWith = (captured: Captured, member: string, realm = "pc") =>
  captured.bodies.flatMap((one) =>
    member in one.body && one.realm === realm && !("records" in one.body) ? [one.body] : [],
  );
