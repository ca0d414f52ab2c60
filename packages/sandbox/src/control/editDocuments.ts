/**
 * The documents of edits, from the shapes of the records: every member of a record may be given,
 * none has to be, and an unknown one is refused.
 */
import { Character } from "@game-data/schemas/Character";
import { Item } from "@game-data/schemas/Item";
import { League } from "@game-data/schemas/League";
import type { Shape } from "@game-data/schemas/PlainRecord";
import { StashTab } from "@game-data/schemas/StashTab";
import {
  anyOf,
  type Document,
  type JsonSchema,
  nothing,
  optional,
  text,
  titled,
} from "../internal/document.ts";
import { LAST_LEVEL } from "../world/Characters.ts";
import type { ItemPlace } from "../world/Edits.ts";

type Members = Readonly<Record<string, unknown>>;

/** Letters of a shape: their types. */
const LETTERS: Readonly<Record<string, JsonSchema>> = {
  s: { type: "string" },
  n: { type: "null" },
  b: { type: "boolean" },
  i: { type: "integer" },
  u: { type: "integer", minimum: 0 },
  f: { type: "number" },
  a: {},
};

/** What the clock is compared with: when a league begins and ends. */
const INSTANT: JsonSchema = {
  anyOf: [
    { type: "null" },
    {
      type: "string",
      format: "date-time",
      pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{3})?Z$",
      description: "an instant such as 2026-03-01T12:00:00Z",
    },
  ],
};

const anyOfSchemas = (options: ReadonlyArray<JsonSchema>): JsonSchema =>
  options.length === 1 ? options[0]! : { anyOf: options };

/** The schema of a shape; a record inside itself is any object. */
const schemaOf = (shape: Shape, seen: ReadonlySet<unknown> = new Set()): JsonSchema => {
  if (typeof shape === "string") return anyOfSchemas([...shape].map((one) => LETTERS[one]!));
  if (typeof shape === "function") return { type: "object" };
  if (Array.isArray(shape)) {
    const [kind, ...rest] = shape as readonly [string, ...ReadonlyArray<unknown>];
    const inner = (one: unknown) => schemaOf(one as Shape, seen);
    switch (kind) {
      case "[":
        return { type: "array", items: inner(rest[0]) };
      case "{":
        return { type: "object", additionalProperties: inner(rest[0]) };
      case "(":
        return { type: "array" };
      case "=":
        return rest.every((value) => typeof value === "string")
          ? { type: "string", enum: rest }
          : anyOfSchemas(rest.map((value) => ({ const: value as string })));
      case "@": {
        const record = rest[0] as { readonly shape: Shape };
        return seen.has(record)
          ? { type: "object" }
          : schemaOf(record.shape, new Set([...seen, record]));
      }
      default:
        return anyOfSchemas(rest.map(inner));
    }
  }
  return membersOf(shape as Readonly<Record<string, Shape>>, seen);
};

const membersOf = (shape: Readonly<Record<string, Shape>>, seen: ReadonlySet<unknown>) => {
  const members = Object.entries(shape).map(
    ([name, member]) =>
      [name.replace(/\?$/u, ""), /At\??$/u.test(name) ? INSTANT : schemaOf(member, seen)] as const,
  );
  return {
    type: "object",
    properties: Object.fromEntries(members),
    required: Object.keys(shape).filter((name) => !name.endsWith("?")),
    additionalProperties: false,
  } as const;
};

/** Bounds of members that their shapes do not know. */
const BOUNDS: Readonly<Record<string, JsonSchema>> = {
  frameType: { type: "integer", minimum: 0, maximum: 11 },
  level: { type: "integer", minimum: 1, maximum: LAST_LEVEL },
};

/** Any members of a record but those that the address of the edit names. */
const partOf = (
  { name, shape }: { readonly name: string; readonly shape: Shape },
  fixed: ReadonlyArray<string>,
): Document<Members> => {
  const { properties } = membersOf(shape as Readonly<Record<string, Shape>>, new Set());
  return {
    isOptional: false,
    schema: {
      title: `${name}Members`,
      type: "object",
      properties: Object.fromEntries(
        Object.entries(properties)
          .filter(([member]) => !fixed.includes(member))
          .map(([member, schema]) => [member, BOUNDS[member] ?? schema]),
      ),
      additionalProperties: false,
    },
  };
};

const nullable = optional(anyOf(text(), nothing));

export const AccountMembers = titled("AccountMembers", { locale: nullable, livestream: nullable });
export const CharacterMembers = partOf(Character, ["id", "name", "realm"]);
/** Members of a tab; its items are edited one by one. */
export const StashMembers = partOf(StashTab, ["id", "parent", "folder", "items", "children"]);
export const LeagueMembers = partOf(League, ["id", "realm"]);
export const ItemMembers = partOf(Item, ["id"]);

/** Body of `PUT /control/items/{id}`: where the item lies, and what it is. */
export const ItemPut: Document<ItemPlace & { readonly item?: Members }> = titled("ItemEdit", {
  account: text({ description: "Name or uuid" }),
  realm: optional(text()),
  character: optional(text()),
  league: optional(text()),
  stash: optional(text({ description: "Id of the tab" })),
  item: optional(ItemMembers),
}) as never;
