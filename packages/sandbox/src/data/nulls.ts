/**
 * Fills optional members that a record leaves out with null (`nulls`). §1 allows both: a type that
 * starts with `?` may be null or absent.
 *
 * The members come from the shapes of the contract's records, so a record that gains a member needs
 * no change here. Answers are copied: the world keeps its records. Loaded only where it is asked
 * for.
 */
import { bodies } from "@game-data/contract/results";
import { type Route as Operation, routes } from "@game-data/contract/routes";
import type { Shape } from "@game-data/schemas/PlainRecord";
import type { NullsMode } from "../Config.ts";
import { mapRecord, type Shaped, type ShapeVisitor } from "../internal/mapShape.ts";
import { hash32 } from "../world/Prng.ts";
import { wordsOf } from "../internal/wordsOf.ts";

/** Fills the members of a response's value. */
export type FillNulls = (endpoint: string, status: number, value: unknown) => unknown;

/** Whether a member that is absent is filled. `entity` names the record that lacks it. */
type Choose = (entity: string, member: string) => boolean;

/**
 * Members that the checks let be absent, but that §2 does not mark with `?`: records of the other
 * game lack them, or an unlisted stash omits them (§4.2, rule 3). Null would be wrong there.
 */
const REQUIRED: Readonly<Record<string, ReadonlySet<string>>> = {
  Character: new Set(["realm"]),
  Passives: new Set(
    wordsOf("hashes_ex jewel_data mastery_effects skill_overrides specialisations"),
  ),
  PassiveNode: new Set(["in", "out"]),
  UnlistedStash: new Set(["items", "stashType"]),
};

/** One absent member in so many is null in the mode `mixed`. */
const SHARE = 8;

/** A place: the nearest name above it, and the record whose own members are here. */
interface Place {
  readonly entity: string;
  readonly record?: string;
}

export const makeFillNulls = (mode: Exclude<NullsMode, "absent">): FillNulls => {
  const choose: Choose =
    mode === "null" ? () => true : (entity, member) => hash32(`${entity}/${member}`) % SHARE === 0;
  const visitor = fillerOf(choose);
  return (endpoint, status, value) => {
    const { results } = (routes as Readonly<Record<string, Operation>>)[endpoint]!;
    const record = bodies[(results[status] ?? "") as keyof typeof bodies] as Shaped | undefined;
    return record === undefined ? value : mapRecord(record, value, visitor, { entity: endpoint });
  };
};

const fillerOf = (choose: Choose): ShapeVisitor<Place> => ({
  leaf: (value) => value,
  misfit: (value) => value,
  record: ({ name }, { entity }) => ({ entity, record: name }),
  member: (name, place, owner) => ({ entity: `${nameOf(owner, place)}/${name}` }),
  element: (key, { entity }) => ({ entity: `${entity}/${key}` }),
  structure: (copy, members, place) => {
    const required = REQUIRED[place.record ?? ""];
    const entity = nameOf(copy, place);
    for (const [name, shape] of Object.entries(members)) {
      const member = name.replace(/\?$/u, "");
      if (member === name || !isNullable(shape) || required?.has(member) === true) continue;
      if (!Object.hasOwn(copy, member) && choose(entity, member)) copy[member] = null;
    }
  },
});

const nameOf = ({ id }: Readonly<Record<string, unknown>>, { entity }: Place): string =>
  typeof id === "string" ? id : entity;

/** Letters of a shape are types: `n` is null. */
const isNullable = (shape: Shape): boolean =>
  typeof shape === "string"
    ? shape.includes("n")
    : Array.isArray(shape) && shape[0] === "|" && (shape.slice(1) as Array<Shape>).some(isNullable);
