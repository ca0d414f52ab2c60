/** Faults that change the text of a body, as pure functions: the transport is left in order. */
import { recordKinds } from "@game-data/schemas/Check";
import type { Shape } from "@game-data/schemas/PlainRecord";
import { parseJson } from "../internal/encoding.ts";
import type { FaultOf } from "./Fault.ts";

/** Damages a document at its end (`tail`) or its beginning (`head`); the rest is unchanged. */
export const malformed = (body: string, { at = "tail" }: FaultOf<"malformedJson">): string =>
  at === "head" ? `${DAMAGE}${body}` : `${body.slice(0, -1)}${DAMAGE}`;

const DAMAGE = '\u0000,"';

/** Change ids of the request and of those before it, for `changeId` faults. */
interface ChangeIdContext {
  readonly requested: string | undefined;
  /** Ids that were requested before this one, oldest first. */
  readonly earlier: ReadonlyArray<string>;
}

/** Replaces the `next_change_id` of a page; a body that is no page stays as it is. */
export const withChangeId = (
  body: string,
  fault: FaultOf<"changeId">,
  context: ChangeIdContext,
): string =>
  editPage(body, (page) => {
    const id = changeIdFor(fault, context);
    if (id === undefined) return page;
    if (fault.mode === "end") return { ...emptied(page), next_change_id: idLike(page, id) };
    return { ...page, next_change_id: idLike(page, id) };
  });

/** The exchange's ids are numbers, those of the stash stream are text. */
const idLike = (page: Readonly<Record<string, unknown>>, id: string): number | string =>
  typeof page["next_change_id"] === "number" ? Number(id) : id;

const emptied = (page: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(page).map(([name, value]) => [name, Array.isArray(value) ? [] : value]),
  );

const changeIdFor = (
  { id, mode }: FaultOf<"changeId">,
  { earlier, requested }: ChangeIdContext,
): string | undefined => {
  if (mode === "set") return id;
  if (mode === "same" || mode === "end") return requested;
  return earlier.findLast((before) => before !== requested);
};

export const withDuplicates = (body: string): string =>
  editPage(body, (page) =>
    Object.fromEntries(
      Object.entries(page).map(([key, value]) => [
        key,
        Array.isArray(value) ? value.flatMap((entry: unknown) => [entry, entry]) : value,
      ]),
    ),
  );

/**
 * Adds members to every record of a JSON body, not to dictionaries, and replaces the values of
 * named members.
 */
export const withMembers = (body: string, { add = {}, words = {} }: FaultOf<"members">): string => {
  const value = parseJson(body);
  if (value === undefined) return body;
  const edit = (node: unknown, isDictionary: boolean): unknown => {
    if (Array.isArray(node)) return node.map((item) => edit(item, false));
    if (typeof node !== "object" || node === null) return node;
    const members = Object.entries(node).map(([name, member]) =>
      Object.hasOwn(words, name) && typeof member === "string"
        ? [name, words[name]]
        : [name, edit(member, !isDictionary && DICTIONARY_MEMBERS.has(name))],
    );
    const record = Object.fromEntries(members) as object;
    return isDictionary ? record : { ...record, ...add };
  };
  return JSON.stringify(edit(value, false));
};

/**
 * Sets the optional members that a body has to null, in every record. The member that holds the
 * result stays.
 */
export const withNulls = (body: string, { members }: FaultOf<"nulls">): string => {
  const value = parseJson(body);
  if (typeof value !== "object" || value === null || "error" in value) return body;
  const names = new Set(members ?? OPTIONAL_MEMBERS);
  const edit = (node: unknown, isResult: boolean): unknown => {
    if (Array.isArray(node)) return node.map((item) => edit(item, false));
    if (typeof node !== "object" || node === null) return node;
    const known = Object.entries(node).map(([name, member]) =>
      names.has(name) && !(isResult && typeof member === "object")
        ? [name, null]
        : [name, edit(member, false)],
    );
    return Object.fromEntries(known);
  };
  return JSON.stringify(edit(value, true));
};

/** Applies a JSON merge patch (RFC 7396) to a body. An error stays as it is. */
export const withMerged = (body: string, { patch }: FaultOf<"merge">): string => {
  const value = parseJson(body);
  const isResult = isRecord(value) && !("error" in value);
  return isResult ? JSON.stringify(merged(value, patch)) : body;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const merged = (target: unknown, patch: unknown): unknown => {
  if (!isRecord(patch)) return patch;
  const result = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, merged(result.get(name), value));
  }
  return Object.fromEntries(result);
};

/** Makes the result of a body null: `{character: …}` is `{character: null}`. A body that is a record itself has none. */
export const withNullResult = (body: string): string => {
  const value = parseJson(body);
  if (typeof value !== "object" || value === null || "error" in value) return body;
  const [[name, result] = ["", undefined], ...more] = Object.entries(value);
  const hasResult = more.length === 0 && typeof result === "object" && !Array.isArray(result);
  return hasResult ? JSON.stringify({ [name]: null }) : body;
};

const editPage = (
  body: string,
  edit: (page: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): string => {
  const page = parseJson(body);
  return typeof page === "object" && page !== null && "next_change_id" in page
    ? JSON.stringify(edit(page as Readonly<Record<string, unknown>>))
    : body;
};

const optional = new Set<string>();
const required = new Set<string>();
const dictionaries = new Set<string>();

/** Collects the members of the structures in a shape. Records inside it are visited by themselves. */
const collect = (shape: Shape): void => {
  if (shape.kind === "list" || shape.kind === "dictionary") return collect(shape.of);
  if (shape.kind === "either" || shape.kind === "pair") return shape.of.forEach(collect);
  if (shape.kind !== "structure") return;
  for (const [name, member] of shape.members) {
    (member.canBeAbsent ? optional : required).add(name);
    if (hasDictionary(member.shape)) dictionaries.add(name);
    collect(member.shape);
  }
};

const hasDictionary = (shape: Shape): boolean =>
  shape.kind === "dictionary" || (shape.kind === "either" && shape.of.some(hasDictionary));

for (const { shape } of recordKinds.values()) collect(shape);

/** Members that are optional in every record that has them (§6), in the order of their names. */
const OPTIONAL_MEMBERS: ReadonlyArray<string> = [...optional]
  .filter((name) => !required.has(name))
  .toSorted();

/** Members whose value is a dictionary in some record that has them: its keys are data. */
const DICTIONARY_MEMBERS: ReadonlySet<string> = dictionaries;
