/**
 * `--replay DIR`: captured answers in place of generated ones, for the kinds that the folder holds.
 *
 * Pages of the stash stream follow each other in the order of their files and are chained by their
 * own ids: the id that a page carries leads to the next file (parts of a page, with one id, are put
 * together; two answers that have a stash in common are not parts), the last one's to an empty
 * page. Where a manifest says by which id a page was asked, it is served for that id. An exchange
 * id leads to the first captured hour that is not before it. Ladders, leagues and matches are cut
 * and looked up as generated ones would be. A request needs the same token and scopes as ever;
 * the bodies are the captured bytes or records, in whatever words they were captured.
 */
import type { Words } from "@game-data/contract";
import { readFileSync } from "node:fs";
import { LruCache } from "../internal/LruCache.ts";
import type { Realm } from "../world/Realm.ts";
import {
  type CapturedFile,
  capturedFolder,
  type CapturedKind,
  type LeftOut,
  type RealmWords,
} from "./ReplayFiles.ts";

/** The target of a request, in neutral words. */
interface CaptureQuery {
  /** `group.endpoint`, whatever form the path had. */
  readonly endpoint: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** A captured answer: a body, bytes, or that there is no such id among the captured ones. */
type Captured =
  | { readonly kind: "body"; readonly body: unknown }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "unknownId" };

/** Finds the captured answer to a question; undefined when the world has to answer. */
export type FindCapture = (question: CaptureQuery) => Captured | undefined;

/** A folder that is replayed. */
export interface Replay {
  readonly find: FindCapture;
  /** Number of files that are served. */
  readonly served: number;
  readonly leftOut: ReadonlyArray<LeftOut>;
}

/** Reads the list of a folder's files. Throws where the folder cannot be read. */
export const openReplay = (folder: string, words: Words): Replay => {
  const { files, leftOut } = capturedFolder(folder, realmWords(words));
  const find = finder(files);
  return {
    find: (query) => find({ ...query, realm: realmOf(query) }),
    served: files.length,
    leftOut,
  };
};

/** The realm of a path or a query: left out, it is `pc` (§4.2). */
const realmOf = ({ params, query }: CaptureQuery): Realm =>
  (params["realm"] ?? query["realm"] ?? "pc") as Realm;

interface RealmQuery extends CaptureQuery {
  readonly realm: Realm;
}

const realmWords = (words: Words): RealmWords => {
  const realms = ["console_a", "console_b", "game2"] as const;
  return Object.fromEntries(
    realms.flatMap((realm) => [[realm, realm] as const, [words[realm], realm] as const]),
  );
};

type Members = Readonly<Record<string, unknown>>;

/** The answers of a list of captured files. */
const finder = (
  files: ReadonlyArray<CapturedFile>,
): ((query: RealmQuery) => Captured | undefined) => {
  const bodies = new LruCache<Members>(32);
  const turns = new Map<string, number>();
  const read = (file: CapturedFile): Members =>
    bodies.get(file.path, () => JSON.parse(readFileSync(file.path, "utf8")) as Members);
  const of = (kind: CapturedKind, realm: Realm) =>
    files.filter((file) => file.kind === kind && file.realm === realm);

  /** The records of all files of a kind under a member; undefined when there is no such file. */
  const records = (
    kind: CapturedKind,
    member: string,
    realm: Realm,
  ): Array<Members> | undefined => {
    const found = of(kind, realm);
    if (found.length === 0) return undefined;
    return found.flatMap((file) => {
      const value = read(file)[member];
      return (Array.isArray(value) ? value : [value]) as Array<Members>;
    });
  };
  const oneOf = (list: Array<Members> | undefined, key: string, value: unknown) =>
    list === undefined ? undefined : (list.find((one) => one[key] === value) ?? null);
  const whole = (kind: CapturedKind, realm: Realm): Captured | undefined => {
    const file = of(kind, realm)[0];
    return file === undefined ? undefined : { kind: "bytes", bytes: readFileSync(file.path) };
  };

  const answers: Readonly<Record<string, (question: RealmQuery) => Captured | undefined>> = {
    "profile.get": ({ realm }) => whole("profile", realm),
    "leagues.list": ({ query, realm }) => {
      const type = query["type"] ?? "main";
      const list = records("leagues", "leagues", realm);
      return body(
        "leagues",
        page(
          list?.filter((one) => (one["event"] === true) === (type !== "main")),
          query,
          50,
        ),
      );
    },
    "leagues.get": ({ params, realm }) =>
      body("league", oneOf(records("leagues", "leagues", realm), "id", params["league"])),
    "leagues.ladder": ({ query, realm }) => {
      const ladder = records("ladder", "league", realm)?.[0];
      const entries = page(ladder?.["entries"] as Array<Members> | undefined, query, 20);
      return ladder === undefined ? undefined : body("league", { ...ladder, entries });
    },
    "pvpMatches.list": ({ realm }) => body("matches", records("matches", "matches", realm)),
    "pvpMatches.get": ({ params, realm }) =>
      body("match", oneOf(records("matches", "matches", realm), "id", params["match"])),
    "characters.list": ({ realm }) => whole("characters", realm),
    "characters.get": ({ params, realm }) =>
      body("character", oneOf(records("character", "character", realm), "name", params["name"])),
    "stashes.list": ({ realm }) => whole("stashes", realm),
    "stashes.get": ({ params, realm }) =>
      body("stash", oneOf(records("stash", "stash", realm), "id", params["stash_id"])),
    "leagueAccounts.get": ({ realm }) => whole("leagueAccount", realm),
    "itemFilters.get": ({ params, realm }) =>
      body("filter", oneOf(records("filter", "filter", realm), "id", params["id"]) ?? undefined),
    "publicStashTabs.page": ({ query, realm }) =>
      streamPage(of("stream", realm), query["id"], turns),
    "currencyExchange.page": ({ params, realm }) =>
      exchangePage(of("exchange", realm), params["id"]),
  };
  return (question) =>
    Object.hasOwn(answers, question.endpoint) ? answers[question.endpoint]!(question) : undefined;
};

const body = (member: string, value: unknown): Captured | undefined =>
  value === undefined ? undefined : { kind: "body", body: { [member]: value } };

const page = (list: ReadonlyArray<Members> | undefined, query: Members, limit: number) => {
  const offset = Number(query["offset"] ?? 0);
  return list?.slice(offset, offset + Number(query["limit"] ?? limit));
};

const streamPage = (
  pages: ReadonlyArray<CapturedFile>,
  id: unknown,
  turns: Map<string, number>,
): Captured | undefined => {
  if (pages.length === 0) return undefined;
  const asked = pages.filter((file) => file.asked === (id ?? null));
  if (asked.length > 0) return inTurn(asked, turns);
  const before = id === undefined ? -1 : pages.findLastIndex((file) => file.next === id);
  if (id !== undefined && before < 0) return { kind: "unknownId" };
  const first = pages.slice(before + 1).find((file) => file.asked === undefined);
  if (first === undefined) return { kind: "body", body: { next_change_id: id, stashes: [] } };
  const same = pages.filter((file) => file.asked === undefined && file.next === first.next);
  if (same.length === 1) return { kind: "bytes", bytes: readFileSync(first.path) };
  const bodies = same.map(({ path }) => JSON.parse(readFileSync(path, "utf8")) as Members);
  const stashes = bodies.flatMap((one) => one["stashes"] as ReadonlyArray<Members>);
  // Files that carry one id are parts of a page. Where a stash is in two of them they are not: then
  // they are answers of different times, and each stands for itself.
  if (new Set(stashes.map((one) => one["id"])).size < stashes.length) return inTurn(same, turns);
  return { kind: "body", body: { next_change_id: first.next, stashes } };
};

/** Several answers to one question: one after the other, and then the last one. */
const inTurn = (files: ReadonlyArray<CapturedFile>, turns: Map<string, number>): Captured => {
  const key = files[0]!.path;
  const turn = turns.get(key) ?? 0;
  turns.set(key, turn + 1);
  return { kind: "bytes", bytes: readFileSync(files[Math.min(turn, files.length - 1)]!.path) };
};

const hourOf = (file: CapturedFile): number => file.hour ?? Number(file.next) - 3600;

const exchangePage = (pages: ReadonlyArray<CapturedFile>, id: unknown): Captured | undefined => {
  if (pages.length === 0) return undefined;
  const wanted = id === undefined ? 0 : Number(id);
  if (wanted % 3600 !== 0) return { kind: "unknownId" };
  const file = pages
    .filter((one) => hourOf(one) >= wanted)
    .toSorted((a, b) => hourOf(a) - hourOf(b))[0];
  if (file === undefined) return { kind: "body", body: { next_change_id: wanted, markets: [] } };
  return { kind: "bytes", bytes: readFileSync(file.path) };
};
