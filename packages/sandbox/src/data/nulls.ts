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
import { isObject, type PlainRecord, type Shape } from "@game-data/schemas/PlainRecord";
import type { NullsMode } from "../Config.ts";
import { hash32 } from "../world/Prng.ts";

/** Fills the members of a response's value. */
export type FillNulls = (endpoint: string, status: number, value: unknown) => unknown;

/** Whether a member that is absent is filled. `entity` names the record that lacks it. */
type Choose = (entity: string, member: string) => boolean;

/** Returns a copy with members filled. `entity` is the nearest name, for the choice. */
type Fill = (value: unknown, entity: string) => unknown;

/**
 * Members that the checks let be absent, but that §2 does not mark with `?`: records of the other
 * game lack them, or an unlisted stash omits them (§4.2, rule 3). Null would be wrong there.
 */
const REQUIRED: Readonly<Record<string, ReadonlySet<string>>> = {
  Character: new Set(["realm"]),
  Passives: new Set([
    "hashes_ex",
    "jewel_data",
    "mastery_effects",
    "skill_overrides",
    "specialisations",
  ]),
  PassiveNode: new Set(["in", "out"]),
  UnlistedStash: new Set(["items", "stashType"]),
};

/** One absent member in so many is null in the mode `mixed`. */
const SHARE = 8;

/** Makes the function for a mode. */
export const makeFillNulls = (mode: Exclude<NullsMode, "absent">): FillNulls => {
  const choose: Choose =
    mode === "null" ? () => true : (entity, member) => hash32(`${entity}/${member}`) % SHARE === 0;
  const fillers = new Filler(choose);
  return (endpoint, status, value) => {
    const { results } = (routes as Readonly<Record<string, Operation>>)[endpoint]!;
    const record = bodies[(results[status] ?? "") as keyof typeof bodies] as AnyRecord | undefined;
    return record === undefined ? value : fillers.ofRecord(record)(value, endpoint);
  };
};

type AnyRecord = Pick<PlainRecord<unknown>, "name" | "shape" | "is">;

const KEEP: Fill = (value) => value;

/** Makes the functions of shapes, once for each record. */
class Filler {
  readonly #records = new Map<AnyRecord, Fill>();
  readonly #choose: Choose;

  constructor(choose: Choose) {
    this.#choose = choose;
  }

  /** The function of a record. A record may contain itself. */
  ofRecord(record: AnyRecord): Fill {
    const known = this.#records.get(record);
    if (known !== undefined) return known;
    let fill: Fill = KEEP;
    this.#records.set(record, (value, entity) => fill(value, entity));
    fill = this.#of(record.shape, REQUIRED[record.name]);
    this.#records.set(record, fill);
    return fill;
  }

  #of(shape: Shape, required?: ReadonlySet<string>): Fill {
    if (typeof shape === "string") return KEEP;
    if (typeof shape === "function") {
      let fill: Fill | undefined;
      return (value, entity) => (fill ??= this.ofRecord(shape() as AnyRecord))(value, entity);
    }
    if (!isTagged(shape)) return this.#ofMembers(shape as Members, required);
    switch (shape[0]) {
      case "[":
      case "{":
        return this.#ofElements(shape[1] as Shape);
      case "@":
        return this.ofRecord(shape[1] as AnyRecord);
      case "|":
        return this.#ofAlternatives(shape.slice(1) as ReadonlyArray<Shape>);
      default:
        // Tuples and literals hold no optional members.
        return KEEP;
    }
  }

  #ofElements(element: Shape): Fill {
    const fill = this.#of(element);
    if (fill === KEEP) return KEEP;
    return (value, entity) => {
      if (Array.isArray(value)) return value.map((one, index) => fill(one, `${entity}/${index}`));
      if (!isObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, fill(one, `${entity}/${key}`)]),
      );
    };
  }

  #ofAlternatives(shapes: ReadonlyArray<Shape>): Fill {
    const cases = shapes.map((shape) => ({ shape, fill: this.#of(shape) }));
    const filling = cases.filter(({ fill }) => fill !== KEEP);
    if (filling.length === 0) return KEEP;
    return (value, entity) => {
      if (typeof value !== "object" || value === null) return value;
      const found = filling.find(({ shape }) => fits(shape, value));
      return found === undefined ? value : found.fill(value, entity);
    };
  }

  #ofMembers(members: Members, required: ReadonlySet<string> | undefined): Fill {
    const choose = this.#choose;
    const known = Object.entries(members).map(([name, shape]) => {
      const member = name.replace(/\?$/u, "");
      const mayBeNull = name.endsWith("?") && isNullable(shape) && required?.has(member) !== true;
      return { member, mayBeNull, fill: this.#of(shape) };
    });
    return (value, entity) => {
      if (!isObject(value)) return value;
      const { id } = value;
      const name = typeof id === "string" ? id : entity;
      const filled: Record<string, unknown> = { ...value };
      for (const { fill, mayBeNull, member } of known) {
        if (Object.hasOwn(value, member)) {
          if (fill !== KEEP) filled[member] = fill(value[member], `${name}/${member}`);
        } else if (mayBeNull && choose(name, member)) filled[member] = null;
      }
      return filled;
    };
  }
}

type Members = Readonly<Record<string, Shape>>;
type Tagged = readonly [string, ...ReadonlyArray<unknown>];

const isTagged = (shape: Shape): shape is Shape & Tagged => Array.isArray(shape);

/** Letters of a shape are types: `n` is null. */
const isNullable = (shape: Shape): boolean =>
  typeof shape === "string"
    ? shape.includes("n")
    : isTagged(shape) && shape[0] === "|" && (shape.slice(1) as Array<Shape>).some(isNullable);

/** Whether an alternative is that of a value, as far as the alternatives of the records differ. */
const fits = (shape: Shape, value: object): boolean => {
  if (!isTagged(shape)) return !Array.isArray(value);
  if (shape[0] === "@") return (shape[1] as AnyRecord).is(value);
  return (shape[0] === "[") === Array.isArray(value);
};
