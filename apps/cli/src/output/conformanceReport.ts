/**
 * The report of `gamedata conformance` for people: a table of the endpoints, then the deviations
 * and what was not asked.
 */
import { clean, styled, table, type View } from "@game-data/terminal/View";
import type {
  ConformanceReport,
  ContractDeviation,
  EndpointReport,
} from "@game-data/sandbox/conformance";

/** Shows a report. */
export const conformanceReport = ({ endpoints, requests }: ConformanceReport): View => [
  table(
    ["endpoint", "sent", "result"],
    endpoints.map((each) => [each.endpoint, each.requests, each.result]),
  ),
  ...endpoints
    .filter(({ deviations }) => deviations.length > 0)
    .flatMap(({ deviations, endpoint }) => [
      "",
      styled("bold", endpoint),
      ...deviations.flatMap(deviationLines),
    ]),
  ...notAskedLines(endpoints),
  "",
  summary(endpoints, requests),
];

const summary = (endpoints: ReadonlyArray<EndpointReport>, requests: number): string => {
  const count = (result: EndpointReport["result"]) =>
    endpoints.filter((each) => each.result === result).length;
  return `${requests} requests: ${count("conforms")} endpoints conform, ${count("deviates")} deviate, ${count("not asked")} not asked.`;
};

const deviationLines = (found: ContractDeviation): ReadonlyArray<string> => {
  const { actual, count, expected, kind, request } = found;
  return [
    styled("red", `  ✗ ${clean(placeOf(found))}`),
    `    ${clean(`${kind}: expected ${expected}, received ${actual}`)}`,
    `    ${clean(count === 1 ? request : `${request} (${count} times)`)}`,
  ];
};

const placeOf = ({ at, in: part }: ContractDeviation): string =>
  part === "status" ? "status" : part === "header" ? `header ${at}` : at === "" ? "body" : at;

/** Groups the endpoints by the reason for which they were not asked. */
const notAskedLines = (endpoints: ReadonlyArray<EndpointReport>): ReadonlyArray<string> => {
  const pairs = endpoints.flatMap(({ endpoint, notAsked }) =>
    notAsked.map((reason) => ({ endpoint, reason })),
  );
  const byReason = Map.groupBy(pairs, ({ reason }) => reason);
  if (byReason.size === 0) return [];
  return [
    "",
    styled("bold", "Not asked"),
    ...[...byReason].flatMap(([reason, of]) => [
      `  ${[...new Set(of.map(({ endpoint }) => endpoint))].join(", ")}`,
      `    ${clean(reason)}`,
    ]),
  ];
};
