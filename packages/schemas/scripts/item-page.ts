/** Writes `docs/item.md`: every key of an item with its type, its notes and what services send. */
import { writeFileSync } from "node:fs";
import { documentedName } from "../src/deviation.ts";
import type { Member, Shape } from "../src/PlainRecord.ts";
import { Item } from "../src/records/Item.ts";
import { readNotes } from "./notes.ts";

const notes = readNotes();

type Members = ReadonlyMap<string, Member>;

/** The members of a structure that is not a record, or of a list of such structures. */
const membersIn = (shape: Shape): readonly [members: Members, suffix: string] | undefined => {
  if (shape.kind === "structure") return [shape.members, "."];
  const inner = shape.kind === "list" ? membersIn(shape.of) : undefined;
  return inner && [inner[0], `[]${inner[1]}`];
};

const typeName = (shape: Shape): string => {
  switch (shape.kind) {
    case "record":
      return shape.record.name;
    case "this":
      return Item.name;
    case "list":
      return `array of ${typeName(shape.of)}`;
    case "dictionary":
      return `dictionary of ${typeName(shape.of)}`;
    case "either":
      return typeName(shape.of[0]);
    default:
      return documentedName(shape);
  }
};

/** What follows from the type: "always true", and the words of an enumeration. */
const typeNote = (shape: Shape): string | undefined => {
  if (shape.kind === "list") return typeNote(shape.of);
  if (shape.kind === "leaf") return shape.leaf === "true" ? "Always true if present." : undefined;
  return shape.kind === "words" && typeof shape.words[0] === "string"
    ? `Words: ${shape.words.map((word) => `\`${word}\``).join(", ")}.`
    : undefined;
};

/** What services send in place of the documented type. */
const alternatives = (shape: Shape): string => {
  switch (shape.kind) {
    case "list":
      return alternatives(shape.of);
    case "dictionary":
      return "`[]` when empty";
    case "either":
      return typeName(shape.of[1]);
    case "words":
      return typeof shape.words[0] === "string" ? "other words" : "other numbers";
    case "leaf":
      return (
        { true: "`false`", "1..10": "other numbers", "hex-64": "other strings" }[
          shape.leaf as string
        ] ?? ""
      );
    default:
      return "";
  }
};

const toRows = (members: Members, prefix: string, place: string): Array<ReadonlyArray<string>> =>
  [...members].flatMap(([name, { canBeAbsent, shape }]) => {
    const [key, here] = [prefix + name, `${place}.${name}`];
    const note = [notes.get(here), typeNote(shape)].filter((one) => one !== undefined).join(" ");
    const row = [
      `\`${key}\``,
      (canBeAbsent ? "?" : "") + typeName(shape),
      note,
      alternatives(shape),
    ];
    const inner = membersIn(shape);
    return inner === undefined ? [row] : [row, ...toRows(inner[0], key + inner[1], here)];
  });

/** Returns the page in Markdown, with the columns aligned as the formatter aligns them. */
export const itemPage = (): string => {
  const [members] = membersIn(Item.shape)!;
  const rows = [["Key", "Type", "Notes", "Also accepted"], ...toRows(members, "", "Item")];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const [head, ...body] = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`,
  );
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return `# Item

All ${members.size} keys of an item, and the members inside them, from the record's table (\`pnpm --filter @game-data/schemas generate\`).
A \`?\` means null or absent. _Also accepted_ is what deployed services send in place of the documented type. \`Drift\` reports it.
Keys that are not in this table are kept, and reported as \`unknown-key\`.

${[head, rule, ...body].join("\n")}

\`socketedItems\` nests items. More than 32 levels are refused. The README of the package shows how to read them.
`;
};

if (import.meta.main) writeFileSync(new URL("../../../docs/item.md", import.meta.url), itemPage());
