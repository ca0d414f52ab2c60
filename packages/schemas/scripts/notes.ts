/** The comments of tables by place, which become descriptions in documents. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const RECORDS = join(import.meta.dirname, "../src/records");

/** A member of a table, or the type that follows the table, with the comment before it. */
const DECLARATION =
  /^( *)(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n *)?(?:export (?:interface|type) (\w+)|(\w+):)/gmu;

/**
 * Returns the comments of all records, such as those of `Item` and `Item.hybrid.isVaalGem`, and of
 * the records in other files.
 */
export const readNotes = (...files: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const records = readdirSync(RECORDS).map((file) => join(RECORDS, file));
  return new Map([...records, ...files].flatMap(notesIn));
};

const notesIn = (file: string): ReadonlyArray<readonly [place: string, note: string]> => {
  let members: Array<readonly [path: string, note: string]> = [];
  const parents: Array<readonly [indent: number, name: string]> = [];
  return [...readFileSync(file, "utf8").matchAll(DECLARATION)].flatMap(
    ([, { length: indent } = "", comment, type, member = ""]) => {
      while ((parents.at(-1)?.[0] ?? -1) >= indent) parents.pop();
      const note = comment
        ?.replaceAll(/\s*\n\s*\*/gu, " ")
        .replaceAll(/\s+/gu, " ")
        .trim();
      if (type === undefined) {
        parents.push([indent, member]);
        if (note !== undefined) members.push([parents.map(([, name]) => name).join("."), note]);
        return [];
      }
      const notes = members.map(([path, text]) => [`${type}.${path}`, text] as const);
      members = [];
      return note === undefined ? notes : [...notes, [type, note] as const];
    },
  );
};
