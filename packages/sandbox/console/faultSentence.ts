/** A fault as a sentence: "answers 503 to stashes, twice". */
import type { Fault, FaultRule } from "../src/faults/Fault.ts";

type Of<Kind extends Fault["kind"]> = Extract<Fault, { readonly kind: Kind }>;

/** Total over the kinds: a new one does not compile without its words. */
const WHAT: { readonly [Kind in Fault["kind"]]: (fault: Of<Kind>) => string } = {
  status: ({ retryAfter, status }) =>
    `answers ${status}${retryAfter === undefined ? "" : ` (Retry-After ${retryAfter})`} to`,
  firewallPage: () => "answers with a firewall's page to",
  nullResult: () => "answers with a null result to",
  delay: () => "waits before it answers",
  dribble: ({ bytes }) => `sends ${bytes} bytes at a time to`,
  truncate: ({ atByte }) => `cuts the body at byte ${atByte} of`,
  contentLength: () => "lies about the length of the body of",
  malformedJson: () => "sends broken JSON to",
  gzipCut: () => "cuts the compressed body of",
  reset: () => "resets the connection of",
  hang: () => "never answers",
  changeId: ({ mode }) => `answers with another change id (${mode}) to`,
  duplicateChanges: () => "sends changes twice to",
  headers: () => "changes the headers of",
  members: () => "adds members and words that nobody knows to",
  forgedState: () => "sends callbacks with another state, after",
  nulls: () => "sends optional members as null to",
};

const times = (count: number): string =>
  count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;

const when = ({ after, count, every, from, nth, probability, until }: FaultRule["when"] & {}) =>
  [
    nth === undefined ? "" : `at request ${[nth].flat().join(" and ")}`,
    after === undefined ? "" : `after ${times(after)}`,
    every === undefined ? "" : `every ${every}th time`,
    probability === undefined ? "" : `in ${Math.round(probability * 100)} % of cases`,
    from === undefined ? "" : `from ${from} on`,
    until === undefined ? "" : `until ${until}`,
    count === undefined ? "" : `${times(count)} at most`,
  ].filter((part) => part !== "");

/** What a rule does, to whom, and when. */
export const faultSentence = ({ fault, match = {}, when: condition = {} }: FaultRule): string => {
  const { account, clientId, endpoint, grantType, method, path, route } = match;
  const whom = [
    endpoint ?? route ?? (path === undefined ? "every request" : `paths below ${path}`),
    ...(method === undefined ? [] : [`by ${method}`]),
    ...(grantType === undefined ? [] : [`with ${grantType}`]),
    ...(clientId === undefined ? [] : [`of ${clientId}`]),
    ...(account === undefined ? [] : [`for ${account}`]),
  ].join(" ");
  const what = WHAT[fault.kind] as (one: Fault) => string;
  return [`${what(fault)} ${whom}`, ...when(condition)].join(", ");
};
