/**
 * Captured answers in a folder: which files there are, and what each of them holds.
 *
 * A file is recognised by its members, not by its name: `{next_change_id, stashes}` is a page of
 * the stash stream, `{character}` a character, and so on. A `manifest.json` (a list of `{file}`)
 * gives the order, otherwise the paths do. A realm's word in the path (`console_a/…`, `game2-…`)
 * says where the file belongs; without one it is `pc`. Pages are recognised by their beginning and
 * read when they are asked for, so a folder of thousands costs little to open.
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join, sep } from "node:path";
import type { Realm } from "../world/Realm.ts";

/** What a captured file is. */
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
}

/** The words that name realms in paths: neutral ones and the deployment's own. */
export type RealmWords = Readonly<Record<string, Realm>>;

/** Every file of a folder that holds a captured answer; others are left out. */
export const capturedFiles = (folder: string, words: RealmWords): ReadonlyArray<CapturedFile> =>
  pathsIn(folder).flatMap((path) => {
    const file = recognise(join(folder, path));
    if (file === undefined) return [];
    const hour = /(?:^|[^\d])(\d{10})(?:[^\d]|$)/u.exec(path)?.[1];
    return [
      {
        ...file,
        path: join(folder, path),
        realm: realmOf(path, words),
        ...(hour === undefined ? {} : { hour: Number(hour) }),
      },
    ];
  });

const pathsIn = (folder: string): ReadonlyArray<string> => {
  const manifest = join(folder, "manifest.json");
  if (existsSync(manifest)) {
    const entries = JSON.parse(readFileSync(manifest, "utf8")) as ReadonlyArray<{
      readonly file?: unknown;
    }>;
    return entries.flatMap(({ file }) =>
      typeof file === "string" && existsSync(join(folder, file)) ? [file] : [],
    );
  }
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .toSorted();
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

const recognise = (path: string): Pick<CapturedFile, "kind" | "next"> | undefined => {
  const head = PAGE_HEAD.exec(headOf(path));
  if (head !== null) return page(head[1] ?? head[2]!, head[3] === "stashes");
  try {
    return recogniseBody(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
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

const recogniseBody = (body: unknown): Pick<CapturedFile, "kind" | "next"> | undefined => {
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
