/** Writes `docs/item.md`: every key of an item with its type and its notes. */
import { writeFileSync } from "node:fs";
import type { Member, Shape } from "../src/PlainRecord.ts";
import { Item } from "../src/records/Item.ts";
import { readNotes } from "./notes.ts";

const notes = readNotes();

type Members = ReadonlyMap<string, Member>;

/** Returns the members of a structure that is not a record, or of a list of such structures. */
const membersIn = (shape: Shape): readonly [members: Members, suffix: string] | undefined => {
  if (shape.kind === "structure") return [shape.members, "."];
  const inner = shape.kind === "list" ? membersIn(shape.of) : undefined;
  return inner && [inner[0], `[]${inner[1]}`];
};

const typeName = (shape: Shape): string => {
  switch (shape.kind) {
    case "leaf":
      return shape.leaf;
    case "words":
      return shape.words.map((word) => JSON.stringify(word)).join(", ");
    case "record":
      return shape.record.name;
    case "this":
      return Item.name;
    case "list":
      return `list of ${typeName(shape.of)}`;
    case "dictionary":
      return `dictionary of ${typeName(shape.of)}`;
    case "either":
      return shape.of.map(typeName).join(" or ");
    default:
      return "object";
  }
};

const toRows = (members: Members, prefix: string, place: string): Array<ReadonlyArray<string>> =>
  [...members].flatMap(([name, { canBeAbsent, shape }]) => {
    const [key, here] = [prefix + name, `${place}.${name}`];
    const row = [`\`${key}\``, (canBeAbsent ? "?" : "") + typeName(shape), notes.get(here) ?? ""];
    const inner = membersIn(shape);
    return inner === undefined ? [row] : [row, ...toRows(inner[0], key + inner[1], here)];
  });

/** Returns the page in Markdown. The formatter aligns the columns. */
export const itemPage = (): string => {
  const [members] = membersIn(Item.shape)!;
  const rows = [["Key", "Type", "Notes"], ["-", "-", "-"], ...toRows(members, "", "Item")];
  return `# Item

All ${members.size} keys of an item, and the members inside them, from the record's table (\`pnpm --filter @game-data/schemas generate\`).

A \`?\` means null or absent. \`true\` is always true if present. Lists of words and numbers are open: other values are accepted, and
\`Drift\` reports them, as it does with \`false\` for \`true\`, \`[]\` for an empty dictionary and texts of another form. Keys that are not in
this table are kept, and reported as \`unknown-key\`.

${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}

\`socketedItems\` nests items. More than 32 levels are refused. The [README](../packages/schemas/README.md) of the package shows how to
read them.
`;
};

if (import.meta.main) writeFileSync(new URL("../../../docs/item.md", import.meta.url), itemPage());
