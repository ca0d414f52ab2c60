/**
 * Collects the deviations of a value from the specification. The walk of `explain.ts` finds the
 * places for which the value is refused, and its observer finds the accepted deviations.
 */
import {
  type DeploymentWords,
  type Deviation,
  documentedName,
  type Finding,
  type Kind,
  leafFinding,
  wordFinding,
} from "./deviation.ts";
import {
  ABSENT,
  type Context,
  enter,
  type Fault,
  findFaults,
  fits,
  inMember,
  type Observer,
  toLimit,
  TOO_DEEP,
  typeName,
} from "./explain.ts";
import { jsonType, type Path, toPointer } from "./json.ts";
import { makeCheck } from "./makeCheck.ts";
import type { Game, Member, Shape } from "./PlainRecord.ts";

/** The deviations of a value, up to the limit. */
export interface Report {
  readonly deviations: ReadonlyArray<Deviation>;
  /** Whether the search ended early, so that there may be more deviations. */
  readonly hasMore: boolean;
}

/** Selects the deviations that `report` lists. */
export interface Options {
  /**
   * Whether to report `null` and `false` if absence means the same, and the members of unlisted
   * changes that streaming rule 3 omits. Default: false.
   */
  readonly explicit?: boolean | undefined;
  /** The largest number of deviations to list. Default: 1000. */
  readonly limit?: number | undefined;
  /** A deployment's words for realms and `livestream`. These words are not deviations. */
  readonly words?: DeploymentWords | undefined;
}

type Structure = Readonly<Record<string, unknown>>;
type Members = ReadonlyMap<string, Member>;

/** The path to a member that breaks a rule between members, and the rule in words. */
export type RuleViolation = Omit<Finding, "kind"> & { readonly path: ReadonlyArray<string> };

/** Rules between the members of a record, by the record's name. A rule returns its violations. */
export type Rules = Readonly<Record<string, (record: Structure) => ReadonlyArray<RuleViolation>>>;

const DEFAULT_LIMIT = 1000;

/** Whether a value passes the check of a shape. `false` if a getter or a proxy throws. */
const accepts = (shape: Shape, value: unknown): boolean => {
  try {
    return makeCheck(shape, () => false)(value, 0);
  } catch {
    return false; // A getter or a proxy has thrown.
  }
};

/** Returns the deviations for which a value is refused, or none if the check accepts the value. */
export const findTypeErrors = (
  shape: Shape,
  value: unknown,
  limit: number = DEFAULT_LIMIT,
): Report => {
  if (accepts(shape, value)) return { deviations: [], hasMore: false };
  const { faults, hasMore } = findFaults(shape, value, toLimit(limit));
  return { deviations: faults.map(toDeviation), hasMore };
};

const toDeviation = ({ issue: { actual, expected, pointer }, member }: Fault): Deviation => ({
  kind: actual === ABSENT ? "missing" : actual === TOO_DEEP ? "too-deep" : "other-type",
  pointer,
  member: specifiedName(member),
  expected,
  actual,
  accepted: false,
});

/** Returns the specification's name, which is the same for listed and unlisted stashes. */
const specifiedName = (member: string): string =>
  member.replace(/^(?:Listed|Unlisted)Stash(?!\w)/u, "PublicStashChange");

/** Returns the deviations of a value. Deviations for which the value is refused are first. */
export const findDeviations = (
  shape: Shape,
  value: unknown,
  options: Options,
  rules: Rules = {},
): Report => {
  const { explicit = false, words = {} } = options;
  const limit = toLimit(options.limit ?? DEFAULT_LIMIT);
  const observation = new Observation({ explicit, limit, rules, words });
  const { faults, hasMore } = findFaults(shape, value, limit, observation.observe);
  const refused =
    faults.length > 0 ? faults.map(toDeviation) : findTypeErrors(shape, value).deviations;
  const deviations = [...refused, ...observation.deviations];
  return {
    deviations: deviations.slice(0, limit),
    hasMore: hasMore || observation.isFull || deviations.length > limit,
  };
};

/** Collects the accepted deviations while a walk visits the value. */
class Observation {
  readonly deviations: Array<Deviation> = [];
  /** Whether a deviation was found beyond the limit. */
  isFull = false;
  readonly options: { readonly [Name in keyof Options]-?: NonNullable<Options[Name]> } & {
    readonly rules: Rules;
  };

  constructor(options: Observation["options"]) {
    this.options = options;
  }

  readonly observe: Observer = (shape, value, context) => {
    try {
      this.observeValue(shape, value, context);
    } catch {
      // A getter or a proxy has thrown. The walk reports the member if the record names it.
    }
    const { livestream } = this.options.words;
    if (shape.kind !== "structure" || livestream === undefined) return;
    // The walk does not know the deployment's name of `livestream`, so the member is visited here.
    const { members } = shape;
    const member = members.get("livestream");
    if (member === undefined || members.has(livestream) || (value[livestream] ?? null) === null)
      return;
    enter(member.shape, value, livestream, inMember(context, livestream));
  };

  /** Adds a deviation at `path`. `names` are the members in `path`, without indices and keys. */
  add({ member, walk }: Context, finding: Finding | undefined, path: Path = [], names = path) {
    if (finding === undefined) return;
    if (this.deviations.length >= this.options.limit) {
      this.isFull = true;
      walk.observe = undefined;
      return;
    }
    const { actual, expected, kind } = finding;
    const pointer = toPointer([...walk.path, ...path]);
    const place = { pointer, member: specifiedName([member, ...names].join(".")) };
    this.deviations.push({ kind, ...place, expected, actual, accepted: true });
  }

  observeValue(shape: Shape, value: any, context: Context): void {
    switch (shape.kind) {
      case "leaf":
        return this.add(context, leafFinding(shape.leaf, value));
      case "words":
        return this.add(context, wordFinding(shape.words, value, this.options.words));
      case "either":
        if (!fits(shape.of[0], value)) this.add(context, otherType(shape, value));
        return;
      case "pair":
        for (const [index, element] of value.entries())
          if (index >= shape.of.length)
            this.add(context, finding("unknown-key", "no element", jsonType(element)), [index], []);
        return;
      case "dictionary":
        if (Array.isArray(value)) this.add(context, otherType(shape, value));
        else if (shape.keys !== undefined) this.lookAtKeys(shape.keys, value, context);
        return;
      case "structure":
        this.lookAtStructure(shape.members, value, context);
        if (shape === context.record?.shape) this.lookAtRecord(context.record.name, value, context);
    }
  }

  lookAtKeys(documented: ReadonlyArray<string>, value: Structure, context: Context): void {
    const other = finding("unknown-word", `one of ${documented.length} keys`, "another key");
    for (const key of Object.keys(value))
      if (!documented.includes(key)) this.add(context, other, [key], []);
  }

  lookAtStructure(members: Members, value: Structure, context: Context): void {
    const { explicit, words } = this.options;
    for (const [name, member] of members)
      if (member.omitted !== undefined && (value[name] ?? null) === null) {
        if (isRequired(member.omitted, members, value))
          this.add(context, finding("missing", typeName(member.shape), "absent"), [name]);
      } else if (explicit) this.add(context, explicitFinding(member, value[name]), [name]);
    for (const name of Object.keys(value)) {
      const isRenamed = name === words.livestream && members.has("livestream");
      if (!members.has(name) && !isRenamed)
        this.add(context, finding("unknown-key", "absent", jsonType(value[name])), [name]);
    }
  }

  lookAtRecord(name: string, value: Structure, context: Context): void {
    for (const { path, ...finding } of this.options.rules[name]?.(value) ?? [])
      this.add(context, { kind: "rule-broken", ...finding }, path);
    if (name !== "UnlistedStash" || !this.options.explicit) return;
    // Streaming rule 3 omits all members but `id` and `public` of an unlisted change (§4.2).
    for (const member of ["accountName", "stash", "stashType", "league", "items"]) {
      const actual = jsonType(value[member] ?? null);
      const kept = finding("not-omitted", "absence in an unlisted change", actual);
      if (actual !== "null") this.add(context, kept, [member]);
    }
  }
}

const finding = (kind: Kind, expected: string, actual: string): Finding => ({
  kind,
  expected,
  actual,
});

const otherType = (shape: Shape, value: unknown): Finding =>
  finding("other-type", documentedName(shape), jsonType(value));

/** Returns the deviation of a null or false that means the same as absence. */
const explicitFinding = (member: Member, value: unknown): Finding | undefined => {
  const { canBeAbsent, canBeNull, shape } = member;
  if (!canBeAbsent) return undefined;
  if (value === null && canBeNull) return finding("explicit-null", "absence", "null");
  return value === false && shape.kind === "leaf" && shape.leaf === "bool"
    ? finding("explicit-false", "absence", "false")
    : undefined;
};

/** Whether a member is required. A record with a member of game 2 needs no members of game 1. */
const isRequired = (game: Game, members: Members, value: Structure): boolean =>
  game === "both games" ||
  (game === "game 1" &&
    ![...members].some(
      ([name, { omitted }]) => omitted === "game 2" && (value[name] ?? null) !== null,
    ));
