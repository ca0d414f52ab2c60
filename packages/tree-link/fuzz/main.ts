/**
 * `pnpm fuzz tree-link [--cases N | --minutes N] [--seed N]`: fuzzes the package itself. The kit
 * compares the plain codec of `test/faults/` with the package, so that a fault of either is found;
 * it also checks errors and `decodePartial`. Exits with 1 at a finding.
 */
import { parseArgs } from "node:util";
import { decodePartial } from "@game-data/tree-link/partial";
import { type Codec, fuzz } from "@game-data/tree-link/fuzz";
import { safeDecode, TreeLinkError } from "@game-data/tree-link";
import { isEqual } from "../src/Vectors.ts";
import { plainCodec } from "../test/faults/plainCodec.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string" },
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
  },
});

// A stack for each of the refusals would take most of the time.
Error.stackTraceLimit = 0;

const plain = plainCodec();
const outcomes = new Set<string>();

/** What else must hold of every payload; throws where it does not. */
const check = (payload: string): void => {
  const result = safeDecode(payload);
  const { error, fields, link } = decodePartial(payload);
  if ((error === undefined) !== result.ok) throw new RangeError("decodePartial disagrees");
  if (!result.ok) {
    const { offset, reason, unit } = result.error;
    if (!(result.error instanceof TreeLinkError)) throw new RangeError("another error");
    if (!(offset >= 0 && offset <= payload.length)) throw new RangeError("offset outside");
    outcomes.add(`${reason} ${unit}`);
    return;
  }
  if (fields.length === 0 || !isEqual(link.hashes, result.link.hashes))
    throw new RangeError("the partial link differs");
  outcomes.add(`version ${result.link.version}`);
};

const codec: Codec = {
  decode: (payload) => {
    check(payload);
    return plain.decode(payload);
  },
  encode: plain.encode!,
};

const started = performance.now();
const { cases, findings } = fuzz(codec, {
  seed: Number(values.seed),
  ...(values.cases === undefined
    ? { seconds: Number(values.minutes) * 60 }
    : { cases: Number(values.cases) }),
});
for (const finding of findings) console.error(JSON.stringify(finding));
const seconds = (performance.now() - started) / 1000;
const perSecond = Math.round(cases / seconds);
console.log(
  JSON.stringify({ cases, perSecond, outcomes: outcomes.size, findings: findings.length }),
);
if (findings.length > 0) process.exitCode = 1;
