/** `gamedata tree`: decodes, encodes, converts and repairs passive-tree links. */
import { decode, encode, TreeLinkError, type TreeLinkInput } from "@game-data/tree-link";
import { convert, losses, VERSIONS } from "@game-data/tree-link/convert";
import { layout } from "@game-data/tree-link/layout";
import { repair } from "@game-data/tree-link/partial";
import { explain, fieldRows, formatLosses, summary } from "@game-data/tree-link/text";
import { extractPayload, findLinks, TreeLinkUrlError } from "@game-data/tree-link/url";
import { Effect, Result, Stream } from "effect";
import { Flag } from "effect/cli";
import { argument, command, group, switchFlag } from "../command.ts";
import { Ended, Failure, printFailure } from "../failures.ts";
import { parseJson, readText, stdinLines } from "../input.ts";
import { writeOutput } from "../output.ts";
import { print, printEither } from "../print.ts";

const link = argument("link", "URL with a link, the payload alone, or - to read lines with links");

/** Calls a function of the codec. Other errors are defects. */
const tryCodec = <A>(run: () => A, what = "Invalid link"): Effect.Effect<A, Failure> =>
  Effect.try({
    try: run,
    catch: (cause) => {
      const isUrl = cause instanceof TreeLinkUrlError;
      if (!isUrl && !(cause instanceof TreeLinkError)) throw cause;
      const reason = isUrl ? cause.message : `${explain(cause)} At ${cause.unit} ${cause.offset}.`;
      return new Failure({
        code: "BadLink",
        message: `${what}: ${reason}`,
        next: what === "Invalid link" ? "copy the whole link again" : undefined,
        details: { ...cause, name: undefined, _tag: undefined },
      });
    },
  });

const payloadOf = (text: string) => tryCodec(() => extractPayload(text).payload);

/**
 * Runs a function for one link, or for each link of standard input, whose lines may hold several.
 * `show` makes two values of a result: for people and for programs.
 */
const forLinks = Effect.fnUntraced(function* <A extends object>(
  text: string,
  run: (payload: string) => Effect.Effect<A, Failure>,
  show: (result: A) => readonly [people: unknown, programs: unknown],
) {
  if (text !== "-") return yield* printEither(...show(yield* Effect.flatMap(payloadOf(text), run)));
  const parts = Stream.flatMap(numbered(stdinLines), ([line, number]) => {
    const links = findLinks(line);
    // One link gives the line as it is, which may say why it is no link.
    const texts = links.length > 1 ? links.map(({ payload }) => payload) : [line];
    return Stream.fromIterable(texts.map((part) => [part, number] as const));
  });
  yield* forEachLine(parts, (part, line) =>
    Effect.flatMap(payloadOf(part), (payload) =>
      Effect.map(run(payload), (result) => JSON.stringify({ line, payload, ...result })),
    ),
  );
});

/** The lines that are not empty, with their numbers from 1. */
const numbered = <E, R>(lines: Stream.Stream<string, E, R>) =>
  Stream.zipWithIndex(lines).pipe(
    Stream.map(([line, index]) => [line.trim(), index + 1] as const),
    Stream.filter(([line]) => line !== ""),
  );

/** Prints a line of JSON for each line of input, reports malformed lines, and ends with 65 then. */
const forEachLine = Effect.fnUntraced(function* <E, R>(
  lines: Stream.Stream<readonly [text: string, number: number], E, R>,
  run: (text: string, number: number) => Effect.Effect<string, Failure>,
) {
  let failed = 0;
  const results = Stream.mapEffect(
    lines,
    Effect.fnUntraced(function* ([text, number]) {
      const result = yield* Effect.result(run(text, number));
      if (Result.isSuccess(result)) return `${result.success}\n`;
      failed += 1;
      yield* printFailure(result.failure, { line: number });
      return "";
    }),
  );
  yield* writeOutput("-", results);
  if (failed > 0) return yield* new Ended({ exitCode: 65 });
});

const decodeCommand = command(
  "decode",
  [
    "Show the fields of a passive-tree link. With - it reads lines from standard input and prints one JSON value for each link. Exits with 65 for a malformed link.",
    "gamedata tree decode AAAABgMCAQABAAA=",
    "gamedata tree decode - < links.txt",
  ],
  { link },
  ({ link: text }) =>
    forLinks(
      text,
      (payload) => tryCodec(() => decode(payload)),
      (value) => [Object.fromEntries(summary(value)), value],
    ),
);

const encoded = (value: unknown) =>
  tryCodec(() => encode(value as TreeLinkInput), "Cannot encode a link");

const encodeCommand = command(
  "encode",
  [
    "Encode the fields of a link, as decode prints them. Standard input may hold one JSON value per line; then one payload per line is printed.",
    "gamedata tree encode link.json",
    "gamedata tree decode - < links.txt | gamedata tree encode -",
  ],
  { file: argument("file", "JSON file as printed by decode, or - for standard input (NDJSON)") },
  Effect.fnUntraced(function* ({ file }) {
    const text = yield* readText(file);
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    if (file === "-" && lines.length > 1 && lines.every((line) => /^\s*\{".*\}\s*$/u.test(line)))
      return yield* forEachLine(numbered(Stream.fromIterable(text.split("\n"))), (line) =>
        Effect.flatMap(parseJson(line, "The line"), encoded),
      );
    const value = yield* parseJson(text, file === "-" ? "Standard input" : file);
    yield* print(yield* encoded(value));
  }),
);

const inspectCommand = command(
  "inspect",
  "Show each field of a link with its bytes and characters.",
  { link },
  ({ link: text }) =>
    forLinks(
      text,
      (payload) => tryCodec(() => layout(payload)),
      ({ bytes, fields }) => [fieldRows({ bytes, fields }), { bytes: [...bytes], fields }],
    ),
);

const convertCommand = command(
  "convert",
  [
    "Convert a link to another version. Fails if the version cannot hold all data.",
    "gamedata tree convert LINK --to 6",
  ],
  {
    link,
    to: Flag.ChoiceWithValue(
      "to",
      VERSIONS.map((version) => [String(version), version] as const),
    ).pipe(Flag.withDescription("Version to convert to")),
    acceptLoss: switchFlag("accept-loss", "Convert even if data is lost"),
  },
  ({ acceptLoss: allowLoss, link: text, to }) =>
    forLinks(
      text,
      Effect.fnUntraced(function* (payload) {
        const value = yield* tryCodec(() => decode(payload));
        const lost = losses(value, to);
        if (lost.length > 0 && !allowLoss)
          return yield* new Failure({
            code: "ConversionLoses",
            message: `Version ${to} cannot hold ${formatLosses(lost)}.`,
            next: "repeat with --accept-loss to convert it without that data",
            details: { lost },
          });
        const converted = yield* tryCodec(() => encode(convert(value, to, { allowLoss }).link));
        return { converted, lost };
      }),
      ({ converted, lost }) => [converted, { payload: converted, lost }],
    ),
);

const repairCommand = command(
  "repair",
  "Offer what would repair a link, the likeliest first. Exits with 65 if there is nothing to offer.",
  { link },
  ({ link: text }) =>
    forLinks(
      text,
      (payload) => {
        const repairs = repair(payload);
        if (repairs.length > 0) return Effect.succeed({ repairs });
        return Effect.as(
          tryCodec(() => decode(payload)),
          { repairs },
        );
      },
      (result) => [result.repairs.length > 0 ? result.repairs : "The link is sound.", result],
    ),
);

export const tree = group("tree", "Decode, encode, convert and repair passive-tree links", [
  decodeCommand,
  encodeCommand,
  inspectCommand,
  convertCommand,
  repairCommand,
]);
