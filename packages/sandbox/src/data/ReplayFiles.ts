/**
 * Captured answers in a folder: which files there are, and what each of them holds.
 *
 * A file is recognised by its members, not by its name: `{next_change_id, stashes}` is a page of
 * the stash stream, `{character}` a character, and so on. A `manifest.json` (a list of `{file}`)
 * gives the order, otherwise the paths do. A realm's word in the path (`console_a/…`, `game2-…`)
 * says where the file belongs; without one it is `pc`. Pages are recognised by their beginning and
 * read when they are asked for, so a folder of thousands costs little to open.
 *
 * The manifest of `game-data-sandbox record` says of each page by which id it was asked (`asked`):
 * such a page belongs to that id, whatever id it leads to. A file that is of no use is left out,
 * and named with the reason.
 */
import { hash } from "node:crypto";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import type { Realm } from "../world/Realm.ts";

/** The kind of a captured file. */
export type CapturedKind =
  | "stream"
  | "exchange"
  | "profile"
  | "leagues"
  | "ladder"
  | "matches"
  | "characters"
  | "character"
  | "stashes"
  | "stash"
  | "leagueAccount"
  | "filter";

/** A captured file. */
export interface CapturedFile {
  readonly path: string;
  readonly kind: CapturedKind;
  readonly realm: Realm;
  /** `next_change_id` of a page. */
  readonly next?: string;
  /** The hour in an exchange file's name. */
  readonly hour?: number;
  /** The id that a page was asked by; null for the first page, undefined where nobody knows. */
  readonly asked?: string | null | undefined;
}

/** A file that is not served. */
export interface LeftOut {
  readonly file: string;
  readonly reason: string;
}

/** The files of a folder: captured answers, and those that are left out. */
export interface CapturedFolder {
  readonly files: ReadonlyArray<CapturedFile>;
  readonly leftOut: ReadonlyArray<LeftOut>;
}

/** The words that name realms in paths: neutral ones and the deployment's own. */
export type RealmWords = Readonly<Record<string, Realm>>;

/** The files of a folder: those that hold a captured answer, and those that are left out. */
export const capturedFolder = (folder: string, words: RealmWords): CapturedFolder => {
  const files: Array<CapturedFile> = [];
  const leftOut: Array<LeftOut> = [];
  for (const entry of entriesIn(folder)) {
    const path = join(folder, entry.file);
    const found = recognise(path, entry);
    if ("reason" in found) {
      leftOut.push({ file: entry.file, reason: found.reason });
      continue;
    }
    const hour = /(?:^|[^\d])(\d{10})(?:[^\d]|$)/u.exec(entry.file)?.[1];
    files.push({
      ...found,
      path,
      realm: realmOf(entry.file, words),
      ...(hour === undefined ? {} : { hour: Number(hour) }),
      ...(entry.asked === undefined ? {} : { asked: entry.asked }),
    });
  }
  return { files, leftOut };
};

/** Facts about a file that are known before it is opened. */
interface Entry {
  readonly file: string;
  readonly asked?: string | null | undefined;
  readonly sha256?: string | undefined;
}

const entriesIn = (folder: string): ReadonlyArray<Entry> => {
  const manifest = join(folder, "manifest.json");
  if (existsSync(manifest))
    return (JSON.parse(readFileSync(manifest, "utf8")) as ReadonlyArray<Partial<Entry>>).flatMap(
      ({ asked, file, sha256 }) => (typeof file === "string" ? [{ file, asked, sha256 }] : []),
    );
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .toSorted()
    .map((file) => ({ file }));
};

const realmOf = (path: string, words: RealmWords): Realm => {
  const parts = path.split(sep).flatMap((part) => [part, part.split(/[-.]/u)[0] ?? ""]);
  return (
    parts.map((part) => (Object.hasOwn(words, part) ? words[part] : undefined)).find(Boolean) ??
    "pc"
  );
};

const HEAD_BYTES = 4096;

/** A page that begins with its id need not be read to the end. */
const PAGE_HEAD = /^\s*\{\s*"next_change_id"\s*:\s*(?:"([^"]*)"|(\d+))\s*,\s*"(stashes|markets)"/u;

type Recognised = Pick<CapturedFile, "kind" | "next">;

const recognise = (
  path: string,
  { file, sha256 }: Entry,
): Recognised | { readonly reason: string } => {
  if (relative(".", file).startsWith("..") || isAbsolute(file))
    return { reason: "it lies outside of the folder" };
  if (!existsSync(path)) return { reason: "the manifest names it, and it is not there" };
  if (sha256 !== undefined && sha256 !== hash("sha256", readFileSync(path), "hex"))
    return { reason: "it has changed since it was recorded" };
  const head = PAGE_HEAD.exec(headOf(path));
  if (head !== null) return page(head[1] ?? head[2]!, head[3] === "stashes");
  try {
    return (
      recogniseBody(JSON.parse(readFileSync(path, "utf8"))) ?? {
        reason: "it has no member that tells what it is",
      }
    );
  } catch (cause) {
    return { reason: `it is no JSON: ${(cause as Error).message}` };
  }
};

const headOf = (path: string): string => {
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
};

const page = (next: string, isStream: boolean) =>
  ({ kind: isStream ? "stream" : "exchange", next }) as const;

/** Members that tell the kind, the most telling first. */
const MEMBERS: ReadonlyArray<readonly [member: string, kind: CapturedKind]> = [
  ["leagues", "leagues"],
  ["matches", "matches"],
  ["characters", "characters"],
  ["character", "character"],
  ["stashes", "stashes"],
  ["stash", "stash"],
  ["league_account", "leagueAccount"],
  ["filter", "filter"],
  ["uuid", "profile"],
];

const recogniseBody = (body: unknown): Recognised | undefined => {
  if (typeof body !== "object" || body === null) return undefined;
  const next = "next_change_id" in body ? String(body.next_change_id) : undefined;
  if (next !== undefined && "stashes" in body) return page(next, true);
  if (next !== undefined && "markets" in body) return page(next, false);
  if ("league" in body && typeof body.league === "object" && body.league !== null) {
    return "entries" in body.league ? { kind: "ladder" } : undefined;
  }
  const found = MEMBERS.find(([member]) => member in body);
  return found === undefined ? undefined : { kind: found[1] };
};
