/** `gamedata tree`: decodes, encodes, converts and repairs passive-tree links. */
import { decode, encode, TreeLinkError, type TreeLinkInput } from "@game-data/tree-link";
import { convert, losses, VERSIONS } from "@game-data/tree-link/convert";
import { layout } from "@game-data/tree-link/layout";
import { repair } from "@game-data/tree-link/partial";
import { explain, fieldRows, formatLosses, summary } from "@game-data/tree-link/text";
import { extractPayload, findLinks, TreeLinkUrlError } from "@game-data/tree-link/url";
import { Effect, Stream } from "effect";
import { Flag } from "effect/cli";
import { argument, command, group, type Help, toggle } from "../command.ts";
import { Ended, Failure, printFailure } from "../failures.ts";
import { parseJson, readText, stdinLines, writeOutput } from "../files.ts";
import { print, printEither } from "../print.ts";

const link = argument("link", "URL with a link, the payload alone, or - to read lines with links");

/** Calls the codec. Its two typed errors become a `Failure`, and any other error a defect. */
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
 * Runs a function for each part of each input line and prints a line of output for each. Reports a
 * failure with the number of its line, and then exits with code 65.
 */
const forEachPart = Effect.fnUntraced(function* <E, R>(
  lines: Stream.Stream<string, E, R>,
  split: (line: string) => ReadonlyArray<string>,
  run: (part: string, line: number) => Effect.Effect<string, Failure>,
) {
  let failed = 0;
  const results = Stream.zipWithIndex(lines).pipe(
    Stream.filter(([text]) => text.trim() !== ""),
    Stream.map(([text, at]) => split(text.trim()).map((part) => [part, at + 1] as const)),
    Stream.flattenIterable,
    Stream.mapEffect(([part, line]) =>
      Effect.matchEffect(run(part, line), {
        onSuccess: (result) => Effect.succeed(`${result}\n`),
        onFailure: (failure) => {
          failed += 1;
          return Effect.as(printFailure(failure, true, { line }), "");
        },
      }),
    ),
  );
  yield* writeOutput("-", results);
  if (failed > 0) return yield* new Ended({ exitCode: 65 });
});

/** Returns the links of a line. Returns the whole line if it has fewer than two links. */
const linksIn = (line: string): ReadonlyArray<string> => {
  const links = findLinks(line);
  return links.length > 1 ? links.map(({ payload }) => payload) : [line];
};

/**
 * Runs a function for one link, or for each link in the lines of standard input. `show` returns two
 * values for a result: for people and for programs.
 */
const forLinks = Effect.fnUntraced(function* <A extends object>(
  text: string,
  run: (payload: string) => Effect.Effect<A, Failure>,
  show: (result: A) => readonly [people: unknown, programs: unknown],
) {
  if (text !== "-") return yield* printEither(...show(yield* Effect.flatMap(payloadOf(text), run)));
  const runLine = Effect.fnUntraced(function* (part: string, line: number) {
    const payload = yield* payloadOf(part);
    return JSON.stringify({ line, payload, ...(yield* run(payload)) });
  });
  return yield* forEachPart(stdinLines, linksIn, runLine);
});

/** Makes a command whose only argument is a link, or `-` for the links of standard input. */
const linkCommand = <A extends object>(
  name: string,
  help: Help,
  ...how: readonly [
    run: (payload: string) => Effect.Effect<A, Failure>,
    show: (result: A) => readonly [people: unknown, programs: unknown],
  ]
) => command(name, help, { link }, (values) => forLinks(values.link, ...how));

const decodeCommand = linkCommand(
  "decode",
  [
    "Show the fields of a passive-tree link. With - it reads lines from standard input and prints one JSON value for each link. Exits with 65 for a malformed link.",
    "gamedata tree decode AAAABgMCAQABAAA=",
    "gamedata tree decode - < links.txt",
  ],
  (payload) => tryCodec(() => decode(payload)),
  (value) => [Object.fromEntries(summary(value)), value],
);

const inspectCommand = linkCommand(
  "inspect",
  "Show each field of a link with its bytes and characters.",
  (payload) => tryCodec(() => layout(payload)),
  ({ bytes, fields }) => [fieldRows({ bytes, fields }), { bytes: [...bytes], fields }],
);

const repairCommand = linkCommand(
  "repair",
  "Offer what would repair a link, the likeliest first. Exits with 65 if there is nothing to offer.",
  (payload) => {
    const repairs = repair(payload);
    const decoded = repairs.length > 0 ? Effect.void : tryCodec(() => decode(payload));
    return Effect.as(decoded, { repairs });
  },
  (result) => [result.repairs.length > 0 ? result.repairs : "The link is sound.", result],
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
    acceptLoss: toggle("accept-loss", "Convert even if data is lost"),
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

const encodeJson = (json: string, name: string) =>
  Effect.flatMap(parseJson(json, name), (value) =>
    tryCodec(() => encode(value as TreeLinkInput), "Cannot encode a link"),
  );

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
    if (file !== "-") return yield* print(yield* encodeJson(text, file));
    const lines = text.split("\n");
    const values = lines.filter((line) => line.trim() !== "");
    if (values.length > 1 && values.every((line) => /^\s*\{".*\}\s*$/u.test(line)))
      return yield* forEachPart(
        Stream.fromIterable(lines),
        (line) => [line],
        (line) => encodeJson(line, "The line"),
      );
    yield* print(yield* encodeJson(text, "Standard input"));
  }),
);

export const tree = group("tree", "Decode, encode, convert and repair passive-tree links", [
  decodeCommand,
  encodeCommand,
  inspectCommand,
  convertCommand,
  repairCommand,
]);
