/**
 * Compares one response with the contract and with its request: status, headers, record, error body.
 * Pure.
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
import { type BodyCheck, type Exchange, type Found, foundAt } from "./report.ts";

type Findings = ReadonlyArray<Found>;

/** Checks a response that must hold a record: status 200, JSON, and the schema to the letter. */
export const checkRecord = (exchange: Exchange, name: RouteName, body: unknown): Findings => {
  if (exchange.status !== 200) return [otherStatus("200", exchange)];
  const { results }: Route = routes[name];
  // An endpoint may have several kinds of responses. Compares with the kind that has the fewest
  // deviations.
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

/** Checks that a response is JSON and says so in its content type (§4.2). */
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

/** Maximum number of deviations of one body. A page has about 10,000 records. */
const MAX_DEVIATIONS = 100_000;

const recordDeviations = (record: PlainRecord<unknown>, body: unknown): Findings =>
  Conformance.report(record, body, { limit: MAX_DEVIATIONS })
    .filter(
      ({ kind, member, pointer }) =>
        // Requests name the realm `game2`, but §2 lists no word for it in a record.
        kind !== "unknown-word" ||
        !["Character.realm", "League.realm", "ItemFilter.realm"].includes(member) ||
        pointer.split("/").slice(1).reduce(at, body) !== "game2",
    )
    .map(({ actual, expected, kind, member, pointer }) => ({
      ...foundAt(["body", pointer], kind, expected, actual),
      member,
    }));

const WINDOWS = /^\d+:\d+:\d+(?:,\d+:\d+:\d+)*$/u;

/** Checks rate-limit headers: names, syntax, and equal periods of limits and state. */
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

/*
 * Checks that compare a record with its request, and its entries with each other.
 */

/** Returns a member of an object or array, or `undefined` if the value is neither. */
export const at = (value: unknown, member: string | number): unknown =>
  typeof value === "object" && value !== null
    ? (value as Readonly<Record<string | number, unknown>>)[member]
    : undefined;

/** Returns the list in a member, or an empty list if there is none. */
export const listIn = (value: unknown, member: string): ReadonlyArray<unknown> => {
  const list = at(value, member);
  return Array.isArray(list) ? (list as ReadonlyArray<unknown>) : [];
};

const other = (pointer: string, expected: string, actual: string): Found =>
  foundAt(["body", pointer], "other-result", expected, actual);

/** Checks that the record in `member` has the requested `name`. */
export const names =
  (member: string, name: string, value: string | undefined): BodyCheck =>
  (body) => {
    if (at(at(body, member), name) === value) return [];
    const actual = at(body, member) === null ? "null" : "another one";
    return [other(`/${member}/${name}`, "the requested one", actual)];
  };

/** Checks that the list at `path` has at most `most` entries. */
export const atMost =
  (path: ReadonlyArray<string>, most: number): BodyCheck =>
  (body) => {
    const list = path.reduce(at, body);
    return Array.isArray(list) && list.length > most
      ? [other(`/${path.join("/")}`, `at most ${most}`, `${list.length}`)]
      : [];
  };

/** Checks that a ladder has at most `most` entries, and no rank before a lower one. */
export const entries =
  (member: string, most: number): BodyCheck =>
  (body) => [
    ...atMost([member, "entries"], most)(body),
    ...inOrder([member, "entries"], ["rank"], (before, after) => after < before)(body),
  ];

/** Reports the first entry whose number breaks the order. */
const inOrder =
  (
    list: readonly [string, string],
    path: ReadonlyArray<string>,
    isBroken: (before: number, after: number) => boolean,
  ): BodyCheck =>
  (body) => {
    const numbers = listIn(at(body, list[0]), list[1]).map((entry) => path.reduce(at, entry));
    const wrong = numbers.findIndex((after, index) => {
      const before = numbers[index - 1];
      return typeof before === "number" && typeof after === "number" && isBroken(before, after);
    });
    if (wrong === -1) return [];
    const pointer = ["", ...list, wrong, ...path].join("/");
    return [other(pointer, "the order of the entries before", "another order")];
  };

/** Checks that a ladder is sorted by experience, the highest first (§4.2). */
export const byExperience: BodyCheck = inOrder(
  ["league", "entries"],
  ["character", "experience"],
  (before, after) => after > before,
);

/** Checks that a page of the stream has each stash once, and is not its own successor (§4.2). */
export const streamPage =
  (asked: string | undefined): BodyCheck =>
  (body) => {
    const isStill = asked !== undefined && at(body, "next_change_id") === asked;
    return isStill && listIn(body, "stashes").length > 0
      ? [...uniqueTabs(body), other("/next_change_id", "another id", "the requested id")]
      : uniqueTabs(body);
  };

/** Checks that the tabs of a list, and the tabs within them, have different ids (§2). */
export const uniqueTabs: BodyCheck = (body) => {
  const seen = new Map<unknown, string>();
  const visit = (tabs: ReadonlyArray<unknown>, pointer: string): ReadonlyArray<Found> =>
    tabs.flatMap((tab, index) => {
      const here = `${pointer}/${index}`;
      const id = at(tab, "id");
      const first = seen.get(id);
      if (first === undefined && typeof id === "string") seen.set(id, here);
      return [
        ...(first === undefined
          ? []
          : [other(`${here}/id`, "an id of its own", `the id of ${first}`)]),
        ...visit(listIn(tab, "children"), `${here}/children`),
      ];
    });
  return visit(listIn(body, "stashes"), "/stashes");
};

/** Checks that the exchange does not lead back to an hour before the requested hour. */
export const notBefore =
  (id: number | undefined): BodyCheck =>
  (body) => {
    const next = at(body, "next_change_id");
    return id !== undefined && typeof next === "number" && next < id
      ? [other("/next_change_id", "the requested hour or a later one", "an earlier hour")]
      : [];
  };
