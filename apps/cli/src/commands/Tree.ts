/**
 * `gamedata tree`: decodes, encodes and compares passive-tree links.
 */
import { createInterface } from "node:readline";
import { ChildExit, type Failure, failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { switchFlag } from "../config/flags.ts";
import { parseJson, readText } from "@game-data/terminal/Input";
import { print, printFailure, printLine } from "@game-data/terminal/Output";
import { facts, styled, table } from "@game-data/terminal/View";
import { attempt, attemptToEncode } from "../session/treeLinks.ts";
import { encode, type TreeLinkInput, type TreeLinkVersion } from "@game-data/tree-link";
import { compare } from "@game-data/tree-link/compare";
import { convert, losses } from "@game-data/tree-link/convert";
import { layout } from "@game-data/tree-link/layout";
import { summary, diffLines, formatLosses, parseLink, fieldRows } from "@game-data/tree-link/text";
import { extractPayload } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { Argument, Command, Flag } from "effect/cli";

const link = Argument.String("link").pipe(
  Argument.withDescription("URL with a link, or the payload alone"),
);

const decodeLine = (line: string) =>
  Effect.flatMap(
    attempt(() => parseLink(line)),
    (value) => printLine(JSON.stringify(value)),
  );

const encoded = (json: unknown) => attemptToEncode(() => encode(json as TreeLinkInput));

const decodeCommand = Command.make(
  "decode",
  {
    link: Argument.String("link").pipe(
      Argument.withDescription(
        "URL with a link, the payload alone, or - to read one link per line",
      ),
    ),
  },
  Effect.fnUntraced(function* ({ link: text }) {
    if (text === "-") {
      return yield* forEachLine(yield* stdinLines, decodeLine);
    }
    const value = yield* attempt(() => parseLink(text));
    yield* print(value, (shown) => facts(summary(shown)));
  }),
).pipe(
  Command.withDescription(
    "Show the fields of a passive-tree link. With - it reads one link per line from standard input\nand prints one JSON value per line. Exits with 65 for a malformed link.",
  ),
  Command.withShortDescription("Show the fields of a link"),
  Command.withExamples([
    { command: "gamedata tree decode AAAABgMCAQABAAA=", description: "A payload" },
    { command: "gamedata tree decode URL --json", description: "A URL, as JSON" },
    { command: "gamedata tree decode - < links.txt", description: "Many links, as NDJSON" },
  ]),
);

const encodeCommand = Command.make(
  "encode",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("JSON file as printed by decode, or - for standard input (NDJSON)"),
    ),
  },
  Effect.fnUntraced(function* ({ file }) {
    let text: string;
    if (file === "-") {
      const lines = yield* stdinLines;
      const head = yield* Effect.promise(() => takeLines(lines, 2));
      const isMany = head.length > 1 && head.every((line) => /^\s*\{".*\}\s*$/su.test(line));
      if (isMany)
        return yield* forEachLine(chain(head, lines), (line) =>
          Effect.flatMap(Effect.flatMap(parseJson(line, "The line"), encoded), printLine),
        );
      const rest = yield* Effect.promise(() => takeLines(lines, Infinity));
      text = [...head, ...rest].join("\n");
    } else text = yield* readText(file);
    const value = yield* parseJson(text, file === "-" ? "Standard input" : file);
    yield* print(yield* encoded(value), (payload) => payload);
  }),
).pipe(
  Command.withDescription(
    "Encode the fields of a link, as decode prints them. Standard input may hold one JSON value per\nline; then one payload per line is printed.",
  ),
  Command.withShortDescription("Encode a link from its fields"),
  Command.withExamples([
    { command: "gamedata tree encode link.json", description: "From a file" },
    {
      command: "gamedata tree decode - < links.txt | gamedata tree encode -",
      description: "Normalize links",
    },
  ]),
);

/** The lines of standard input, as they arrive: a million links do not fit into one string. */
const stdinLines = Effect.map(Host, ({ stdin }) =>
  createInterface({ input: stdin, crlfDelay: Infinity })[Symbol.asyncIterator](),
);

/** Takes up to `count` lines. */
const takeLines = async (lines: AsyncIterator<string>, count: number) => {
  const taken: Array<string> = [];
  while (taken.length < count) {
    const { done, value } = await lines.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
};

async function* chain(head: ReadonlyArray<string>, rest: AsyncIterableIterator<string>) {
  yield* head;
  yield* rest;
}

const LINES_AT_ONCE = 1_000;

/**
 * Runs a function for each line. Malformed lines are printed on stderr; the exit code is theirs.
 */
const forEachLine = Effect.fnUntraced(function* <R>(
  lines: AsyncIterator<string>,
  run: (line: string) => Effect.Effect<void, Failure, R>,
) {
  let exitCode = 0;
  let number = 0;
  while (true) {
    const batch = yield* Effect.promise(() => takeLines(lines, LINES_AT_ONCE));
    if (batch.length === 0) break;
    for (const line of batch) {
      const index = ++number;
      if (line.trim() === "") continue;
      yield* run(line.trim()).pipe(
        Effect.catch((failed) => {
          exitCode = failed.exitCode;
          const { code, message } = failed;
          const details = { ...failed.details, line: index };
          return printFailure(failure(code, message, { details }), true);
        }),
      );
    }
  }
  if (exitCode !== 0) return yield* new ChildExit({ exitCode });
});

const inspectCommand = Command.make(
  "inspect",
  { link },
  Effect.fnUntraced(function* ({ link: text }) {
    const found = yield* attempt(() => layout(extractPayload(text).payload));
    yield* print({ bytes: [...found.bytes], fields: found.fields }, () =>
      table(
        ["field", "value", "bytes", "hex", "characters"],
        fieldRows(found).map((row) => [row.field, row.value, row.bytes, row.hex, row.characters]),
      ),
    );
  }),
).pipe(
  Command.withDescription("Show each field of a link with its bytes and characters."),
  Command.withShortDescription("Show the fields with bytes and characters"),
  Command.withExamples([
    { command: "gamedata tree inspect AAAABgMCAQABAAA=", description: "Every byte of a link" },
  ]),
);

const convertCommand = Command.make(
  "convert",
  {
    link,
    to: Flag.Literals("to", ["4", "5", "6"]).pipe(Flag.withDescription("Version to convert to")),
    acceptLoss: switchFlag("accept-loss", "Convert even if data is lost"),
  },
  Effect.fnUntraced(function* ({ acceptLoss, link: text, to }) {
    const value = yield* attempt(() => parseLink(text));
    const version = Number(to) as TreeLinkVersion;
    const lost = losses(value, version);
    if (lost.length > 0 && !acceptLoss) {
      const sentence = `Version ${to} cannot hold ${formatLosses(lost)}.`;
      return yield* failure("conversion-loses", sentence, { details: { lost } });
    }
    const payload = yield* attempt(() =>
      encode(convert(value, version, { allowLoss: acceptLoss }).link),
    );
    yield* print({ payload, lost }, () => payload);
  }),
).pipe(
  Command.withDescription(
    "Convert a link to another version. Fails if the version cannot hold all data.",
  ),
  Command.withShortDescription("Convert a link to another version"),
  Command.withExamples([
    { command: "gamedata tree convert LINK --to 6", description: "To the current version" },
  ]),
);

const COLORS = { added: "green", removed: "red", changed: "reset" } as const;

const diffCommand = Command.make(
  "diff",
  { from: Argument.String("from"), to: Argument.String("to") },
  Effect.fnUntraced(function* ({ from, to }) {
    const difference = yield* attempt(() => compare(parseLink(from), parseLink(to)));
    const lines = diffLines(difference).map(({ kind, text }) => styled(COLORS[kind], text));
    yield* print(difference, () => lines.join("\n") || "The links are equal.");
  }),
).pipe(
  Command.withDescription("Compare two links: what the second one adds, removes and changes."),
  Command.withShortDescription("Compare two links"),
  Command.withExamples([{ command: "gamedata tree diff LINK1 LINK2", description: "Two links" }]),
);

/** The command and its subcommands. */
export const treeCommand = Command.make("tree").pipe(
  Command.withDescription("Decode, encode and compare passive-tree links"),
  Command.withSubcommands([
    decodeCommand,
    encodeCommand,
    inspectCommand,
    convertCommand,
    diffCommand,
  ]),
);
