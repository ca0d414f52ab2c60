/**
 * The alert rules of `deploy/`, evaluated for the expressions that they use: a comparison of each
 * series, of a group's maximum, `absent`, and the growth of a counter between two scrapes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const file = join(import.meta.dirname, "../../deploy/alerts.yaml");
const { groups } = parse(readFileSync(file, "utf8")) as {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<AlertRule> }>;
};

export const rules = groups.flatMap((group) => group.rules);

type Series = ReadonlyMap<string, number>;

/** Reads the series of `name` or `name{label="value"}`. */
const readSeries = (selector: string, scrape: string): Series => {
  const [, metric, wanted = ""] = /^(\w+)(?:\{(.*)\})?$/u.exec(selector)!;
  return new Map(
    [...scrape.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gmu)].flatMap(([, name, labels = "", value]) =>
      name === metric && labels.includes(wanted) ? [[labels, Number(value)] as const] : [],
    ),
  );
};

const COMPARED = /^(?:max by \([\w, ]+\) \()?(\w+)\)? (==|>) (\d+)$/u;
const GROWN = /^\((\S+) unless \1 offset 1h\) > 0 or increase\(\1\[1h\]\) > 0$/u;

const isFiring = (expr: string, before: string, now: string): boolean => {
  const absent = /^absent\((\w+)\)$/u.exec(expr)?.[1];
  if (absent !== undefined) return readSeries(absent, now).size === 0;
  const grown = GROWN.exec(expr)?.[1];
  if (grown !== undefined) {
    const earlier = readSeries(grown, before);
    return [...readSeries(grown, now)].some(
      ([labels, value]) => value > (earlier.get(labels) ?? 0),
    );
  }
  const [, metric, operator, bound] = COMPARED.exec(expr) ?? [];
  if (metric === undefined) throw new Error(`an expression that the test cannot read: ${expr}`);
  const values = [...readSeries(metric, now).values()];
  const compared = expr.startsWith("max") && values.length > 0 ? [Math.max(...values)] : values;
  return compared.some((value) =>
    operator === "==" ? value === Number(bound) : value > Number(bound),
  );
};

/** The alerts whose condition holds, by two scrapes in Prometheus' text format. */
export const firing = (before: string, now: string): ReadonlyArray<string> =>
  rules.filter(({ expr }) => isFiring(expr, before, now)).map(({ alert }) => alert);
