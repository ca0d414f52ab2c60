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
import { parseJson } from "../internal/encoding.ts";
import { foundAt, type Exchange, type Found } from "./report.ts";

/** The records that a body may be: an endpoint may have several responses. */
type Schemas = readonly [PlainRecord<unknown>, ...Array<PlainRecord<unknown>>];

export const responseSchemas = (name: RouteName): Schemas => {
  const { results }: Route = routes[name];
  return Object.values(results).map((body) => bodies[body]) as unknown as Schemas;
};

export const parseBody = ({ text }: Exchange): unknown => parseJson(text);

/** Checks a response that must hold a record: status 200, JSON, and the schema to the letter. */
export const checkRecord = (exchange: Exchange, schemas: Schemas, body: unknown): Array<Found> => {
  const { status } = exchange;
  if (status !== 200) return [differentStatus("200", exchange)];
  return [...checkJson(exchange), ...(body === undefined ? [] : recordDeviations(schemas, body))];
};

/** Checks a response to a name that does not exist: the record is null, or an error says so. */
export const checkAbsent = (
  exchange: Exchange,
  member: string | undefined,
  body: unknown,
): Array<Found> => {
  const { status } = exchange;
  const form = [...checkJson(exchange)];
  if (member === undefined) return [...form, ...checkError(exchange, [404])];
  if (status === 404) return [...checkError(exchange, [404])];
  if (status !== 200) return [differentStatus("200 or 404", exchange)];
  const value = at(body, member);
  return body === undefined || value === null
    ? form
    : [
        ...form,
        foundAt(
          ["body", `/${member}`],
          "absent",
          "null for a name that does not exist (§7)",
          value === undefined ? "absent" : "a value",
        ),
      ];
};

/** Checks the response to a bad request: one of the statuses, and the error body. */
export const checkError = (
  exchange: Exchange,
  statuses: ReadonlyArray<number>,
): ReadonlyArray<Found> => {
  const { status } = exchange;
  if (!statuses.includes(status)) return [differentStatus(statuses.join(" or "), exchange)];
  const body = parseBody(exchange);
  const form = checkJson(exchange);
  if (body === undefined) return form;
  const shape = recordDeviations([ErrorBody], body);
  const code = at(at(body, "error"), "code");
  const documented = statusOfErrorCode(code);
  if (documented === undefined || documented === status) return [...form, ...shape];
  const [expected, actual] = [status, documented].map((one) => `the code of status ${one}`);
  return [...form, ...shape, foundAt(["body", "/error/code"], "error-code", expected!, actual!)];
};

const differentStatus = (expected: string, { status }: Exchange): Found =>
  foundAt(["status", ""], "status", expected, String(status));

/** §4.2: data endpoints return JSON. */
const checkJson = (exchange: Exchange): ReadonlyArray<Found> => {
  const type = exchange.headers.get("content-type");
  const isJson = /^application\/json\s*(?:;|$)/iu.test(type ?? "");
  const wrongType = foundAt(
    ["header", "content-type"],
    "content-type",
    "application/json",
    type ?? "absent",
  );
  return [
    ...(isJson ? [] : [wrongType]),
    ...(parseBody(exchange) === undefined
      ? [foundAt(["body", ""], "not-json", "JSON", "other text")]
      : []),
  ];
};

/** The largest number of deviations of one body: a page has some 10,000 records. */
const MOST = 100_000;

/** The deviations from the schema that fits best. */
const recordDeviations = ([first, ...others]: Schemas, body: unknown): ReadonlyArray<Found> =>
  others
    .map((schema) => Conformance.report(schema, body, { limit: MOST }))
    .reduce(
      (best, next) => (next.length < best.length ? next : best),
      Conformance.report(first, body, { limit: MOST }),
    )
    .filter((deviation) => !isGame2Word(deviation, body))
    .map(({ actual, expected, kind, member, pointer }) => ({
      in: "body",
      at: pointer,
      kind,
      expected,
      actual,
      member,
    }));

/**
 * §2 lists no word for the realm of game 2 in a character or a league, though requests name it: its
 * own name is no deviation there.
 */
const isGame2Word = (
  { kind, member, pointer }: { readonly kind: string; readonly member: string; pointer: string },
  body: unknown,
): boolean =>
  kind === "unknown-word" &&
  ["Character.realm", "League.realm", "ItemFilter.realm"].includes(member) &&
  pointer.split("/").slice(1).reduce(at, body) === "game2";

/** A member of an object or array; `undefined` of anything else. */
export const at = (value: unknown, member: string | number): unknown =>
  typeof value === "object" && value !== null
    ? (value as Readonly<Record<string | number, unknown>>)[member]
    : undefined;

const WINDOWS = /^\d+:\d+:\d+(?:,\d+:\d+:\d+)*$/u;

export const checkRateHeaders = ({ headers }: Exchange): ReadonlyArray<Found> => {
  const found: Array<Found> = [];
  const wrong = (name: string, expected: string, actual: string) =>
    found.push(foundAt(["header", name], "rate-limit", expected, actual));
  const rules = headers.get(RateLimitHeaders.rules);
  const policy = headers.get(RateLimitHeaders.policy);
  if (policy !== null && rules === null)
    wrong(RateLimitHeaders.rules, "the rules of the policy", "absent");
  if (rules !== null && policy === null)
    wrong(RateLimitHeaders.policy, "the name of the policy", "absent");
  for (const rule of rules === null ? [] : rules.split(",").map((name) => name.trim())) {
    const names = [RateLimitHeaders.rule(rule), RateLimitHeaders.state(rule)] as const;
    const [limits, state] = names.map((name) => headers.get(name)?.replaceAll(" ", "") ?? "");
    const bad = [limits, state].findIndex((value) => !WINDOWS.test(value!));
    if (bad !== -1) {
      const value = headers.get(names[bad]!);
      wrong(names[bad]!, "hits:seconds:seconds, a list", value ?? "absent");
    } else if (periodsOf(limits!) !== periodsOf(state!))
      wrong(names[1], `the periods of ${names[0]}`, "other periods");
  }
  const retryAfter = headers.get(RateLimitHeaders.retryAfter);
  if (retryAfter !== null && !/^\d+$/u.test(retryAfter) && Number.isNaN(Date.parse(retryAfter)))
    wrong(RateLimitHeaders.retryAfter, "seconds or a date (RFC 9110 §10.2.3)", retryAfter);
  return found;
};

const periodsOf = (windows: string): string =>
  windows
    .split(",")
    .map((window) => window.split(":")[1])
    .join();
