/**
 * Every captured record against its schema, and every captured link through the codec.
 */
import { isDeepStrictEqual } from "node:util";
import {
  type CapturedLink,
  census,
  expectedOf,
  linkCensus,
  type LinkVerdict,
} from "@game-data/captured";
import * as Report from "../report/Report.ts";
import * as Drift from "@game-data/schemas/Drift";
import { check, recordKinds } from "@game-data/schemas/Check";
import { encode, safeDecode } from "@game-data/tree-link";
import { Effect } from "effect";
import type { TourStep } from "../Tour.ts";

/** Records of every file, accepted or refused by their schemas. */
const records: TourStep = {
  title: "Every captured record against its schema",
  onlyCaptured: true,
  run: ({ captured }) =>
    Effect.sync(() => {
      if (captured === undefined) return { leftOut: "no records are captured" };
      const refusals: Array<Drift.Deviation> = [];
      const { others, rows, total } = census(captured, (kind) => {
        const schema = recordKinds.get(kind.replace("Character.passives", "Passives"));
        if (schema === undefined) return undefined;
        return (record) => {
          const { drift, issues, valid } = check(schema, record);
          refusals.push(...issues);
          return { accepted: valid, drift: issues.length + drift.length > 0 };
        };
      });
      Report.table(
        ["record", "files", "records", "read", "refused", "with drift"],
        rows.map((row) => [row.kind, row.files, row.records, row.accepted, row.refused, row.drift]),
      );
      const reasons = [...Drift.summary(refusals)].toSorted((a, b) => b[1] - a[1]);
      if (reasons.length > 0) Report.table(["refused because", "times"], reasons, 8);
      if (others.length > 0) Report.say("Without records:", ...others.map((path) => `  ${path}`));
      return {
        proof: `${Report.number(total.accepted)} of ${Report.number(total.records)} records have what the specification requires`,
        figures: { records: total.records },
      };
    }),
};

/** Every link, read and written again, or refused. */
const links: TourStep = {
  title: "Every captured link",
  onlyCaptured: true,
  run: ({ captured }) =>
    Effect.sync(() => {
      const all = captured?.links ?? [];
      if (all.length === 0) return { leftOut: "no links are captured" };
      const { rows, total } = linkCensus(all, verdictOf);
      Report.table(
        ["version", "links", "exact", "refused"],
        rows.map(({ exact, links: count, refused, version }) => [version, count, exact, refused]),
      );
      return {
        proof: "the exact ones give the values of an independent decoder, and themselves again",
        figures: total,
      };
    }),
};

const verdictOf = (link: CapturedLink): LinkVerdict => {
  const result = safeDecode(link.payload);
  if (!result.ok) return "refused";
  const isCanonical = unpadded(encode(result.link)) === unpadded(link.payload);
  return isCanonical && isDeepStrictEqual(result.link, expectedOf(link)) ? "exact" : "different";
};

const unpadded = (payload: string) => payload.replace(/=+$/u, "");

/** The steps. */
export const files = [records, links];
