/**
 * Holds the generated world against the records: every member and every documented word has to
 * occur in the answers of seed 1. Prints a table; exits with 1 where something never occurs.
 *
 *     node scripts/worldCoverage.ts [--gaps]
 *
 * The answers are those of a tour of four accounts, with ten pages of each public stash stream and ten
 * hours of each exchange. Members and words come from the JSON Schemas that
 * `@game-data/schemas` publishes.
 */
import { bodySchemas } from "@game-data/contract/effect";
import { type RouteName, routes } from "@game-data/contract/routes";
import * as records from "@game-data/schemas";
import { recordsDocument } from "@game-data/schemas/JsonSchema";
import { toJsonSchemaDocument } from "effect/Schema";
import { createSandboxHandler } from "../src/index.ts";
import { tour } from "./worldTour.ts";

interface Schema {
  readonly type?: string | ReadonlyArray<string>;
  readonly $ref?: string;
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

/** The counts of every member, as `Record.member`, and of every word, as `Record.member = word`. */
export class Coverage {
  readonly rows = new Map<string, number>();

  readonly #records = recordsDocument().$defs as Readonly<Record<string, Schema>>;
  /** The records, and the bodies that hold them. */
  readonly #schemas: Readonly<Record<string, Schema>> = Object.assign(
    {},
    ...Object.values(bodySchemas).map((body) => toJsonSchemaDocument(body).definitions),
    this.#records,
  );

  constructor() {
    for (const [record, schema] of Object.entries(this.#records)) this.#declare(record, schema);
  }

  #declare(path: string, schema: Schema): void {
    const { additionalProperties, anyOf = [], items, prefixItems = [], properties = {} } = schema;
    if (schema.$ref !== undefined) return;
    for (const word of schema.enum ?? schema.examples ?? [])
      if (word !== null) this.rows.set(`${path} = ${String(word)}`, 0);
    for (const [name, member] of Object.entries(properties)) {
      this.rows.set(`${path}.${name}`, 0);
      this.#declare(`${path}.${name}`, member);
    }
    for (const inner of [...anyOf, ...prefixItems, items, additionalProperties])
      if (typeof inner === "object") this.#declare(path, inner);
  }

  /** Counts what a record or a body holds. */
  count(record: string, value: unknown): void {
    this.#visit({ $ref: `#/$defs/${record}` }, value, record);
  }

  #visit(schema: Schema, value: unknown, path: string): void {
    if (schema.$ref !== undefined) {
      const record = schema.$ref.slice("#/$defs/".length);
      return this.#visit(this.#schemas[record]!, value, record);
    }
    for (const inner of schema.anyOf ?? []) if (fits(inner, value)) this.#visit(inner, value, path);
    if (typeof value !== "object") this.#seen(`${path} = ${String(value)}`);
    else if (Array.isArray(value)) this.#visitList(schema, value, path);
    else if (value !== null) this.#visitMembers(schema, value, path);
  }

  #visitList({ items, prefixItems = [] }: Schema, list: ReadonlyArray<unknown>, path: string) {
    for (const [index, element] of list.entries()) {
      const schema = prefixItems[index] ?? items;
      if (typeof schema === "object") this.#visit(schema, element, path);
    }
  }

  #visitMembers({ additionalProperties, properties = {} }: Schema, value: object, path: string) {
    for (const [name, member] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) {
        if (member !== null) this.#seen(`${path}.${name}`);
        this.#visit(properties[name]!, member, `${path}.${name}`);
      } else if (typeof additionalProperties === "object") {
        this.#visit(additionalProperties, member, path);
      }
    }
  }

  #seen(row: string): void {
    const count = this.rows.get(row);
    if (count !== undefined) this.rows.set(row, count + 1);
  }

  /** Lists what never occurs. */
  gaps(): ReadonlyArray<string> {
    return [...this.rows]
      .filter(([name, count]) => count === 0 && exceptionOf(name) === undefined)
      .map(([name]) => name);
  }
}

/** Whether a value is meant by one of several alternatives. */
const fits = ({ $ref, type }: Schema, value: unknown): boolean => {
  if ($ref !== undefined)
    return (records as any)[$ref.slice("#/$defs/".length)].is(value) as boolean;
  if (type === undefined) return true;
  const own = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  return [type].flat().some((one) => one === own || (one === "integer" && own === "number"));
};

const exceptionOf = (name: string): string | undefined =>
  EXCEPTIONS.find(([member]) => member.test(name))?.[1];

/** Counts over the tour of seed 1. */
export const measureCoverage = async (): Promise<Coverage> => {
  const now = "2026-03-01T12:30:00.000Z";
  await using sandbox = await createSandboxHandler({ seed: 1, now, world: { ladderSize: 1000 } });
  const coverage = new Coverage();
  const count = (name: RouteName, body: any) => {
    const { results } = routes[name] as { readonly results: Readonly<Record<string, string>> };
    coverage.count(results["200"]!, body);
    return body;
  };
  await tour(
    async (name, path, account = "Emberlyn#4071") => {
      const query = new URLSearchParams({ path, account });
      const response = await sandbox.fetch(new Request(`${sandbox.controlUrl}/world?${query}`));
      return count(name, await response.json());
    },
    { accounts: ["Emberlyn#4071", "Quillon#1182", "Wayfarer#9020", "Tamsin#3355"], pages: 10 },
  );
  const token = await sandbox.token({ account: "Emberlyn#4071", scopes: ["account:item_filter"] });
  const post = async (path: string, body: object): Promise<any> => {
    const response = await sandbox.fetch(
      new Request(`${sandbox.baseUrl}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    return response.json();
  };
  const filter = { filter_name: "Coverage", realm: "pc", filter: "Show\n", description: "" };
  count("itemFilters.create", await post("/item-filter?validate=true", filter));
  count("itemFilters.update", { ...(await post("/item-filter", {})), filter });
  return coverage;
};

if (import.meta.main) {
  const coverage = await measureCoverage();
  const gaps = coverage.gaps();
  if (!process.argv.includes("--gaps"))
    for (const [name, count] of coverage.rows) {
      const why = count === 0 ? exceptionOf(name) : undefined;
      console.log(`${String(count).padStart(9)}  ${name}${why === undefined ? "" : `  (${why})`}`);
    }
  for (const gap of gaps) console.log(`      GAP  ${gap}`);
  console.log(`${coverage.rows.size} members and words, ${gaps.length} never occur`);
  process.exitCode = gaps.length === 0 ? 0 : 1;
}
