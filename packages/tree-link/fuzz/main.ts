/**
 * `pnpm fuzz tree-link [--cases N | --minutes N] [--seed N] [--corpus FILE] [--coverage]
 * [--against COMMAND]`: mutation fuzzing of the codec against a second decoder.
 *
 * Every input must decode alike in both decoders, or be refused by both; what decodes must encode
 * back to the same text and read the same through `view`; nothing but `TreeLinkError` may be
 * thrown. An input joins the corpus if its outcome is new: the reason, field and place of a
 * refusal, or the lengths of the lists, in powers of two. Exits with 1 at the first input that
 * breaks a rule, and prints it. `--coverage` also tells the branches that V8 counted, and takes
 * several times as long. A corpus file is a JSON array of payloads, or of objects with a `payload`.
 *
 * `--against COMMAND` compares the codec with any program instead: see `against.ts`.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  decode,
  decodeBytes,
  encode,
  encodeBytes,
  safeDecode,
  type TreeLink,
  TreeLinkError,
} from "@game-data/tree-link";
import { view } from "@game-data/tree-link/view";
import { fuzzAgainst } from "./against.ts";
import { startCoverage } from "./coverage.ts";
import { decodeFlat, isFlat } from "./independent.ts";
import { makeInputs, seedCorpus } from "./inputs.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string" },
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    corpus: { type: "string" },
    coverage: { type: "boolean", default: false },
    against: { type: "string" },
  },
});
const BATCH = 5_000;
const MAX_CORPUS = 5_000;
/** Long inputs are rare: most of their bytes are hashes, which decide nothing. */
const MAX_CORPUS_LENGTH = 1_000;

// A stack for each of the refusals would take most of the time.
Error.stackTraceLimit = 0;

const corpus = seedCorpus();
if (values.corpus !== undefined) {
  const entries = JSON.parse(readFileSync(values.corpus, "utf8")) as Array<
    string | { payload: string }
  >;
  corpus.push(...entries.map((entry) => (typeof entry === "string" ? entry : entry.payload)));
}
const { next, random } = makeInputs(Number(values.seed), corpus);

const unpadded = (text: string): string => {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 61) end--;
  return text.slice(0, end);
};

const magnitude = (value: number) => 32 - Math.clz32(value);

const outcomes = new Set<string>();
const join = (payload: string, outcome: string) => {
  if (outcomes.has(outcome)) return;
  outcomes.add(outcome);
  if (corpus.length < MAX_CORPUS && payload.length < MAX_CORPUS_LENGTH) corpus.push(payload);
};

let accepted = 0;
const check = (payload: string): string | undefined => {
  const count = decodeFlat(payload);
  const result = safeDecode(payload);
  if (!result.ok) {
    const { error } = result;
    if (!(error instanceof TreeLinkError)) return `another error was thrown: ${String(error)}`;
    if (!(error.offset >= 0 && error.offset <= payload.length)) return "the offset is outside";
    join(payload, `${error.reason} ${error.unit} ${error.field} ${magnitude(error.offset)}`);
    return count < 0 ? undefined : "only the second decoder accepts it";
  }
  accepted++;
  const { link } = result;
  if (count < 0) return "only the codec accepts it";
  if (!isFlat(link, count)) return "the two decoders disagree";
  if (unpadded(encode(link)) !== unpadded(payload)) return "the round trip differs";
  const seen = view(payload);
  if (seen.class !== link.class || seen.hashes.length !== link.hashes.length)
    return "the view differs";
  join(
    payload,
    [seen.version, seen.hashCount, seen.extendedHashCount, seen.masteryCount]
      .map(magnitude)
      .join(" "),
  );
  return undefined;
};

const FULL = Array.from({ length: 256 }, () => 0);
const ODD_NUMBERS = [-1, 3, 4, 63, 64, 255, 256, 65_535, 65_536, 1.5, Number.NaN];
const ODD_LISTS = [[], [65_536], [null], [{ node: 1 }], FULL];
const ODD: ReadonlyArray<unknown> = [...ODD_NUMBERS, ...ODD_LISTS, "7", null, undefined, 7n, {}];
const FIELDS =
  "version class ascendancy alternateAscendancy fullscreen hashes extendedHashes masteries".split(
    " ",
  );
const pick = <A>(list: ReadonlyArray<A>): A => list[random(list.length)]!;

/**
 * A link with odd members is refused, or comes back as it was, members that its version does not
 * have aside.
 */
const checkEncode = (payload: string): string | undefined => {
  const result = safeDecode(payload);
  const odd =
    random(50) === 0
      ? (pick(ODD) as object)
      : { ...(result.ok ? result.link : {}), [pick(FIELDS)]: pick(ODD) };
  try {
    const text = encode(odd as TreeLink, { padding: random(2) === 0 });
    const link = decodeBytes(encodeBytes(odd as TreeLink)) as unknown as Record<string, unknown>;
    if (JSON.stringify(decode(text)) !== JSON.stringify(link)) return "bytes and text differ";
    if (random(100) === 0) encode(odd as TreeLink, { maxLength: text.length - random(2) });
    const differs = Object.keys(link).filter(
      (key) => JSON.stringify(link[key]) !== JSON.stringify((odd as typeof link)[key] ?? 0),
    );
    return differs.length === 0 ? undefined : `it came back with another ${differs.join(", ")}`;
  } catch (error) {
    return error instanceof TreeLinkError
      ? undefined
      : `another error was thrown: ${String(error)}`;
  }
};

/** Passes values that are neither text nor bytes. */
const checkTypes = (): string | undefined => {
  const value = pick(ODD);
  const runs = [
    () => decode(value as string),
    () => decodeBytes(value as Uint8Array),
    () => decode("AAAABgABAAAA", { maxLength: random(14) }),
  ];
  for (const run of runs) {
    try {
      run();
    } catch (error) {
      if (!(error instanceof TreeLinkError)) return `another error was thrown: ${String(error)}`;
    }
  }
  return undefined;
};

const fuzzInProcess = async () => {
  const coverage = values.coverage ? await startCoverage() : undefined;
  const started = performance.now();
  const cases = values.cases === undefined ? Infinity : Number(values.cases);
  const deadline =
    values.cases === undefined ? started + Number(values.minutes) * 60_000 : Infinity;
  let executions = 0;
  while (performance.now() < deadline && executions < cases) {
    for (let i = 0; i < BATCH; i++) {
      const payload = next();
      const complaint =
        check(payload) ??
        (i % 8 === 0 ? checkEncode(payload) : undefined) ??
        (i % 100 === 0 ? checkTypes() : undefined);
      executions++;
      if (complaint !== undefined) {
        console.error(`${complaint}: ${JSON.stringify(payload)}`);
        process.exit(1);
      }
    }
  }
  const seconds = (performance.now() - started) / 1000;
  console.log(
    JSON.stringify({
      executions,
      seconds: Math.round(seconds),
      executionsPerSecond: Math.round(executions / seconds),
      accepted,
      outcomes: outcomes.size,
      corpus: corpus.length,
      ...(coverage === undefined ? {} : { branches: await coverage() }),
    }),
  );
};

if (values.against === undefined) await fuzzInProcess();
else
  process.exitCode = await fuzzAgainst({
    command: values.against,
    minutes: Number(values.minutes),
    ...(values.cases === undefined ? {} : { cases: Number(values.cases) }),
    next,
  });
