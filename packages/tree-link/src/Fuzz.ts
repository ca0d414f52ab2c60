/**
 * Tests of somebody's codec: `tree-link/fuzz`. Runs the vectors, or edited and random links, and
 * tells each way in which the codec differs from this one, with the shortest input that shows it.
 *
 * Needs nothing but the package. For programs in other languages there is a command, `npx
 * @game-data/tree-link fuzz -- COMMAND`, that asks the same over JSON lines.
 *
 * ```ts
 * import { safeDecode } from "@game-data/tree-link";
 * import { fuzz } from "@game-data/tree-link/fuzz";
 *
 * const { findings } = fuzz({
 *   decode: (payload) => {
 *     const result = safeDecode(payload.trim());
 *     return result.ok ? result.link : undefined;
 *   },
 * });
 * if (findings[0]?.kind !== "accepts invalid-character") throw new Error("it trims");
 * ```
 */
import { safeDecode } from "./Decode.ts";
import { encode, type TreeLinkInput } from "./Encode.ts";
import { TreeLinkError } from "./Errors.ts";
import { EDITS, editPayload, makeLink, type Pick, seeded, wrongLinks } from "./internal/choices.ts";
import { TINY } from "./internal/edits.ts";
import { wrongType } from "./internal/reading.ts";
import { smaller } from "./internal/shrink.ts";
import type { TreeLink } from "./TreeLink.ts";
import { type Answer, ask, type Codec, isEqual, type Question, unpadded } from "./Vectors.ts";

export {
  type Answer,
  type Codec,
  type Flag,
  passes,
  type Question,
  type Run,
  type VectorCase,
  type VectorFile,
  type VectorLink,
} from "./Vectors.ts";

/** Bounds of a run. */
export interface FuzzOptions {
  /** Number of inputs. Default: 20 000; without a bound if `seconds` is given. */
  readonly cases?: number | undefined;
  /** Ends the run after so many seconds. */
  readonly seconds?: number | undefined;
  /** The same seed asks the same questions. Default: 1. */
  readonly seed?: number | undefined;
}

/** One way in which a codec differs, and the shortest input that shows it. */
export interface Finding {
  /** Such as `accepts invalid-character` or `reads another hashes`; each occurs once. */
  readonly kind: string;
  readonly input: Question;
  /** What this package does: the link, the payload, or the message of its refusal. */
  readonly expected: unknown;
  /** What the codec did: a value, `undefined` for a refusal, or the name of what it threw. */
  readonly found: unknown;
}

/** What a run found. */
export interface FuzzReport {
  /** Number of inputs, without those that shorten a finding. */
  readonly cases: number;
  readonly findings: ReadonlyArray<Finding>;
}

/**
 * Compares a codec with this one. What the codec throws is a finding.
 *
 * @throws TreeLinkError `invalid-type` for a codec without `decode` or one that answers with
 * promises, `out-of-range` for an option that is no number or negative, and for half a case.
 */
export const fuzz = (codec: Codec, options?: FuzzOptions): FuzzReport => {
  if (typeof (codec as Codec | null | undefined)?.decode !== "function")
    throw wrongType("codec.decode");
  const run = session(options);
  let step = run.next();
  while (step.done !== true) step = run.next(step.value.map((one) => ask(codec, one)));
  return step.value;
};

type Answers = ReadonlyArray<Answer | undefined>;

const BATCH = 500;
const DEFAULT_CASES = 20_000;
/** Most attempts to shorten one finding. */
const MAX_SHRINKS = 4_000;

/**
 * A run as a conversation: gives batches of questions, takes their answers (`undefined`: the codec
 * cannot do that), and returns the report. `fuzz` asks a codec of this process, the command a
 * program.
 */
export function* session(
  options: FuzzOptions = {},
): Generator<ReadonlyArray<Question>, FuzzReport, Answers> {
  checkBounds(options);
  const { seconds = Infinity, seed = 1 } = options;
  const limit = options.cases ?? (seconds === Infinity ? DEFAULT_CASES : Infinity);
  const deadline = performance.now() + seconds * 1_000;
  const findings = new Map<string, Finding>();
  const questions = inputs(seed);
  let cases = 0;
  while (cases < limit && performance.now() < deadline) {
    const batch = take(questions, Math.min(BATCH, limit - cases));
    const answers = yield batch;
    batch.forEach((question, i) => keepShortest(findings, judge(question, answers[i])));
    cases += batch.length;
  }
  for (const [kind, finding] of findings) findings.set(kind, yield* shorten(finding));
  return { cases, findings: [...findings.values()] };
}

/** `NaN` would end the run before its first case, without a finding; half a case would never end it. */
const checkBounds = (options: unknown): void => {
  if (typeof options !== "object" || options === null) throw wrongType("options");
  for (const name of ["cases", "seconds", "seed"] as const) {
    const value = (options as FuzzOptions)[name] ?? 0;
    if (typeof value !== "number") throw wrongType(name);
    const isWhole = name !== "cases" || Math.floor(value) === value;
    if (!isWhole || !(value >= (name === "seed" ? -Infinity : 0)))
      throw new TreeLinkError(["out-of-range", 0, name, value], "element");
  }
};

const take = <A>(from: Iterator<A>, count: number): ReadonlyArray<A> =>
  Array.from({ length: count }, () => from.next().value as A);

const sizeOf = (question: Question): number => JSON.stringify(question).length;

const keepShortest = (findings: Map<string, Finding>, found: Finding | undefined): void => {
  if (found === undefined) return;
  const known = findings.get(found.kind);
  if (known === undefined || sizeOf(found.input) < sizeOf(known.input))
    findings.set(found.kind, found);
};

/** Tries smaller inputs that show the same, until there is none. */
function* shorten(finding: Finding): Generator<ReadonlyArray<Question>, Finding, Answers> {
  let shortest = finding;
  let left = MAX_SHRINKS;
  let isSmaller = true;
  // Without attempts that are left, no input is smaller.
  while (isSmaller) {
    isSmaller = false;
    const batch = smaller(shortest.input).slice(0, left);
    left -= batch.length;
    const answers = yield batch;
    const next = batch
      .map((question, i) => judge(question, answers[i]))
      .find(
        (found) => found?.kind === finding.kind && sizeOf(found.input) < sizeOf(shortest.input),
      );
    if (next !== undefined) {
      shortest = next;
      isSmaller = true;
    }
  }
  return shortest;
}

/** Small links first, each edited in every way; then random ones for ever. */
function* inputs(seed: number): Generator<Question, never> {
  const pick = seeded(seed);
  for (const link of SMALLEST) {
    yield { encode: link };
    yield* [unpadded(encode(link)), encode(link)].map((decode) => ({ decode }));
  }
  yield* TINY.map((decode) => ({ decode }));
  for (const link of LONGEST) yield* [{ encode: link }, { decode: encode(link) }];
  for (const link of SMALLEST.slice(0, 4))
    yield* wrongLinks(link).map((wrong) => ({ encode: wrong.link }));
  const payloads = SMALLEST.map((link) => encode(link));
  for (const edit of EDITS)
    for (const payload of payloads.slice(0, 4))
      for (const at of [0, payload.length, 11]) yield { decode: edit.apply(payload, at) };
  while (true) yield* randomInputs(pick);
}

const randomInputs = (pick: Pick): ReadonlyArray<Question> => {
  const link = makeLink(pick);
  const payload = encode(link);
  const wrong = wrongLinks(link);
  const base = pick(2) === 0 ? payload : unpadded(payload);
  return [
    { decode: base },
    { encode: link },
    ...Array.from({ length: 6 }, () => ({ decode: editPayload(base, pick) })),
    { decode: editPayload(editPayload(payload, pick), pick) },
    { encode: wrong[pick(wrong.length)]!.link },
  ];
};

const V4 = { version: 4, class: 0, ascendancy: 0, fullscreen: 0, hashes: [] } as const;
const V5 = { version: 5, class: 0, ascendancy: 0, hashes: [], extendedHashes: [] } as const;
const V6 = { ...V5, version: 6, alternateAscendancy: 0, masteries: [] } as const;
const MASTERY = { node: 4, effect: 5 } as const;

const SMALLEST: ReadonlyArray<TreeLink> = [
  V4,
  V6,
  V5,
  { ...V6, class: 3, ascendancy: 2, hashes: [63_468, 1], masteries: [MASTERY] },
  { ...V5, class: 2, ascendancy: 255, extendedHashes: [7, 0] },
  { ...V4, class: 1, fullscreen: 1, hashes: [65_535, 0, 65_535] },
  { ...V6, class: 255, alternateAscendancy: 63, extendedHashes: [65_535] },
];

const full = (count: number) => Array.from({ length: count }, (_, i) => (i * 257) % 65_536);
const masteries = full(255).map((node) => ({ node, effect: 65_535 - node }));
const LONGEST: ReadonlyArray<TreeLink> = [
  { ...V6, masteries },
  { ...V6, hashes: full(255) },
  { ...V6, extendedHashes: full(255) },
  { ...V5, hashes: full(255), extendedHashes: full(255) },
  { ...V4, hashes: full(256) },
  { ...V4, hashes: full(4_097) },
  { ...V6, hashes: full(255), extendedHashes: full(255), masteries },
];

/** Compares an answer with what this package does. */
const judge = (input: Question, answer: Answer | undefined): Finding | undefined => {
  if (answer === undefined) return undefined;
  const right = expectation(input);
  const found = "thrown" in answer ? `threw ${answer.thrown}` : answer.value;
  const finding = (kind: string): Finding => ({
    kind,
    input,
    expected: right.refusal?.message ?? right.value,
    found,
  });
  const isWritten = "encode" in input;
  if ("thrown" in answer) return finding(`${isWritten ? "encode" : "decode"} throws`);
  if (right.refusal !== undefined)
    return found === undefined
      ? undefined
      : finding(`${isWritten ? "writes" : "accepts"} ${right.refusal.reason}`);
  // The specification is silent about padding: a text without it may be refused, or written.
  if (found === undefined) {
    const isOpen = !isWritten && input.decode.length % 4 !== 0;
    return isOpen ? undefined : finding(isWritten ? "writes no link" : "refuses a link");
  }
  if (isEqual(found, right.value)) return undefined;
  if (!isWritten) return finding(`reads another ${memberThatDiffers(right.value, found)}`);
  return found === unpadded(right.value as string) ? undefined : finding("writes another payload");
};

const expectation = (input: Question): { value?: unknown; refusal?: TreeLinkError } => {
  if ("decode" in input) {
    const result = safeDecode(input.decode);
    return result.ok ? { value: result.link } : { refusal: result.error };
  }
  try {
    return { value: encode(input.encode as TreeLinkInput) };
  } catch (error) {
    return { refusal: error as TreeLinkError };
  }
};

const memberThatDiffers = (expected: unknown, found: unknown): string => {
  if (typeof found !== "object" || found === null) return "thing";
  const [a, b] = [expected, found] as [Record<string, unknown>, Record<string, unknown>];
  return [...Object.keys(a), ...Object.keys(b)].find((key) => !isEqual(a[key], b[key])) ?? "link";
};
