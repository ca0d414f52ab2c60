/**
 * `pnpm fuzz tree-link [--minutes N] [--seed N] [--corpus FILE]`: mutation fuzzing of the codec,
 * bytes and texts, against a second decoder.
 *
 * Every input must decode alike in both decoders, or be refused by both; what decodes must encode
 * back to the same text; nothing but `TreeLinkError` may be thrown. Inputs that reach a new branch
 * of the codec join the corpus. Prints the executions per second and the branches of the codec that
 * were reached; exits with 1 at the first input that breaks a rule, and prints it. A corpus file is
 * a JSON array of payloads, or of objects with a `payload`.
 */
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
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
import { naiveDecode } from "../test/support/Naive.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    corpus: { type: "string" },
  },
});

const SEEDS = [
  "AAAABgABAAAA",
  "AAAABgAAAfdPAAA=",
  "AAAABgMCAvvvvv8AAA==",
  "AAAABv_-AAAA",
  "AAAABQECAQIBAgAB__8=",
  "AAAABAYDAKvNAAE=",
  "AAAABwAAAAAA",
];
const BATCH = 5_000;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \u0141%";
const INTERESTING = [0, 1, 2, 3, 4, 5, 6, 7, 127, 128, 254, 255];

let state = Number(values.seed) | 0;
const random = (below: number) => {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
};
const pick = <A>(list: ArrayLike<A>): A => list[random(list.length)]!;

const corpus: Array<string> = [...SEEDS];
if (values.corpus !== undefined) {
  const entries = JSON.parse(readFileSync(values.corpus, "utf8")) as Array<
    string | { payload: string }
  >;
  corpus.push(...entries.map((entry) => (typeof entry === "string" ? entry : entry.payload)));
}

const mutateBytes = (payload: string): string => {
  const bytes = [...Buffer.from(payload, "base64url")];
  for (let edits = 1 + random(4); edits > 0; edits--) {
    const at = random(bytes.length + 1);
    const edit = random(6);
    if (edit === 0) bytes.splice(at, 0, random(256));
    else if (edit === 1) bytes.splice(at, 1 + random(4));
    else if (edit === 2) bytes[at] = pick(INTERESTING);
    else if (edit === 3) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    else if (edit === 4) bytes.splice(at, 0, ...bytes.slice(at, at + random(64)));
    else
      bytes.push(
        ...Array.from({ length: random(random(50) === 0 ? 6_000 : 600) }, () => random(256)),
      );
  }
  const text = Buffer.from(bytes).toString("base64url");
  return random(2) === 0 ? text : text.padEnd(Math.ceil(text.length / 4) * 4, "=");
};

const mutateText = (payload: string): string => {
  const at = random(payload.length + 1);
  const edit = random(4);
  if (edit === 0) return payload.slice(0, at) + pick(ALPHABET) + payload.slice(at);
  if (edit === 1) return payload.slice(0, at) + payload.slice(at + 1 + random(4));
  if (edit === 2) return payload.slice(0, at) + pick(ALPHABET) + payload.slice(at + 1);
  return payload.slice(0, at) + String.fromCharCode(random(65_536)) + payload.slice(at + 1);
};

const check = (payload: string) => {
  const expected = naiveDecode(payload);
  const result = safeDecode(payload);
  if (!result.ok && !(result.error instanceof TreeLinkError)) return "another error was thrown";
  const link = result.ok ? result.link : undefined;
  if (JSON.stringify(link) !== JSON.stringify(expected)) return "the two decoders disagree";
  if (link === undefined) return undefined;
  const again = encode(link);
  if (again.replace(/=+$/u, "") !== payload.replace(/=+$/u, "")) return "the round trip differs";
  return JSON.stringify(decode(again)) === JSON.stringify(link)
    ? undefined
    : "the second decode differs";
};

const FULL = Array.from({ length: 256 }, () => 0);
const ODD_NUMBERS = [-1, 3, 4, 63, 64, 255, 256, 65_535, 65_536, 1.5, Number.NaN];
const ODD_LISTS = [[], [65_536], [null], [{ node: 1 }], FULL];
const ODD: ReadonlyArray<unknown> = [...ODD_NUMBERS, ...ODD_LISTS, "7", null, undefined, 7n, {}];
const FIELDS =
  "version class ascendancy alternateAscendancy fullscreen hashes extendedHashes masteries".split(
    " ",
  );

/**
 * A link with odd members is refused, or comes back as it was, members that its version does not
 * have aside.
 */
const checkEncode = (payload: string) => {
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

/** What is not even text or bytes. */
const checkTypes = () => {
  const value = pick(ODD);
  const outcomes = [
    () => decode(value as string),
    () => decodeBytes(value as Uint8Array),
    () => decode("AAAABgABAAAA", { maxLength: random(14) }),
  ].map((run) => {
    try {
      run();
    } catch (error) {
      return error instanceof TreeLinkError;
    }
    return true;
  });
  return outcomes.every(Boolean) ? undefined : "another error was thrown";
};

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/**
 * Branches of the codec that V8 counts, and those that were never reached. Asking resets the
 * counts: once, at the end.
 */
const branches = async () => {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ranges = result
    .filter(({ url }) => /tree-link\/src\//u.test(url))
    .flatMap(({ functions, url }) =>
      functions.flatMap(({ functionName, ranges: blocks }) =>
        blocks.map((block) => ({
          ...block,
          place: `${url.split("/").at(-1)} ${functionName} ${block.startOffset}–${block.endOffset}`,
        })),
      ),
    );
  const missed = ranges.filter(({ count }) => count === 0).map(({ place }) => place);
  return { reached: ranges.length - missed.length, known: ranges.length, missed };
};

const deadline = performance.now() + Number(values.minutes) * 60_000;
const started = performance.now();
let executions = 0;
let accepted = 0;
while (performance.now() < deadline) {
  let fresh: string | undefined;
  for (let i = 0; i < BATCH; i++) {
    const parent = pick(corpus);
    const payload = random(3) === 0 ? mutateText(parent) : mutateBytes(parent);
    const complaint =
      check(payload) ?? checkEncode(payload) ?? (i % 100 === 0 ? checkTypes() : undefined);
    executions++;
    if (complaint !== undefined) {
      console.error(`${complaint}: ${JSON.stringify(payload)}`);
      process.exit(1);
    }
    if (safeDecode(payload).ok) {
      accepted++;
      fresh = payload;
    }
  }
  // A link that no seed held, now and then, keeps the mutations from circling around the seeds.
  if (fresh !== undefined && corpus.length < 2_000) corpus.push(fresh);
}
const seconds = (performance.now() - started) / 1000;
console.log(
  JSON.stringify({
    executions,
    executionsPerSecond: Math.round(executions / seconds),
    accepted,
    corpus: corpus.length,
    branches: await branches(),
  }),
);
