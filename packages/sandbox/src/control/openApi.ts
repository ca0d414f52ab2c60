/** The OpenAPI document of the control plane, from the documents that it checks. */
import { FaultRule, FaultStatus } from "../faults/Fault.ts";
import { anyOf, type Document, type JsonSchema, json, list, object } from "../internal/document.ts";
import { RatePolicies } from "../rates/RatePolicy.ts";
import {
  AuthorizeBody,
  ClientBody,
  ClockChange,
  ClockReading,
  PolicyChange,
  ScenarioBody,
  SandboxSnapshot,
  TokensBody,
  VerifyBody,
} from "./documents.ts";
import {
  AccountMembers,
  CharacterMembers,
  ItemMembers,
  ItemPut,
  LeagueMembers,
  StashMembers,
} from "./editDocuments.ts";

interface Operation {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly body?: Document<unknown>;
  readonly result?: Document<unknown>;
  readonly status?: number;
  readonly query?: ReadonlyArray<readonly [name: string, type: "string" | "integer"]>;
}

const faults = object({ faults: list(FaultStatus) });

const describe = (
  method: Operation["method"],
  path: string,
  tag: string,
  summary: string,
  more: Pick<Operation, "body" | "query" | "result" | "status"> = {},
): Operation => ({ method, path, tag, summary, ...more });

/** `PUT`, `PATCH` and `DELETE` of a thing of the world. */
const editsOf = (
  path: string,
  thing: string,
  body: Document<unknown>,
  whole: Document<unknown> = body,
): ReadonlyArray<Operation> => [
  describe("put", path, "world", `Say what ${thing} is; what is left out is completed`, {
    result: json,
    body: whole,
  }),
  describe("patch", path, "world", `Change members of ${thing}`, { result: json, body }),
  describe("delete", path, "world", `Take the edit of ${thing} back`, { status: 204 }),
];

const OPERATIONS: ReadonlyArray<Operation> = [
  describe("get", "/control/clock", "clock", "Where the virtual clock stands", {
    result: ClockReading,
  }),
  describe(
    "post",
    "/control/clock",
    "clock",
    "Advance, set, freeze or unfreeze the virtual clock",
    { body: ClockChange, result: ClockReading },
  ),
  describe("get", "/control/faults", "faults", "The rules in force, and how often each has fired", {
    result: faults,
  }),
  describe(
    "post",
    "/control/faults",
    "faults",
    "Add one rule or several; a rule of the same id is replaced",
    { result: faults, body: anyOf(FaultRule, list(FaultRule)) },
  ),
  describe("delete", "/control/faults", "faults", "Remove all rules", { status: 204 }),
  describe("delete", "/control/faults/{id}", "faults", "Remove one rule", { status: 204 }),
  describe("get", "/control/policies", "policies", "The rate policies in force", {
    result: RatePolicies,
  }),
  describe(
    "put",
    "/control/policies",
    "policies",
    "Put other rate policies in force, or a ready-made document by its name",
    { result: RatePolicies, body: PolicyChange },
  ),
  describe("post", "/control/policies", "policies", "The same by POST", {
    result: RatePolicies,
    body: PolicyChange,
  }),
  describe(
    "get",
    "/control/limits",
    "policies",
    "What is counted at present, by policy, rule, identity and window",
    { result: json },
  ),
  describe("get", "/control/scenarios", "scenarios", "Every scenario, and which of them run", {
    result: json,
  }),
  describe(
    "post",
    "/control/scenarios",
    "scenarios",
    "Start a scenario: what it sets up now, and its steps as requests come",
    { result: json, status: 201, body: ScenarioBody },
  ),
  describe(
    "delete",
    "/control/scenarios",
    "scenarios",
    "Stop the scenarios that run, and remove their faults",
    { status: 204 },
  ),
  describe(
    "get",
    "/control/world",
    "world",
    "Any GET of the data API as an account, without token, limits, faults and journal",
    {
      result: json,
      query: [
        ["path", "string"],
        ["account", "string"],
      ],
    },
  ),
  describe(
    "get",
    "/control/replay",
    "world",
    "How many recorded answers are served, which files are left out and why, and what was not recorded",
    { result: json },
  ),
  ...editsOf("/control/accounts/{account}", "an account", AccountMembers),
  ...editsOf(
    "/control/accounts/{account}/characters/{realm}/{name}",
    "a character",
    CharacterMembers,
  ),
  ...editsOf(
    "/control/accounts/{account}/stashes/{realm}/{league}/{id}",
    "a stash tab",
    StashMembers,
  ),
  ...editsOf("/control/items/{id}", "an item", ItemMembers, ItemPut),
  ...editsOf("/control/leagues/{realm}/{id}", "a league", LeagueMembers),
  describe("get", "/control/edits", "world", "Every edit of the world that is in force", {
    result: json,
  }),
  describe(
    "get",
    "/control/audit",
    "journal",
    "The verdicts of the audit's rules on what the journal holds",
    { result: json },
  ),
  describe("get", "/control/journal", "journal", "The newest requests, without any secret", {
    result: json,
    query: [
      ["since", "integer"],
      ["limit", "integer"],
      ["endpoint", "string"],
      ["clientId", "string"],
      ["status", "integer"],
    ],
  }),
  describe("delete", "/control/journal", "journal", "Forget the journal", { status: 204 }),
  describe(
    "get",
    "/control/journal/stream",
    "journal",
    "New requests as server-sent events; resumes by Last-Event-ID",
  ),
  describe(
    "get",
    "/control/unmatched",
    "journal",
    "Requests that no route matched, with the nearest template",
    { result: json },
  ),
  describe(
    "post",
    "/control/verify",
    "journal",
    "Count requests: 200 where the number is met, 409 where it is not",
    { result: json, body: VerifyBody },
  ),
  describe(
    "post",
    "/control/reset",
    "state",
    "Back to the first start: world, tokens, clock, policies; no faults, no journal",
    { result: ClockReading },
  ),
  describe("post", "/control/snapshot", "state", "Everything that changes, as one document", {
    result: SandboxSnapshot,
  }),
  describe(
    "post",
    "/control/restore",
    "state",
    "Continue from a snapshot of a sandbox with the same seed",
    { result: ClockReading, body: SandboxSnapshot },
  ),
  describe("get", "/control/ready", "health", "Whether requests are answered, and where", {
    result: json,
  }),
  describe("get", "/control/health", "health", "Whether the process lives; needs no control key", {
    result: json,
  }),
  describe(
    "post",
    "/control/authorize",
    "signIn",
    "Consent, or deny, as an account: the code flow without a browser",
    { result: json, body: AuthorizeBody },
  ),
  describe("get", "/control/tokens", "signIn", "Grants in force with their tokens' prefixes", {
    result: json,
  }),
  describe(
    "post",
    "/control/tokens",
    "signIn",
    "Issue tokens without any flow, for tests of data endpoints",
    { result: json, body: TokensBody },
  ),
  describe("delete", "/control/grants/{id}", "signIn", "Revoke a grant and every token of it", {
    status: 204,
  }),
  describe(
    "get",
    "/control/clients",
    "signIn",
    "The registered applications, without their secrets",
    { result: json },
  ),
  describe("post", "/control/clients", "signIn", "Register an application", {
    result: json,
    status: 201,
    body: ClientBody,
  }),
  describe("get", "/control/accounts", "signIn", "The accounts that can sign in", {
    result: json,
  }),
];

const jsonContent = (schema: JsonSchema) => ({ content: { "application/json": { schema } } });

const REJECTED: JsonSchema = {
  type: "object",
  properties: { reason: { type: "string" }, issues: { type: "array", items: {} } },
  required: ["reason"],
};

const operationOf = ({ body, path, query, result, status, summary, tag }: Operation) => ({
  tags: [tag],
  summary,
  parameters: [
    ...[...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    })),
    ...(query ?? []).map(([name, type]) => ({ name, in: "query", schema: { type } })),
  ],
  ...(body === undefined ? {} : { requestBody: { required: true, ...jsonContent(body.schema) } }),
  responses: {
    [String(status ?? 200)]: {
      description: "Success",
      ...(result === undefined ? {} : jsonContent(result.schema)),
    },
    ...(body === undefined
      ? {}
      : { 400: { description: "The document does not fit", ...jsonContent(REJECTED) } }),
  },
});

/** The document, with the address at which the control plane is. */
export const controlOpenApi = (url: string): object => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS)
    (paths[operation.path] ??= {})[operation.method] = operationOf(operation);
  return {
    openapi: "3.1.0",
    info: {
      title: "Game Data sandbox: control plane",
      version: "1",
      description:
        "Clock, faults, rate policies, journal and state of a running sandbox. For development and tests only.",
    },
    servers: [{ url }],
    paths,
  };
};
