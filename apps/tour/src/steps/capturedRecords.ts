/**
 * Every captured record, checked against its schema.
 */
import { countRecords } from "@game-data/captured";
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
  run: Effect.fnUntraced(function* ({ captured, refused }) {
    const report = yield* Report;
    if (captured === undefined) return { skipped: "no records are captured" };
    const rejections: Array<Drift.Deviation> = [];
    const { others, rows, total } = countRecords(captured, (kind) => {
      const schema = recordKinds.get(kind.replace("Character.passives", "Passives"));
      if (schema === undefined) return undefined;
      return (record) => {
        const { drift, issues, valid } = check(schema, record);
        rejections.push(...issues);
        return { accepted: valid, drift: issues.length + drift.length > 0 };
      };
    });
    if (total.records === 0 && refused.length === 0 && captured.links.length > 0)
      return { skipped: "no records are captured" };
    report.table(
      ["record", "files", "records", "accepted", "rejected", "with drift"],
      rows.map((row) => [row.kind, row.files, row.records, row.accepted, row.rejected, row.drift]),
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
    const all = total.records + refused.length;
    yield* assert(all > 0, "the folder holds no captured records and no links");
    return {
      result: `${number(total.accepted)} of ${number(all)} records match the specification`,
      counts: { records: total.records },
      ...(refused.length > 0 && { refused }),
    };
  }),
};
