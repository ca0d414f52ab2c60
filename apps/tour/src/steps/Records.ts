/**
 * Every captured record against its schema, and every captured link through the codec.
 */
import * as Records from "@game-data/schemas";
import { encode, safeDecode, type TreeLink } from "@game-data/tree-link";
import { Effect, Schema } from "effect";
import { type Captured, type CapturedBody, type CapturedLink, isMembers } from "../Captured.ts";
import * as Report from "../Report.ts";
import { compare, type Step } from "../Tour.ts";

/** The record under each member of an answer. */
const MEMBERS: Readonly<Record<string, keyof typeof SCHEMAS>> = {
  characters: "Character",
  character: "Character",
  stash: "StashTab",
  leagues: "League",
  entries: "LadderEntry",
  matches: "PvPMatch",
  filter: "ItemFilter",
  markets: "Market",
};

const SCHEMAS = {
  Character: Records.Character,
  Guild: Records.Guild,
  Item: Records.Item,
  ItemFilter: Records.ItemFilter,
  LadderEntry: Records.LadderEntry,
  League: Records.League,
  LeagueRule: Records.LeagueRule,
  Market: Records.Market,
  "Character.passives": Records.Passives,
  Profile: Records.Profile,
  PublicStashChange: Records.PublicStashChange,
  PvPMatch: Records.PvPMatch,
  StashTab: Records.StashTab,
};

type Kind = keyof typeof SCHEMAS;

const SHOWN = 8;

/** Records of every file, accepted or refused by their schemas. */
export const records: Step = {
  title: "Every captured record against its schema",
  onlyCaptured: true,
  run: Effect.fnUntraced(function* ({ captured }) {
    const byKind = new Map<Kind, { files: number; read: number; refused: number; drift: number }>();
    const others = new Set<string>();
    const reasons = new Map<string, number>();
    for (const file of captured?.bodies ?? []) {
      const found = recordsIn(file.body);
      if (found === undefined) {
        others.add(file.path);
        continue;
      }
      const sum = byKind.get(found.kind) ?? { files: 0, read: 0, refused: 0, drift: 0 };
      const schema: Schema.Codec<unknown> = SCHEMAS[found.kind];
      const is = Schema.is(schema);
      sum.files += 1;
      for (const record of found.records) {
        sum.read += 1;
        const departures = Records.Drift.report(schema, record);
        if (departures.length > 0) sum.drift += 1;
        if (is(record)) continue;
        sum.refused += 1;
        const refusals = departures.filter(({ accepted }) => !accepted);
        for (const [reason, times] of Records.Drift.summary(refusals))
          reasons.set(reason, (reasons.get(reason) ?? 0) + times);
      }
      byKind.set(found.kind, sum);
    }
    const rows = [...byKind].toSorted(([a], [b]) => (a < b ? -1 : 1));
    Report.table(
      ["record", "files", "records", "read", "refused", "with drift"],
      rows.map(([kind, { drift, files, read, refused }]) => [
        kind,
        files,
        read,
        read - refused,
        refused,
        drift,
      ]),
    );
    if (reasons.size > 0) {
      const most = [...reasons].toSorted((a, b) => b[1] - a[1]);
      Report.table(["refused because", "times"], most.slice(0, SHOWN), most.length - SHOWN);
    }
    if (others.size > 0) Report.say("Without records:", ...[...others].map((path) => `  ${path}`));
    const total = rows.reduce((sum, [, { read }]) => sum + read, 0);
    const read = total - rows.reduce((sum, [, { refused }]) => sum + refused, 0);
    if (captured?.announced !== undefined)
      yield* compare(["records", total, announcedRecords(captured.announced)]);
    return {
      proof: `${Report.number(read)} of ${Report.number(total)} records have what the specification requires`,
    };
  }),
};

const recordsIn = (
  body: CapturedBody["body"],
): { readonly kind: Kind; readonly records: ReadonlyArray<unknown> } | undefined => {
  const { kind, records: bare } = body;
  if (typeof kind === "string" && Array.isArray(bare))
    return kind in SCHEMAS ? { kind: kind as Kind, records: bare } : undefined;
  if ("uuid" in body) return { kind: "Profile", records: [body] };
  if (Array.isArray(body["stashes"]))
    return {
      kind: "next_change_id" in body ? "PublicStashChange" : "StashTab",
      records: body["stashes"],
    };
  const inner = isMembers(body["league"]) ? body["league"] : body;
  const member = Object.keys(MEMBERS).find((name) => name in inner);
  if (member === undefined) return undefined;
  const value = inner[member];
  return { kind: MEMBERS[member]!, records: Array.isArray(value) ? value : [value] };
};

/** As the manifest counts them, which was not written by these schemas. */
const announcedRecords = (announced: NonNullable<Captured["announced"]>): number =>
  announced
    .filter(({ kind }) => kind in SCHEMAS || kind === "CurrencyExchange")
    .reduce((sum, { records: count }) => sum + count, 0);

/** Every link, read and written again, or refused. */
export const links: Step = {
  title: "Every captured link",
  onlyCaptured: true,
  run: Effect.fnUntraced(function* ({ captured }) {
    const all = captured?.links ?? [];
    if (all.length === 0) return { leftOut: "no links are captured" };
    const judged = all.map((link) => ({ link, verdict: verdictOf(link) }));
    const versions = Map.groupBy(judged, ({ link }) => link.version);
    const count = (list: typeof judged, verdict: Verdict) =>
      list.filter((one) => one.verdict === verdict).length;
    Report.table(
      ["version", "links", "exact", "refused"],
      [...versions]
        .toSorted(([a], [b]) => (a ?? 0) - (b ?? 0))
        .map(([version, list]) => [
          version === null ? "none" : String(version),
          list.length,
          count(list, "exact"),
          count(list, "refused"),
        ]),
    );
    yield* compare(
      ["links read exactly", count(judged, "exact"), all.filter(isForUs).length],
      ["links refused", count(judged, "refused"), all.filter((link) => !isForUs(link)).length],
    );
    return {
      proof: "the exact ones give the values of an independent decoder, and themselves again",
    };
  }),
};

/** Versions 2 and 3 are no part of the specification. */
const isForUs = (link: CapturedLink) =>
  link.status === "exact" && link.outside_specification !== true;

type Verdict = "exact" | "refused" | "different";

const verdictOf = ({ expected, payload }: CapturedLink): Verdict => {
  const result = safeDecode(payload);
  if (!result.ok) return "refused";
  const again = encode(result.link).replace(/=+$/u, "");
  const isExact = again === payload.replace(/=+$/u, "") && agrees(result.link, expected ?? {});
  return isExact ? "exact" : "different";
};

const agrees = (link: TreeLink, expected: Readonly<Record<string, unknown>>): boolean => {
  const seen: Record<string, unknown> = {
    class: link.class,
    ascendancy: link.ascendancy,
    hashes: link.hashes,
    ...(link.version === 4 && { fullscreen: link.fullscreen }),
    ...(link.version !== 4 && { extended: link.extendedHashes }),
    ...(link.version === 6 && {
      masteries: link.masteries.map(({ effect, node }) => ({ node, effect })),
      second_ascendancy: link.alternateAscendancy,
    }),
  };
  return Object.entries(seen).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(expected[name]),
  );
};
