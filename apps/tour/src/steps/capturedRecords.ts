/**
 * Every captured record, checked against its schema.
 */
import { check, recordKinds } from "@game-data/schemas/Check";
import * as Drift from "@game-data/schemas/Drift";
import { Effect } from "effect";
import { number, Report } from "../report.ts";
import { assert, type Step } from "../Tour.ts";

/** More refused records are counted only; `--json` lists all. */
const MAX_REFUSED = 20;

export const capturedRecords: Step = {
  title: "Every captured record against its schema",
  onlyCaptured: true,
  run: Effect.fnUntraced(function* ({ captured }) {
    const report = yield* Report;
    const { files = [], links = [], refused = [] } = captured ?? {};
    const rejections: Array<Drift.Deviation> = [];
    const others: Array<string> = [];
    const rows: Array<readonly [string, number, number, number, number, number]> = [];
    for (const [kind = "", of] of Map.groupBy(files, (file) => file.kind)) {
      const schema = recordKinds.get(kind.replace("Character.passives", "Passives"));
      if (schema === undefined) {
        others.push(...of.map(({ path }) => path));
        continue;
      }
      const results = of.flatMap(({ records }) => records.map((record) => check(schema, record)));
      rejections.push(...results.flatMap(({ issues }) => issues));
      const valid = results.filter((result) => result.valid).length;
      const drifting = results.filter(({ drift, issues }) => issues.length + drift.length > 0);
      const { length } = results;
      rows.push([kind, of.length, length, valid, length - valid, drifting.length]);
    }
    const records = rows.reduce((sum, row) => sum + row[2], 0);
    const accepted = rows.reduce((sum, row) => sum + row[3], 0);
    if (records === 0 && refused.length === 0 && links.length > 0)
      return { skipped: "no records are captured" };
    report.table(
      ["record", "files", "records", "accepted", "rejected", "with drift"],
      rows.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
    const reasons = [...Drift.summary(rejections)].toSorted((a, b) => b[1] - a[1]);
    if (reasons.length > 0) report.table(["rejected because", "times"], reasons, 8);
    if (others.length > 0) report.say("Without records:", ...others.map((path) => `  ${path}`));
    if (refused.length > 0)
      report.say(
        "Refused, and not served:",
        ...refused
          .slice(0, MAX_REFUSED)
          .map(({ file, pointer, reason }) => `  ${file} ${pointer}: ${reason}`),
        ...(refused.length > MAX_REFUSED ? [`  … and ${refused.length - MAX_REFUSED} more`] : []),
      );
    const all = records + refused.length;
    yield* assert(all > 0, "the folder holds no captured records and no links");
    return {
      result: `${number(accepted)} of ${number(all)} records match the specification`,
      counts: { records },
      ...(refused.length > 0 && { refused }),
    };
  }),
};
