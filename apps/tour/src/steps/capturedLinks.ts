/**
 * Every captured link, decoded and encoded again, or rejected.
 */
import { isDeepStrictEqual } from "node:util";
import { type CapturedLink, countLinks, expectedOf, type LinkResult } from "@game-data/captured";
import { encode, safeDecode } from "@game-data/tree-link";
import { Effect } from "effect";
import { Report } from "../report.ts";
import type { Step } from "../Tour.ts";

export const capturedLinks: Step = {
  title: "Every captured link",
  onlyCaptured: true,
  run: Effect.fnUntraced(function* ({ captured }) {
    const report = yield* Report;
    const links = captured?.links ?? [];
    if (links.length === 0) return { skipped: "no links are captured" };
    const { rows, total } = countLinks(links, decodeAndCompare);
    report.table(
      ["version", "links", "exact", "rejected"],
      rows.map((row) => [row.version, row.links, row.exact, row.rejected]),
    );
    return {
      result: "exact links decode like in an independent decoder, and encode to themselves",
      counts: total,
    };
  }),
};

const decodeAndCompare = (link: CapturedLink): LinkResult => {
  const decoded = safeDecode(link.payload);
  if (!decoded.ok) return "rejected";
  const isCanonical = unpadded(encode(decoded.link)) === unpadded(link.payload);
  return isCanonical && isDeepStrictEqual(decoded.link, expectedOf(link)) ? "exact" : "different";
};

const unpadded = (payload: string) => payload.replace(/(?<!=)=+$/u, "");
