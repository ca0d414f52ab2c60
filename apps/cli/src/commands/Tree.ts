/**
 * `gamedata tree`: passive-tree links at a shell prompt.
 */
import { failure } from "@game-data/terminal/Failure";
import { switchFlag } from "@game-data/terminal/Flags";
import { readJson } from "@game-data/terminal/Input";
import { facts, print, styled, table } from "@game-data/terminal/Output";
import { attempt, attemptToWrite } from "../session/treeLinks.ts";
import { encode, type TreeLinkInput, type TreeLinkVersion } from "@game-data/tree-link";
import { compare } from "@game-data/tree-link/compare";
import { convert, losses } from "@game-data/tree-link/convert";
import { layout } from "@game-data/tree-link/layout";
import { summary, diffLines, formatLosses, parseLink, fieldRows } from "@game-data/tree-link/text";
import { extractPayload } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { Argument, Command, Flag } from "effect/cli";

const link = Argument.String("link").pipe(
  Argument.withDescription("A URL of any form, or the bare payload"),
);

const decodeCommand = Command.make("decode", { link }, ({ link: text }) =>
  Effect.flatMap(
    attempt(() => parseLink(text)),
    (value) => print(value, (shown) => facts(summary(shown))),
  ),
).pipe(
  Command.withDescription("Show what a link holds"),
  Command.withExamples([
    { command: "gamedata tree decode AAAABgMCAQABAAA= --json", description: "As JSON" },
  ]),
);

const encodeCommand = Command.make(
  "encode",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("A JSON file as `decode --json` prints it, or - for standard input"),
    ),
  },
  Effect.fnUntraced(function* ({ file }) {
    const value = (yield* readJson(file)) as TreeLinkInput;
    yield* print(yield* attemptToWrite(() => encode(value)), (payload) => payload);
  }),
).pipe(Command.withDescription("Make the payload of a link from its fields"));

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
).pipe(Command.withDescription("Show each field with its bytes and characters"));

const convertCommand = Command.make(
  "convert",
  {
    link,
    to: Flag.Literals("to", ["4", "5", "6"]).pipe(Flag.withDescription("Version to convert to")),
    acceptLoss: switchFlag("accept-loss", "Convert although something is lost"),
  },
  Effect.fnUntraced(function* ({ acceptLoss, link: text, to }) {
    const value = yield* attempt(() => parseLink(text));
    const version = Number(to) as TreeLinkVersion;
    const lost = losses(value, version);
    if (lost.length > 0 && !acceptLoss) {
      const sentence = `As version ${to} the link would lose ${formatLosses(lost)}.`;
      return yield* failure("conversion-loses", sentence, { details: { lost } });
    }
    const payload = yield* attempt(() =>
      encode(convert(value, version, { allowLoss: acceptLoss }).link),
    );
    yield* print({ payload, lost }, () => payload);
  }),
).pipe(Command.withDescription("Write a link in another version"));

const COLORS = { added: "green", removed: "red", changed: "reset" } as const;

const diffCommand = Command.make(
  "diff",
  { from: Argument.String("from"), to: Argument.String("to") },
  Effect.fnUntraced(function* ({ from, to }) {
    const difference = yield* attempt(() => compare(parseLink(from), parseLink(to)));
    const lines = diffLines(difference).map(({ kind, text }) => styled(COLORS[kind], text));
    yield* print(difference, () => lines.join("\n") || "Both links hold the same.");
  }),
).pipe(Command.withDescription("Show what one link has more and less than another"));

/** The command and its subcommands. */
export const treeCommand = Command.make("tree").pipe(
  Command.withDescription("Passive-tree links"),
  Command.withSubcommands([
    decodeCommand,
    encodeCommand,
    inspectCommand,
    convertCommand,
    diffCommand,
  ]),
);
