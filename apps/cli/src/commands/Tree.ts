/**
 * `gamedata tree`: passive-tree links at a shell prompt.
 */
import {
  decode,
  encode,
  type TreeLink,
  TreeLinkError,
  type TreeLinkInput,
  type TreeLinkVersion,
} from "@game-data/tree-link";
import { compare } from "@game-data/tree-link/compare";
import { convert, losses } from "@game-data/tree-link/convert";
import { layout } from "@game-data/tree-link/layout";
import { ALTERNATE_ASCENDANCIES, CLASSES } from "@game-data/tree-link/names";
import { extractPayload, TreeLinkUrlError } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { type Failure, failure } from "@game-data/cli-kit/Failure";
import { readJson } from "@game-data/cli-kit/Input";
import { facts, print, styled, table } from "@game-data/cli-kit/Output";

/** Runs the codec, and makes its errors fit to be shown. */
const codec = <A>(run: () => A): Effect.Effect<A, Failure> =>
  Effect.try({
    try: run,
    catch: (cause) => {
      if (cause instanceof TreeLinkError) {
        const { field, message, offset, reason, unit } = cause;
        return failure("bad-link", `Not a link: ${message.replace(/^link: /u, "")}.`, {
          details: { reason, offset, unit, ...(field === undefined ? {} : { field }) },
        });
      }
      if (cause instanceof TreeLinkUrlError) {
        return failure("bad-link", `Not a link: ${cause.message}.`, {
          details: { reason: cause.reason },
        });
      }
      throw cause;
    },
  });

const link = Argument.String("link").pipe(
  Argument.withDescription("A URL of any form, or the bare payload"),
);

const read = (text: string) => codec(() => decode(extractPayload(text).payload));

const describe = (value: TreeLink): string =>
  facts([
    ["version", value.version],
    ["class", `${value.class} (${CLASSES[value.class] ?? "not a known class"})`],
    ["ascendancy", value.ascendancy],
    ["alternateAscendancy", value.version === 6 ? alternate(value.alternateAscendancy) : undefined],
    ["fullscreen", value.version === 4 ? value.fullscreen : undefined],
    [`hashes (${value.hashes.length})`, value.hashes.join(" ")],
    ...(value.version === 4
      ? []
      : [
          [
            `extendedHashes (${value.extendedHashes.length})`,
            value.extendedHashes.join(" "),
          ] as const,
        ]),
    ...(value.version === 6
      ? [
          [
            `masteries (${value.masteries.length})`,
            value.masteries.map(({ effect, node }) => `${node}→${effect}`).join(" "),
          ] as const,
        ]
      : []),
  ]);

const alternate = (value: number) =>
  `${value} (${ALTERNATE_ASCENDANCIES[value] ?? "without a stated meaning"})`;

const decodeCommand = Command.make("decode", { link }, ({ link: text }) =>
  Effect.flatMap(read(text), (value) => print(value, describe)),
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
    const value = yield* readJson(file);
    const payload = yield* codec(() => encode(value as TreeLinkInput));
    yield* print(payload, (text) => text);
  }),
).pipe(Command.withDescription("Make the payload of a link from its fields"));

const inspectCommand = Command.make(
  "inspect",
  { link },
  Effect.fnUntraced(function* ({ link: text }) {
    const { bytes, fields } = yield* codec(() => layout(extractPayload(text).payload));
    yield* print({ bytes: [...bytes], fields }, () =>
      table(
        ["field", "value", "bytes", "hex", "characters"],
        fields.map((field) => [
          [
            field.group,
            field.index === undefined ? undefined : field.index + 1,
            field.name === field.group ? undefined : field.name,
          ]
            .filter((part) => part !== undefined)
            .join(" "),
          field.value,
          span(field.bytes),
          Buffer.from(bytes.subarray(field.bytes.start, field.bytes.end)).toString("hex"),
          span(field.characters),
        ]),
      ),
    );
  }),
).pipe(Command.withDescription("Show each field with its bytes and characters"));

const span = ({ end, start }: { start: number; end: number }) =>
  end - start === 1 ? `${start}` : `${start}–${end - 1}`;

const convertCommand = Command.make(
  "convert",
  {
    link,
    to: Flag.Literals("to", ["4", "5", "6"]).pipe(Flag.withDescription("Version to convert to")),
    acceptLoss: Flag.Boolean("accept-loss").pipe(
      Flag.withDescription("Convert although something is lost"),
      Flag.withDefault(false),
    ),
  },
  Effect.fnUntraced(function* ({ acceptLoss, link: text, to }) {
    const value = yield* read(text);
    const version = Number(to) as TreeLinkVersion;
    const lost = losses(value, version);
    const names = lost
      .map(({ count, field }) => (count === 1 ? field : `${count} ${field}`))
      .join(", ");
    if (lost.length > 0 && !acceptLoss) {
      return yield* failure("conversion-loses", `As version ${to} the link would lose ${names}.`, {
        details: { lost },
      });
    }
    const payload = yield* codec(() => encode(convert(value, version, { acceptLoss }).link));
    yield* print({ payload, lost }, () => payload);
  }),
).pipe(Command.withDescription("Write a link in another version"));

const diffCommand = Command.make(
  "diff",
  { from: Argument.String("from"), to: Argument.String("to") },
  Effect.fnUntraced(function* ({ from, to }) {
    const difference = compare(yield* read(from), yield* read(to));
    yield* print(difference, ({ lists, values }) => {
      if (lists.length + values.length === 0) return "Both links hold the same.";
      return [
        ...values.map((change) => `${change.field}: ${change.from} → ${change.to}`),
        ...lists.flatMap(({ added, list, removed }) => [
          ...added.map((entry) => styled("green", `+ ${list} ${entry}`)),
          ...removed.map((entry) => styled("red", `- ${list} ${entry}`)),
        ]),
      ].join("\n");
    });
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
