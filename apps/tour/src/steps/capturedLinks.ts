/**
 * Every captured link, decoded and encoded again, or rejected.
 */
import { isDeepStrictEqual } from "node:util";
import { encode, safeDecode } from "@game-data/tree-link";
import { Effect } from "effect";
import type { CapturedLink, Members } from "../replay/captured.ts";
import { isForCodec } from "../replay/writeRecording.ts";
import { Report } from "../report.ts";
import type { Step } from "../Tour.ts";

export const capturedLinks: Step = {
  title: "Every captured link",
  onlyCaptured: true,
  run: Effect.fnUntraced(function* ({ captured }) {
    const report = yield* Report;
    const links = captured?.links ?? [];
    if (links.length === 0) return { skipped: "no links are captured" };
    const checked = links.map((link) => ({ version: link.version ?? 0, result: check(link) }));
    const count = (list: typeof checked, wanted: ReturnType<typeof check>) =>
      list.filter(({ result }) => result === wanted).length;
    report.table(
      ["version", "links", "exact", "rejected"],
      [...Map.groupBy(checked, ({ version }) => version)]
        .toSorted(([a], [b]) => a - b)
        .map(([version, list]) => [
          version === 0 ? "none" : String(version),
          list.length,
          count(list, "exact"),
          count(list, "rejected"),
        ]),
    );
    return {
      result: "exact links decode like in an independent decoder, and encode to themselves",
      counts: {
        "links read exactly": count(checked, "exact"),
        "links rejected": count(checked, "rejected"),
      },
    };
  }),
};

const check = (link: CapturedLink) => {
  const decoded = safeDecode(link.payload);
  if (!decoded.ok) return "rejected";
  const isCanonical = unpadded(encode(decoded.link)) === unpadded(link.payload);
  const isExpected = isForCodec(link) && isDeepStrictEqual(decoded.link, expectedOf(link));
  return isCanonical && isExpected ? "exact" : "different";
};

/** The fields that a codec must decode, by the specification's names. */
export const expectedOf = ({ expected = {}, version }: CapturedLink): Members => {
  const { ascendancy, extended, fullscreen, hashes, masteries } = expected;
  return {
    version,
    class: expected["class"],
    ascendancy,
    hashes,
    ...(version === 4 ? { fullscreen } : { extendedHashes: extended }),
    ...(version === 6 && { masteries, alternateAscendancy: expected["second_ascendancy"] }),
  };
};

const unpadded = (payload: string) => payload.replace(/(?<!=)=+$/u, "");
