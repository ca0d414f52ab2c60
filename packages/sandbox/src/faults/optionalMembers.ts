/**
 * Members for the faults `nulls` and `members` (§6), from the shapes of the records: those that are
 * optional in every record that has them, and those that hold a dictionary.
 */
import * as records from "@game-data/schemas";

const optional = new Set<string>();
const required = new Set<string>();
const dictionaries = new Set<string>();

/** Notes the members of the structures in a shape; records inside it are visited by themselves. */
const note = (shape: records.Shape): void => {
  if (typeof shape === "string" || typeof shape === "function") return;
  if (Array.isArray(shape)) {
    const [tag, ...parts] = shape as readonly [string, ...Array<records.Shape>];
    if (["[", "{", "(", "|"].includes(tag))
      for (const part of parts) if (typeof part === "object") note(part);
    return;
  }
  for (const [key, member] of Object.entries(shape as Readonly<Record<string, records.Shape>>)) {
    const name = key.replace(/\?$/u, "");
    (key === name ? required : optional).add(name);
    if (hasDictionary(member)) dictionaries.add(name);
    note(member);
  }
};

const hasDictionary = (shape: records.Shape): boolean =>
  Array.isArray(shape) &&
  (shape[0] === "{" ||
    (shape[0] === "|" && (shape as ReadonlyArray<records.Shape>).slice(1).some(hasDictionary)));

for (const record of Object.values(records) as ReadonlyArray<Partial<records.PlainRecord<unknown>>>)
  if (record.shape !== undefined) note(record.shape);

/** The members, in the order of their names. */
export const OPTIONAL_MEMBERS: ReadonlyArray<string> = [...optional]
  .filter((name) => !required.has(name))
  .toSorted();

/** Members whose value is a dictionary in some record that has them: its keys are data. */
export const DICTIONARY_MEMBERS: ReadonlySet<string> = dictionaries;
