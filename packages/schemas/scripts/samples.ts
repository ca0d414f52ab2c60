/**
 * Reads a folder of captured payloads with a manifest, and says what the schemas make of them:
 * which records decode, which are refused and where, and how `Drift`'s deviations compare with
 * those that the manifest counts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Schema } from "effect";
import * as Drift from "../src/Drift.ts";
import * as Schemas from "../src/effect/index.ts";

/** One file of the manifest. */
export interface Entry {
  readonly file: string;
  readonly kind: string;
  readonly envelope: string;
  readonly records_at: string;
  readonly records: number;
  readonly generation: "developer-api" | "legacy" | "third-party-wrapped";
  readonly deviations?: Readonly<Record<string, ReadonlyArray<string>>>;
}

/** A record of a sample, with the schema of its kind. */
export interface SampleRecord {
  readonly schema: Schema.Codec<unknown>;
  readonly pointer: string;
  readonly value: unknown;
}

/** The schemas of the manifest's kinds. The kinds without one are texts and headers. */
const schemas: Readonly<Record<string, Schema.Codec<unknown>>> = {
  Character: Schemas.Character,
  "Character.passives": Schemas.Passives,
  CurrencyExchange: Schemas.Market,
  Error: Schemas.ErrorObject,
  Guild: Schemas.Guild,
  Item: Schemas.Item,
  ItemFilter: Schemas.ItemFilter,
  LadderEntry: Schemas.LadderEntry,
  League: Schemas.League,
  LeagueRule: Schemas.LeagueRule,
  Profile: Schemas.Profile,
  PublicStashChange: Schemas.PublicStashChange,
  PvPMatch: Schemas.PvPMatch,
  StashTab: Schemas.StashTab,
};

/** Bodies that have a schema as a whole. */
export const bodySchemaOf = (kind: string): Schema.Codec<unknown> | undefined =>
  ({ CurrencyExchange: Schemas.CurrencyExchangePage, PublicStashChange: Schemas.PublicStashPage })[
    kind
  ];

/** The manifest of a folder. */
export const manifest = (folder: string): ReadonlyArray<Entry> =>
  JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as ReadonlyArray<Entry>;

/** A sample as parsed JSON. */
export const body = (folder: string, entry: Entry): unknown =>
  JSON.parse(readFileSync(join(folder, entry.file), "utf8"));

const step = (values: ReadonlyArray<readonly [string, unknown]>, key: string) =>
  values.flatMap(([pointer, value]): ReadonlyArray<readonly [string, unknown]> => {
    const members = value as Readonly<Record<string, unknown>>;
    if (key !== "*") return [[`${pointer}/${key}`, members[key]]];
    return Object.entries(members).map(([name, member]) => [`${pointer}/${name}`, member]);
  });

/** The records of a sample. */
export const recordsOf = (folder: string, entry: Entry): ReadonlyArray<SampleRecord> => {
  const schema = schemas[entry.kind];
  if (schema === undefined) return [];
  const values = entry.envelope.includes("jewels") ? jewelsOf(folder, entry) : [];
  const keys = entry.records_at.split("/").slice(1);
  const records = keys
    .reduce(step, [["", body(folder, entry)]] as ReadonlyArray<readonly [string, unknown]>)
    .map(([pointer, value]) => ({ schema, pointer, value }));
  return [...records, ...values];
};

/** Passive trees come with the items of their jewel sockets. */
const jewelsOf = (folder: string, entry: Entry): ReadonlyArray<SampleRecord> => {
  const { jewels } = body(folder, entry) as {
    readonly jewels: ReadonlyArray<ReadonlyArray<unknown>>;
  };
  return jewels.flat().map((value, index) => ({
    schema: Schemas.Item,
    pointer: `/jewels/${index}`,
    value,
  }));
};

const TYPES: Readonly<Record<string, string>> = {
  boolean: "bool",
  integer: "int",
  "negative integer": "int",
  number: "float",
  "unsigned integer": "uint",
};

const CATEGORIES: Readonly<Record<Drift.Kind, string>> = {
  "unknown-key": "unknown",
  missing: "missing",
  "other-type": "type",
  "always-true-violated": "explicit_false",
  "explicit-false": "explicit_false",
  "explicit-null": "explicit_null",
  "other-form": "other",
  "unknown-word": "word",
  "rule-broken": "rule",
  "too-deep": "depth",
  "not-omitted": "unlisted",
};

/** A kind in the manifest's words. */
const type = (word: string): string =>
  TYPES[word] ?? word.replace("of integer", "of int").replace("of unsigned integer", "of uint");

/** A deviation in the manifest's words. */
const inManifestWords = (deviation: Drift.Deviation): string => {
  const { kind, member, expected, actual } = deviation;
  const name = member
    .replace(/^Passives\b/u, "Character.passives")
    .replace(/^Market\b/u, "CurrencyExchangeMarket");
  const category = CATEGORIES[kind];
  switch (category) {
    case "unknown":
      return `${category}: ${name}:${type(actual)}`;
    case "type":
      return `${category}: ${name}: ${type(expected)} is ${type(actual)}`;
    case "other":
      return `${category}: ${name} ${expected === "hex-64" ? "not 64 hex" : actual.replace("string of ", "")}`;
    default:
      return `${category}: ${name}`;
  }
};

/** The manifest's own counts of a file. */
export const claimed = (entry: Entry): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(entry.deviations ?? {}).flatMap(([category, lines]) =>
      lines.map((line): readonly [string, number] => {
        const [, name, count] = /^(.*?)(?: x(\d+))?$/u.exec(line)!;
        return [`${category}: ${name}`, Number(count ?? 1)];
      }),
    ),
  );

/** The deviations that `Drift` counts in a file. */
export const counted = (folder: string, entry: Entry): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { schema, value } of recordsOf(folder, entry)) {
    for (const deviation of Drift.report(schema, value, { explicit: true })) {
      const key = inManifestWords(deviation);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
};
