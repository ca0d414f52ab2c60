/**
 * Compares one response with the contract: status, headers, record, error body. Pure.
 *
 * The specification shows no rate-limit headers (§8) and no error object (§7). A response without
 * rate-limit headers is therefore no deviation; headers that are present must be in the form that
 * clients read. Error bodies are compared with the contract's own shape.
 */
import {
  RateLimitHeaders,
  type Route,
  type RouteName,
  routes,
  statusOfErrorCode,
} from "@game-data/contract";
import { bodies, ErrorBody } from "@game-data/contract/results";
import * as Conformance from "@game-data/schemas/Conformance";
import type { PlainRecord } from "@game-data/schemas/PlainRecord";
import { at } from "./bodyChecks.ts";
import { type Exchange, type Found, foundAt } from "./report.ts";

type Findings = ReadonlyArray<Found>;

/** Checks a response that must hold a record: status 200, JSON, and the schema to the letter. */
export const checkRecord = (exchange: Exchange, name: RouteName, body: unknown): Findings => {
  if (exchange.status !== 200) return [otherStatus("200", exchange)];
  const { results }: Route = routes[name];
  // An endpoint may have several responses: the one that fits best counts.
  const [best = []] = Object.values(results)
    .map((result) => recordDeviations(bodies[result] as PlainRecord<unknown>, body))
    .toSorted((one, next) => one.length - next.length);
  return [...checkJson(exchange), ...(body === undefined ? [] : best)];
};

/** Checks a response to a name that does not exist: the record is null, or an error says so. */
export const checkAbsent = (
  exchange: Exchange,
  member: string | undefined,
  body: unknown,
): Findings => {
  const { status } = exchange;
  if (member === undefined || status === 404) return checkError(exchange, [404]);
  if (status !== 200) return [otherStatus("200 or 404", exchange)];
  const value = at(body, member);
  if (body === undefined || value === null) return checkJson(exchange);
  const actual = value === undefined ? "absent" : "a value";
  const expected = "null for a name that does not exist (§7)";
  return [...checkJson(exchange), foundAt(["body", `/${member}`], "absent", expected, actual)];
};

/** Checks the response to a bad request: one of the statuses, and the error body. */
export const checkError = (exchange: Exchange, statuses: ReadonlyArray<number>): Findings => {
  const { body, status } = exchange;
  if (!statuses.includes(status)) return [otherStatus(statuses.join(" or "), exchange)];
  if (body === undefined) return checkJson(exchange);
  const found = [...checkJson(exchange), ...recordDeviations(ErrorBody, body)];
  const documented = statusOfErrorCode(at(at(body, "error"), "code"));
  if (documented === undefined || documented === status) return found;
  const [expected = "", actual = ""] = [status, documented].map((one) => `the code of ${one}`);
  return [...found, foundAt(["body", "/error/code"], "error-code", expected, actual)];
};

const otherStatus = (expected: string, { status }: Exchange): Found =>
  foundAt(["status", ""], "status", expected, String(status));

/** §4.2: data endpoints return JSON. */
const checkJson = (exchange: Exchange): Findings => {
  const name = "content-type";
  const type = exchange.headers.get(name) ?? "absent";
  const isJson = /^application\/json\s*(?:;|$)/iu.test(type);
  return [
    ...(isJson ? [] : [foundAt(["header", name], name, "application/json", type)]),
    ...(exchange.body === undefined
      ? [foundAt(["body", ""], "not-json", "JSON", "other text")]
      : []),
  ];
};

/** Maximum number of deviations of one body: a page has some 10,000 records. */
const MAX_DEVIATIONS = 100_000;

const recordDeviations = (record: PlainRecord<unknown>, body: unknown): Findings =>
  Conformance.report(record, body, { limit: MAX_DEVIATIONS })
    .filter(
      ({ kind, member, pointer }) =>
        // §2 lists no word for the realm of game 2 in a record, though requests name it.
        kind !== "unknown-word" ||
        !["Character.realm", "League.realm", "ItemFilter.realm"].includes(member) ||
        pointer.split("/").slice(1).reduce(at, body) !== "game2",
    )
    .map(({ actual, expected, kind, member, pointer }) => ({
      ...foundAt(["body", pointer], kind, expected, actual),
      member,
    }));

const WINDOWS = /^\d+:\d+:\d+(?:,\d+:\d+:\d+)*$/u;

/** Checks the form of rate-limit headers. */
export const checkRateHeaders = ({ headers }: Exchange): Findings => {
  const found: Array<Found> = [];
  const wrong = (name: string, expected: string) =>
    found.push(foundAt(["header", name], "rate-limit", expected, headers.get(name) ?? "absent"));
  const rules = headers.get(RateLimitHeaders.rules);
  const policy = headers.get(RateLimitHeaders.policy);
  if (policy !== null && rules === null) wrong(RateLimitHeaders.rules, "the rules of the policy");
  if (rules !== null && policy === null) wrong(RateLimitHeaders.policy, "the name of the policy");
  for (const rule of rules?.split(",") ?? []) {
    const limits = RateLimitHeaders.rule(rule.trim());
    const state = RateLimitHeaders.state(rule.trim());
    const read = (name: string) => headers.get(name)?.replaceAll(" ", "") ?? "";
    const malformed = [limits, state].find((name) => !WINDOWS.test(read(name)));
    if (malformed !== undefined) wrong(malformed, "hits:seconds:seconds, a list");
    else if (periods(read(limits)) !== periods(read(state)))
      wrong(state, `the periods of ${limits}`);
  }
  const wait = headers.get(RateLimitHeaders.retryAfter);
  if (wait !== null && !/^\d+$/u.test(wait) && Number.isNaN(Date.parse(wait)))
    wrong(RateLimitHeaders.retryAfter, "seconds or a date (RFC 9110 §10.2.3)");
  return found;
};

const periods = (windows: string): string =>
  windows
    .split(",")
    .map((window) => window.split(":")[1])
    .join();
