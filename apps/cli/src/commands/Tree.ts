/**
 * `gamedata tree`: decodes, encodes and compares passive-tree links.
 */
import { command, commands, help } from "./command.ts";
import { ChildExit, failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { switchFlag, argument } from "@game-data/terminal/flags";
import { parseJson, readText } from "@game-data/terminal/Input";
import { print } from "@game-data/terminal/Output";
import { facts, styled, table } from "@game-data/terminal/View";
import {
  attempt,
  attemptToEncode,
  chain,
  forEachLine,
  forLinks,
  printRow,
  stdinLines,
  takeLines,
} from "../session/treeLinks.ts";
import { decode, encode, type TreeLinkInput, type TreeLinkVersion } from "@game-data/tree-link";
import { compare, isSame } from "@game-data/tree-link/compare";
import { convert, losses, VERSIONS } from "@game-data/tree-link/convert";
import { layout, type Layout } from "@game-data/tree-link/layout";
import { repair } from "@game-data/tree-link/partial";
import { summary, diffLines, formatLosses, fieldRows } from "@game-data/tree-link/text";
import { decodeUrl } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { Flag } from "effect/cli";

const link = argument("link", "URL with a link, the payload alone, or - to read lines with links");

const encoded = (json: unknown) => attemptToEncode(() => encode(json as TreeLinkInput));

const decodeCommand = command(
  "decode",
  help(
    "Show the fields of a passive-tree link. With - it reads lines from standard input and prints one\nJSON value for each link, with the line's number and its payload. Exits with 65 for a malformed\nlink.",
    {
      "gamedata tree decode AAAABgMCAQABAAA=": "A payload",
      "gamedata tree decode URL --json": "A URL, as JSON",
      "gamedata tree decode - < links.txt": "Many links, as NDJSON",
    },
  ),
  { link },
  Effect.fnUntraced(function* ({ link: text }) {
    yield* forLinks(
      text,
      (payload) => attempt(() => decode(payload)),
      (value) => print(value, (shown) => facts(summary(shown))),
    );
  }),
);

const encodeCommand = command(
  "encode",
  help(
    "Encode the fields of a link, as decode prints them. Standard input may hold one JSON value per\nline; then one payload per line is printed.",
    {
      "gamedata tree encode link.json": "From a file",
      "gamedata tree decode - < links.txt | gamedata tree encode -": "Normalize links",
    },
  ),
  {
    file: argument("file", "JSON file as printed by decode, or - for standard input (NDJSON)"),
  },
  Effect.fnUntraced(function* ({ file }) {
    let text: string;
    if (file === "-") {
      const lines = yield* stdinLines;
      const head = yield* Effect.promise(() => takeLines(lines, 2));
      const isMany = head.length > 1 && head.every((line) => /^\s*\{".*\}\s*$/su.test(line));
      if (isMany)
        return yield* forEachLine(chain(head, lines), (line) =>
          Effect.flatMap(Effect.flatMap(parseJson(line, "The line"), encoded), (payload) =>
            printRow(payload, payload),
          ),
        );
      const rest = yield* Effect.promise(() => takeLines(lines, Infinity));
      text = [...head, ...rest].join("\n");
    } else text = yield* readText(file);
    const value = yield* parseJson(text, file === "-" ? "Standard input" : file);
    yield* print(yield* encoded(value), (payload) => payload);
  }),
);

/** Columns below which a table has no room for all of its own. */
const NARROW = 60;

/** A row for each field. A narrow terminal has the names whole, and fewer columns. */
const inspection = (
  found: { readonly bytes: Array<number>; readonly fields: Layout["fields"] },
  width: number,
) => {
  const rows = fieldRows({ bytes: Uint8Array.from(found.bytes), fields: found.fields });
  if (width < NARROW)
    return table(
      ["field", "value", "hex"],
      rows.map((row) => [row.field, row.value, row.hex]),
    );
  return table(
    ["field", "value", "bytes", "hex", "characters"],
    rows.map((row) => [row.field, row.value, row.bytes, row.hex, row.characters]),
  );
};

const inspectCommand = command(
  "inspect",
  help("Show each field of a link with its bytes and characters.", {
    "gamedata tree inspect AAAABgMCAQABAAA=": "Every byte of a link",
  }),
  { link },
  Effect.fnUntraced(function* ({ link: text }) {
    const { stdout } = yield* Host;
    yield* forLinks(
      text,
      (payload) =>
        Effect.map(
          attempt(() => layout(payload)),
          ({ bytes, fields }) => ({ bytes: [...bytes], fields }),
        ),
      (found) => print(found, () => inspection(found, stdout.columns ?? NARROW)),
    );
  }),
);

const converted = Effect.fnUntraced(function* (
  payload: string,
  version: TreeLinkVersion,
  allowLoss: boolean,
) {
  const value = yield* attempt(() => decode(payload));
  const lost = losses(value, version);
  if (lost.length > 0 && !allowLoss) {
    const sentence = `Version ${version} cannot hold ${formatLosses(lost)}.`;
    return yield* failure("conversion-loses", sentence, { details: { lost } });
  }
  const text = yield* attempt(() => encode(convert(value, version, { allowLoss }).link));
  return { converted: text, lost };
});

const convertCommand = command(
  "convert",
  help("Convert a link to another version. Fails if the version cannot hold all data.", {
    "gamedata tree convert LINK --to 6": "To the current version",
  }),
  {
    link,
    to: Flag.Literals("to", VERSIONS.map(String)).pipe(
      Flag.withDescription("Version to convert to"),
    ),
    acceptLoss: switchFlag("accept-loss", "Convert even if data is lost"),
  },
  Effect.fnUntraced(function* ({ acceptLoss, link: text, to }) {
    const version = Number(to) as TreeLinkVersion;
    yield* forLinks(
      text,
      (payload) => converted(payload, version, acceptLoss),
      (result) => print({ payload: result.converted, lost: result.lost }, () => result.converted),
    );
  }),
);

const COLORS = { added: "green", removed: "red", changed: "reset" } as const;

const diffCommand = command(
  "diff",
  help(
    "Compare two links: what the second one adds, removes and changes. With - on one side it compares\neach link of standard input and prints one JSON value for each; with - on both, two lines. Exits\nwith 0, or with --exit-code with 1 if any differ.",
    {
      "gamedata tree diff LINK1 LINK2": "Two links",
      "gamedata tree diff LINK1 - --exit-code": "For scripts",
    },
  ),
  {
    from: argument("from", "The first link, or - for each link of standard input"),
    to: argument("to", "The second link, or - for each link of standard input"),
    exitCode: switchFlag("exit-code", "Exit with 1 if the links differ"),
  },
  Effect.fnUntraced(function* ({ exitCode, from, to }) {
    let [a, b] = [from, to];
    if (a === "-" && b === "-") {
      const lines = yield* stdinLines;
      [a = "", b = ""] = yield* Effect.promise(() => takeLines(lines, 2));
    }
    const isMany = a === "-";
    const fixed = yield* attempt(() => decodeUrl(isMany ? b : a));
    let isDifferent = false;
    const compared = (payload: string) =>
      attempt(() => {
        const other = decode(payload);
        const difference = isMany ? compare(other, fixed) : compare(fixed, other);
        isDifferent ||= !isSame(difference);
        return difference;
      });
    yield* forLinks(isMany ? a : b, compared, (difference) =>
      print(difference, () => {
        const lines = diffLines(difference).map(({ kind, text }) => styled(COLORS[kind], text));
        return lines.join("\n") || "The links are equal.";
      }),
    );
    if (exitCode && isDifferent) return yield* new ChildExit({ exitCode: 1 });
  }),
);

const repairCommand = command(
  "repair",
  help(
    "Offer what would mend a link, the likeliest first, and tell what each offer changes. Exits with\n65 where there is nothing to offer.",
    { "gamedata tree repair AAAABgMCBQhnES0=": "A link that was cut off" },
  ),
  { link },
  Effect.fnUntraced(function* ({ link: text }) {
    yield* forLinks(text, repaired, (result) =>
      print(result, ({ repairs }) =>
        repairs.length === 0
          ? "The link is sound."
          : repairs.map(({ note, payload }) => `${payload}\n  ${note}`).join("\n"),
      ),
    );
  }),
);

/** The repairs of a payload; none for a link, a failure where nothing mends it. */
const repaired = (payload: string) => {
  const repairs = repair(payload);
  if (repairs.length > 0) return Effect.succeed({ repairs });
  return Effect.as(
    attempt(() => decode(payload)),
    { repairs },
  );
};

/** The command and its subcommands. */
export const treeCommand = commands("tree", "Decode, encode and compare passive-tree links", [
  decodeCommand,
  encodeCommand,
  inspectCommand,
  convertCommand,
  diffCommand,
  repairCommand,
]);
