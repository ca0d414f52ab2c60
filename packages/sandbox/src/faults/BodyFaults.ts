/**
 * Faults that change the body of a response. Status, headers and connection stay as they are. Pure
 * functions.
 */
import { recordKinds } from "@game-data/schemas/Check";
import type { Shape } from "@game-data/schemas/PlainRecord";
import type { Fault, FaultOf } from "./Fault.ts";
import type { Fired } from "./FaultRules.ts";

type JsonRecord = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Damages a document at its end (`tail`) or its beginning (`head`); the rest is unchanged. */
export const malformed = (body: string, { at = "tail" }: FaultOf<"malformedJson">): string =>
  at === "head" ? `${DAMAGE}${body}` : `${body.slice(0, -1)}${DAMAGE}`;

const DAMAGE = '\u0000,"';

/** Applies a fault to the JSON value of a body. Returns the value itself if the fault has no effect. */
export const editBody = (value: unknown, fault: Fault, fired: Fired): unknown => {
  if (!isRecord(value)) return value;
  const isPage = "next_change_id" in value;
  const isError = "error" in value;
  switch (fault.kind) {
    case "changeId":
      return isPage ? withChangeId(value, fault, fired) : value;
    case "duplicateChanges":
      return isPage ? withLists(value, (list) => list.flatMap((entry) => [entry, entry])) : value;
    case "nullResult":
      return isError ? value : withNullResult(value);
    case "merge":
      return isError ? value : merged(value, fault.patch);
    case "members":
      return withMembers(value, fault);
    case "nulls":
      return isError ? value : withNulls(value, new Set(fault.members ?? OPTIONAL_MEMBERS));
    default:
      return value;
  }
};

const withLists = (page: JsonRecord, map: (list: Array<unknown>) => Array<unknown>) =>
  mapMembers(page, (_, value) => (Array.isArray(value) ? map(value) : value));

const withChangeId = (page: JsonRecord, { id: set, mode }: FaultOf<"changeId">, fired: Fired) => {
  const { earlierIds, requestedId } = fired;
  const ids = {
    set,
    same: requestedId,
    end: requestedId,
    backwards: earlierIds.findLast((before) => before !== requestedId),
  };
  const id = ids[mode];
  if (id === undefined) return page;
  // Ids of the exchange are numbers, and ids of the stash stream are strings.
  const next = typeof page["next_change_id"] === "number" ? Number(id) : id;
  return { ...(mode === "end" ? withLists(page, () => []) : page), next_change_id: next };
};

/** Turns `{character: …}` into `{character: null}`. Returns any body of another form unchanged. */
const withNullResult = (body: JsonRecord): JsonRecord => {
  const [[name, result] = ["", undefined], ...more] = Object.entries(body);
  return more.length === 0 && isRecord(result) ? { [name]: null } : body;
};

/** Applies a JSON merge patch (RFC 7396). */
const merged = (target: unknown, patch: unknown): unknown => {
  if (!isRecord(patch)) return patch;
  const result = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, merged(result.get(name), value));
  }
  return Object.fromEntries(result);
};

/**
 * Edits every record in a value, inner records first. Does not edit dictionaries, because their
 * keys are data.
 */
const editRecords = (
  node: unknown,
  edit: (record: JsonRecord, isRoot: boolean) => JsonRecord,
  place: "root" | "inner" | "dictionary" = "root",
): unknown => {
  if (Array.isArray(node)) return node.map((item) => editRecords(item, edit, "inner"));
  if (!isRecord(node)) return node;
  const record = Object.fromEntries(
    Object.entries(node).map(([name, member]) => {
      const isDictionary = place !== "dictionary" && DICTIONARY_MEMBERS.has(name);
      return [name, editRecords(member, edit, isDictionary ? "dictionary" : "inner")];
    }),
  );
  return place === "dictionary" ? record : edit(record, place === "root");
};

const mapMembers = (record: JsonRecord, map: (name: string, value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]));

const withMembers = (body: JsonRecord, { add = {}, words = {} }: FaultOf<"members">) =>
  editRecords(body, (record) => ({
    ...mapMembers(record, (name, value) =>
      typeof value === "string" && Object.hasOwn(words, name) ? words[name] : value,
    ),
    ...add,
  }));

/** Sets members to null, but not the member that holds the result. */
const withNulls = (body: JsonRecord, names: ReadonlySet<string>) =>
  editRecords(body, (record, isRoot) =>
    mapMembers(record, (name, value) => {
      const isResult = isRoot && typeof value === "object";
      return names.has(name) && !isResult ? null : value;
    }),
  );

const optional = new Set<string>();
const required = new Set<string>();
/** Names of members that hold a dictionary in at least one kind of record. */
const DICTIONARY_MEMBERS = new Set<string>();

/** Collects the members of a shape. Records within it are collected separately. */
const collect = (shape: Shape): void => {
  if (shape.kind === "list" || shape.kind === "dictionary") return collect(shape.of);
  if (shape.kind === "either" || shape.kind === "pair") return shape.of.forEach(collect);
  if (shape.kind !== "structure") return;
  for (const [name, member] of shape.members) {
    (member.canBeAbsent ? optional : required).add(name);
    if (hasDictionary(member.shape)) DICTIONARY_MEMBERS.add(name);
    collect(member.shape);
  }
};

const hasDictionary = (shape: Shape): boolean =>
  shape.kind === "dictionary" || (shape.kind === "either" && shape.of.some(hasDictionary));

for (const { shape } of recordKinds.values()) collect(shape);

/** Members that are optional in every record that has them (§6). */
const OPTIONAL_MEMBERS: ReadonlyArray<string> = [...optional].filter((name) => !required.has(name));
