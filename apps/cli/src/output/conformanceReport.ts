/**
 * The report of `gamedata conformance` for people: a table of the endpoints, then the deviations
 * and what was not asked, wrapped to the width of the terminal.
 */
import { clean, styled, table, type View } from "@game-data/terminal/View";
import type {
  ConformanceReport,
  ContractDeviation,
  EndpointReport,
} from "@game-data/sandbox/conformance";

/** Shows a report in at most so many columns. */
export const conformanceReport = (
  { endpoints, requests }: ConformanceReport,
  width = Infinity,
): View => [
  table(
    ["endpoint", "sent", "result"],
    endpoints.map((each) => [each.endpoint, each.requests, each.result]),
  ),
  ...endpoints
    .filter(({ deviations }) => deviations.length > 0)
    .flatMap((each) => ["", ...deviationLines(each, width)]),
  ...notAskedLines(endpoints, width),
  "",
  ...wrap(summary(endpoints, requests), width, 0),
];

const summary = (endpoints: ReadonlyArray<EndpointReport>, requests: number): string => {
  const count = (result: EndpointReport["result"]) =>
    endpoints.filter((each) => each.result === result).length;
  return `${requests} requests: ${count("conforms")} endpoints conform, ${count("deviates")} deviate, ${count("not asked")} not asked.`;
};

const deviationLines = (
  { deviations, endpoint }: EndpointReport,
  width: number,
): ReadonlyArray<string> => [
  styled("bold", endpoint),
  ...deviations.flatMap((each) => [
    ...wrap(`✗ ${placeOf(each)}`, width, 2).map((line) => styled("red", line)),
    ...wrap(`${each.kind}: expected ${each.expected}, received ${each.actual}`, width, 4),
    ...wrap(each.count === 1 ? each.request : `${each.request} (${each.count} times)`, width, 4),
  ]),
];

const placeOf = ({ at, in: part }: ContractDeviation): string =>
  part === "status" ? "status" : part === "header" ? `header ${at}` : at === "" ? "body" : at;

/** Groups the endpoints by the reason for which they were not asked. */
const notAskedLines = (
  endpoints: ReadonlyArray<EndpointReport>,
  width: number,
): ReadonlyArray<string> => {
  const pairs = endpoints.flatMap(({ endpoint, notAsked }) =>
    notAsked.map((reason) => ({ endpoint, reason })),
  );
  const byReason = Map.groupBy(pairs, ({ reason }) => reason);
  if (byReason.size === 0) return [];
  return [
    "",
    styled("bold", "Not asked"),
    ...[...byReason].flatMap(([reason, of]) => [
      ...wrap([...new Set(of.map(({ endpoint }) => endpoint))].join(", "), width, 2),
      ...wrap(reason, width, 4),
    ]),
  ];
};

/** Breaks a line at spaces and, where a word is longer than a line, within it. */
const wrap = (text: string, width: number, indent: number): ReadonlyArray<string> => {
  const room = Math.max(MIN_ROOM, width - indent);
  const lines: Array<string> = [];
  let line = "";
  for (const word of clean(text).split(" ")) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (joined.length <= room) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (line.length > room) {
      lines.push(line.slice(0, room));
      line = line.slice(room);
    }
  }
  return [...lines, line].map((each) => " ".repeat(indent) + each);
};

const MIN_ROOM = 20;
