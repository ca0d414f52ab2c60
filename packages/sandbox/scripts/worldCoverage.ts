/**
 * Holds the generated world against the records: every member and every documented word has to
 * occur in the answers of seed 1. Prints a table; exits with 1 where something never occurs.
 *
 *     node scripts/worldCoverage.ts [--gaps]
 *
 * The answers are those of a fixed tour: every endpoint that reads, both games, four accounts, 20
 * pages of the public stash stream and 60 hours of the exchange. Members and words come from the
 * JSON Schemas that `@game-data/schemas` publishes.
 */
import { recordsDocument } from "@game-data/schemas/JsonSchema";
import { createSandboxHandler } from "../src/index.ts";

/** The number of occurrences of a member or a word. */
interface Row {
  readonly record: string;
  /** Path of the member inside the record; `= word` for a word of it. */
  readonly member: string;
  count: number;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | ReadonlyArray<string>;
  readonly enum?: ReadonlyArray<unknown>;
  /** The words of an open enumeration. */
  readonly examples?: ReadonlyArray<unknown>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly prefixItems?: ReadonlyArray<Schema>;
  readonly anyOf?: ReadonlyArray<Schema>;
}

/** Members that the specification does not have, or leaves without a value. */
const EXCEPTIONS: ReadonlyArray<readonly [member: RegExp, why: string]> = [
  [/^ItemMod\./u, "a mod is a text (§2); the object is a form that services send besides"],
  [/^UnlistedStash\.(?:accountName|stash|league)$/u, "null by the specification (§2)"],
];

/** The counts of every member and word. */
export class Coverage {
  readonly rows = new Map<string, Row>();
  readonly #definitions = new Map(
    Object.entries(recordsDocument().$defs as Readonly<Record<string, Schema>>),
  );
  readonly #counters = new Map<Schema, Map<string, Counter>>();

  constructor() {
    for (const [record, schema] of this.#definitions) this.#declare(record, "", schema);
  }

  /** Counts what a value of a record holds. */
  count(record: string, value: unknown): void {
    this.#counter(record, "", this.#definitions.get(record)!)(value);
  }

  #row(record: string, member: string): Row {
    const key = `${record}.${member}`;
    const known = this.rows.get(key);
    if (known !== undefined) return known;
    const row = { record, member, count: 0 };
    this.rows.set(key, row);
    return row;
  }

  #declare(record: string, at: string, schema: Schema): void {
    if (schema.$ref !== undefined) return;
    for (const word of wordsOf(schema)) this.#row(record, `${at} = ${String(word)}`);
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const path = at === "" ? name : `${at}.${name}`;
      this.#row(record, path);
      this.#declare(record, path, member);
    }
    for (const inner of this.#inner(schema)) this.#declare(record, at, inner);
  }

  /** The counter of a schema at a place, made once: answers hold 100,000s of values. */
  #counter(record: string, at: string, schema: Schema): Counter {
    const key = `${record}.${at}`;
    const known = this.#counters.get(schema)?.get(key);
    if (known !== undefined) return known;
    const counters = this.#counters.get(schema) ?? new Map<string, Counter>();
    this.#counters.set(schema, counters);
    // A record may contain itself: its counter is known before it is made.
    let made: Counter | undefined;
    counters.set(key, (value) => made?.(value));
    made = schema.$ref === undefined ? this.#counterOf(record, at, schema) : this.#referred(schema);
    counters.set(key, made);
    return made;
  }

  #referred({ $ref = "" }: Schema): Counter {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    const definition = this.#definitions.get(name)!;
    const isMeant = fitting(definition);
    const counter = this.#counter(name, "", definition);
    return (value) => {
      if (value !== null && value !== undefined && isMeant(value)) counter(value);
    };
  }

  #counterOf(record: string, at: string, schema: Schema): Counter {
    const { additionalProperties, anyOf = [], items, prefixItems } = schema;
    const inner = (one: Schema | boolean | undefined) =>
      typeof one === "object" ? this.#counter(record, at, one) : undefined;
    const rows = new Map(
      wordsOf(schema).map((word) => [word, this.#row(record, `${at} = ${String(word)}`)]),
    );
    const members = new Map(
      Object.entries(schema.properties ?? {}).map(([name, member]) => {
        const path = at === "" ? name : `${at}.${name}`;
        return [name, [this.#row(record, path), this.#counter(record, path, member)] as const];
      }),
    );
    const first = prefixItems?.map(inner);
    const element = inner(items);
    const other = inner(additionalProperties);
    const options = anyOf.map(
      (option) => [fitting(option), this.#counter(record, at, option)] as const,
    );
    return (value) => {
      if (value === null || value === undefined) return;
      const row = rows.get(value);
      if (row !== undefined) row.count++;
      if (Array.isArray(value)) {
        value.forEach((one, index) => (first?.[index] ?? element)?.(one));
      } else if (typeof value === "object") {
        for (const [name, one] of Object.entries(value)) {
          const member = members.get(name);
          if (member === undefined) other?.(one);
          else {
            if (one !== null) member[0].count++;
            member[1](one);
          }
        }
      }
      for (const [isMeant, counter] of options) if (isMeant(value)) counter(value);
    };
  }

  #inner({ additionalProperties, anyOf, items, prefixItems }: Schema) {
    return [...(anyOf ?? []), ...(prefixItems ?? []), items, additionalProperties].filter(
      (one) => typeof one === "object",
    );
  }
}

/** Counts what a value holds. */
type Counter = (value: unknown) => void;

/** The documented words of a schema; null is none. */
const wordsOf = ({ enum: closed, examples: open }: Schema): ReadonlyArray<unknown> =>
  (closed ?? open ?? []).filter((word) => word !== null);

const isOf = ({ type = [] }: Schema, name: string): boolean => [type].flat().includes(name);

/** Whether a value can be meant by an option: by its JSON type, and the words of its members. */
const fitting = (schema: Schema): ((value: unknown) => boolean) => {
  const { enum: words, properties = {} } = schema;
  if (words !== undefined) return (value) => words.includes(value);
  if (isOf(schema, "array")) return Array.isArray;
  if (!isOf(schema, "object")) return () => true;
  const flags = Object.entries(properties).flatMap(([name, member]) =>
    isOf(member, "boolean") && member.enum !== undefined ? [[name, member.enum] as const] : [],
  );
  return (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    flags.every(([name, of]) => of.includes((value as Record<string, unknown>)[name]));
};

/** The member of an answer, and the record that it holds, or a list of. */
type Visit = (path: string, member: string, record: string, account?: string) => Promise<any>;

const segment = encodeURIComponent;

const tour = async (visit: Visit, post: Visit, now: number): Promise<void> => {
  for (const account of ["Emberlyn#4071", "Quillon#1182", "Wayfarer#9020", "Tamsin#3355"])
    await tourAccount(visit, account);
  await tourLeagues(visit);
  await tourMatches(visit);
  await tourStreams(visit, now);
  for (const { id } of await visit("/item-filter", "filters", "ItemFilter"))
    await visit(`/item-filter/${id}`, "filter", "ItemFilter");
  const filter = { filter_name: "Coverage", realm: "pc", filter: "Show\n", description: "" };
  await post("/item-filter?validate=true", "filter", "ItemFilter", JSON.stringify(filter));
  await post("/item-filter?validate=true", "error", "ErrorObject", "{}");
};

const tourAccount = async (visit: Visit, account: string): Promise<void> => {
  await visit("/profile", "", "Profile", account);
  for (const realm of ["", "/console_a", "/console_b", "/game2"]) {
    const characters = await visit(`/character${realm}`, "characters", "Character", account);
    for (const { name } of characters)
      await visit(`/character${realm}/${segment(name)}`, "character", "Character", account);
  }
  for (const realm of ["", "/console_a"]) {
    const leagues = await visit(`/account/leagues${realm}`, "leagues", "League", account);
    for (const { id } of leagues.filter((_: unknown, at: number) => at < 2 || at > 8)) {
      const league = `${realm}/${segment(id)}`;
      await visit(`/league-account${league}`, "league_account", "LeagueAccount", account);
      await tourTabs(visit, `/stash${league}`, account);
      await tourTabs(visit, `/guild${realm}/stash/${segment(id)}`, account);
    }
  }
};

const tourTabs = async (visit: Visit, at: string, account: string): Promise<void> => {
  for (const tab of await visit(at, "stashes", "StashTab", account)) {
    await visit(`${at}/${tab.id}`, "stash", "StashTab", account);
    for (const child of tab.children ?? [])
      if (child.parent === tab.id)
        await visit(`${at}/${tab.id}/${child.id}`, "stash", "StashTab", account);
  }
};

const tourLeagues = async (visit: Visit): Promise<void> => {
  for (const realm of ["pc", "console_a", "console_b", "game2"])
    for (const type of ["main", "event"])
      for (const offset of [0, 50])
        await visit(
          `/league?realm=${realm}&type=${type}&limit=50&offset=${offset}`,
          "leagues",
          "League",
        );
  await visit("/league?type=season&season=Season%201", "leagues", "League");
  const events = await visit("/league?type=event&limit=50", "leagues", "League");
  const main = await visit("/league?limit=50", "leagues", "League");
  for (const realm of GAME_ONE) {
    const window = `realm=${realm}&limit=200`;
    for (const { id } of [...main.slice(0, 6), ...events.slice(0, 4)])
      await visit(`/league/${segment(id)}/ladder?${window}`, "league.entries", "LadderEntry");
    const event = `/league/${segment(events[0].id)}/event-ladder?${window}`;
    await visit(event, "league.entries", "EventLadderEntry");
  }
};

const tourMatches = async (visit: Visit): Promise<void> => {
  for (const realm of GAME_ONE) {
    const all = `/pvp-match?realm=${realm}`;
    const matches = [
      ...(await visit(all, "matches", "PvPMatch")),
      ...(await visit(`${all}&type=season&season=Season%202`, "matches", "PvPMatch")),
      { id: "Swiss Cup 2, week 12" },
      { id: "Blitz Cup 1, week 11" },
    ];
    for (const { id } of matches) {
      const at = `/pvp-match/${segment(id)}`;
      await visit(`${at}?realm=${realm}`, "match", "PvPMatch");
      await visit(`${at}/ladder?realm=${realm}&limit=100`, "match.entries", "PvPLadderTeamEntry");
    }
  }
};

const tourStreams = async (visit: Visit, now: number): Promise<void> => {
  for (const realm of ["", "/console_b"]) {
    let cursor = "";
    for (let page = 0; page < 10; page++) {
      const path = `/public-stash-tabs${realm}${cursor}`;
      const { next_change_id: next } = await visit(path, "", "PublicStashPage");
      cursor = `?id=${next}`;
    }
  }
  const first = Math.floor(now / 3_600_000) * 3600 - 30 * 3600;
  for (const realm of ["", "/game2"])
    for (let hour = 0; hour < 30; hour++)
      await visit(`/currency-exchange${realm}/${first + hour * 3600}`, "", "CurrencyExchangePage");
};

const GAME_ONE = ["pc", "console_a", "console_b"];

/** Counts over the tour of seed 1. */
export const measureCoverage = async (): Promise<Coverage> => {
  const now = "2026-03-01T12:30:00.000Z";
  const sandbox = await createSandboxHandler({ seed: 1, now, world: { ladderSize: 1000 } });
  const coverage = new Coverage();
  const countAt = (body: unknown, member: string, record: string): any => {
    const value = member
      .split(".")
      .reduce<any>((one, name) => (name === "" ? one : one?.[name]), body);
    for (const one of Array.isArray(value) ? value : [value]) coverage.count(record, one);
    return value;
  };
  const visit: Visit = async (path, member, record, account = "Emberlyn#4071") => {
    const query = new URLSearchParams({ path, account });
    const response = await sandbox.fetch(new Request(`${sandbox.controlUrl}/world?${query}`));
    return countAt(await response.json(), member, record);
  };
  try {
    const issued = await sandbox.fetch(
      new Request(`${sandbox.controlUrl}/tokens`, {
        method: "POST",
        body: JSON.stringify({ clientId: CLIENT, account: "Emberlyn#4071" }),
      }),
    );
    const { access_token: token } = (await issued.json()) as { access_token: string };
    const post: Visit = async (path, member, record, body) => {
      const response = await sandbox.fetch(
        new Request(`${sandbox.baseUrl}${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: body!,
        }),
      );
      return countAt(await response.json(), member, record);
    };
    await tour(visit, post, Date.parse(now));
  } finally {
    await sandbox.close();
  }
  return coverage;
};

/** Lists what never occurs, as `Record.member` or `Record.member = word`. */
export const gapsOf = ({ rows }: Coverage): ReadonlyArray<string> =>
  [...rows]
    .filter(([name, { count }]) => count === 0 && exceptionOf(name) === undefined)
    .map(([name]) => name);

const exceptionOf = (name: string): string | undefined =>
  EXCEPTIONS.find(([member]) => member.test(name))?.[1];

const noteOf = (name: string, count: number): string =>
  count === 0 && exceptionOf(name) !== undefined ? `  (${exceptionOf(name)})` : "";

const CLIENT = "example-desktop";

if (import.meta.main) {
  const coverage = await measureCoverage();
  const gaps = gapsOf(coverage);
  if (!process.argv.includes("--gaps"))
    for (const [name, { count }] of coverage.rows)
      console.log(`${String(count).padStart(9)}  ${name}${noteOf(name, count)}`);
  for (const gap of gaps) console.log(`      GAP  ${gap}`);
  console.log(`${coverage.rows.size} members and words, ${gaps.length} never occur`);
  process.exitCode = gaps.length === 0 ? 0 : 1;
}
