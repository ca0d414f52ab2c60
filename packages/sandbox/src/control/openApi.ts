/** The OpenAPI document of the control plane, from the documents that it checks. */
import { FaultRule, FaultStatus } from "../faults/Fault.ts";
import { anyOf, type Document, type JsonSchema, json, list, object } from "../internal/document.ts";
import { RatePolicies } from "../rates/RatePolicy.ts";
import {
  AuthorizeBody,
  CaptureBody,
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
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly status: string;
  readonly summary: string;
}

/** A row an operation: method, path below `/control`, group, status of success, summary. */
const TABLE = `
get /clock clock 200 Where the virtual clock stands
post /clock clock 200 Advance, set, freeze or unfreeze the virtual clock
get /faults faults 200 The rules in force, and how often each has fired
post /faults faults 200 Add one rule or several; a rule of the same id is replaced
delete /faults faults 204 Remove all rules
delete /faults/{id} faults 204 Remove one rule
get /policies policies 200 The rate policies in force
put /policies policies 200 Put other rate policies in force, or a ready-made document by its name
post /policies policies 200 The same by POST
get /limits policies 200 What is counted at present, by policy, rule, identity and window
get /scenarios scenarios 200 Every scenario, and which of them run
post /scenarios scenarios 201 Start a scenario: what it sets up now, and its steps as requests come
delete /scenarios scenarios 204 Stop the scenarios that run, and remove their faults
get /world world 200 Any GET of the data API as an account, without token, limits, faults and journal
get /replay world 200 How many recorded answers are served, which files are left out and why, and what was not recorded
get /edits world 200 Every edit of the world that is in force
get /audit journal 200 The verdicts of the audit's rules on what the journal holds
get /journal journal 200 The newest requests, without any secret
delete /journal journal 204 Forget the journal
post /journal/capture journal 204 Keep the bodies of the next requests to the data API that match, in memory alone
get /journal/{id}/bodies journal 200 The bodies of a request
get /journal/stream journal 200 New requests as server-sent events; resumes by Last-Event-ID
get /unmatched journal 200 Requests that no route matched, with the routes that they come near to
post /verify journal 200 Count requests: 200 where the number is met, 409 where it is not
post /reset state 200 Back to the first start: world, tokens, clock, policies; no faults, no journal
post /snapshot state 200 Everything that changes, as one document
post /restore state 200 Continue from a snapshot of a sandbox with the same seed
get /ready health 200 Whether requests are answered, and where
get /health health 200 Whether the process lives; needs no control key
post /authorize signIn 200 Consent, or deny, as an account: the code flow without a browser
get /tokens signIn 200 Grants in force with their tokens' prefixes
post /tokens signIn 200 Issue tokens without any flow, for tests of data endpoints
delete /grants/{id} signIn 204 Revoke a grant and every token of it
get /clients signIn 200 The registered applications, without their secrets
post /clients signIn 201 Register an application
get /accounts signIn 200 The accounts that can sign in
`;

/** Bodies and results by method and path; an operation that is not named answers with any JSON. */
const BODIES: Readonly<Record<string, Document<unknown>>> = {
  "post /clock": ClockChange,
  "post /faults": anyOf(FaultRule, list(FaultRule)),
  "put /policies": PolicyChange,
  "post /policies": PolicyChange,
  "post /scenarios": ScenarioBody,
  "post /journal/capture": CaptureBody,
  "post /verify": VerifyBody,
  "post /restore": SandboxSnapshot,
  "post /authorize": AuthorizeBody,
  "post /tokens": TokensBody,
  "post /clients": ClientBody,
};

const faults = object({ faults: list(FaultStatus) });
const RESULTS: Readonly<Record<string, Document<unknown>>> = {
  "get /clock": ClockReading,
  "post /clock": ClockReading,
  "get /faults": faults,
  "post /faults": faults,
  "get /policies": RatePolicies,
  "put /policies": RatePolicies,
  "post /policies": RatePolicies,
  "post /reset": ClockReading,
  "post /snapshot": SandboxSnapshot,
  "post /restore": ClockReading,
};

const QUERIES: Readonly<Record<string, ReadonlyArray<readonly [name: string, type: string]>>> = {
  "get /world": [
    ["path", "string"],
    ["account", "string"],
  ],
  "get /journal": [
    ["since", "integer"],
    ["limit", "integer"],
    ["endpoint", "string"],
    ["clientId", "string"],
    ["status", "integer"],
  ],
};

/** Things of the world that are edited: the document of a part, and of the whole. */
const EDITS: ReadonlyArray<readonly [string, string, Document<unknown>, Document<unknown>?]> = [
  ["/accounts/{account}", "an account", AccountMembers],
  ["/accounts/{account}/characters/{realm}/{name}", "a character", CharacterMembers],
  ["/accounts/{account}/stashes/{realm}/{league}/{id}", "a stash tab", StashMembers],
  ["/items/{id}", "an item", ItemMembers, ItemPut],
  ["/leagues/{realm}/{id}", "a league", LeagueMembers],
];

const jsonContent = (schema: JsonSchema) => ({ content: { "application/json": { schema } } });

const REJECTED: JsonSchema = {
  type: "object",
  properties: { reason: { type: "string" }, issues: { type: "array", items: {} } },
  required: ["reason"],
};

const operationOf = (
  { path, status, summary, tag }: Operation,
  query: ReadonlyArray<readonly [name: string, type: string]>,
  body: Document<unknown> | undefined,
  result: Document<unknown> | undefined,
) => ({
  tags: [tag],
  summary,
  parameters: [
    ...[...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    })),
    ...query.map(([name, type]) => ({ name, in: "query", schema: { type } })),
  ],
  ...(body === undefined ? {} : { requestBody: { required: true, ...jsonContent(body.schema) } }),
  responses: {
    [status]: {
      description: "Success",
      ...(result === undefined ? {} : jsonContent(result.schema)),
    },
    ...(body === undefined
      ? {}
      : { 400: { description: "The document does not fit", ...jsonContent(REJECTED) } }),
  },
});

/** What a row of the table says. */
const rowOf = (line: string): Operation => {
  const [method = "", path = "", tag = "", status = "", ...summary] = line.split(" ");
  return { method, path, tag, status, summary: summary.join(" ") };
};

const isJson = ({ path, status }: Operation): boolean =>
  status !== "204" && path !== "/journal/stream";

/** The document, with the address at which the control plane is. */
export const controlOpenApi = (url: string): object => {
  const paths: Record<string, Record<string, unknown>> = {};
  const add = (
    operation: Operation,
    body?: Document<unknown>,
    result: Document<unknown> | undefined = isJson(operation) ? json : undefined,
  ): void => {
    const { method, path } = operation;
    const query = QUERIES[`${method} ${path}`] ?? [];
    (paths[`/control${path}`] ??= {})[method] = operationOf(operation, query, body, result);
  };
  for (const row of TABLE.trim().split("\n").map(rowOf)) {
    const key = `${row.method} ${row.path}`;
    add(row, BODIES[key], RESULTS[key]);
  }
  for (const [path, thing, part, whole = part] of EDITS) {
    const of = { path, tag: "world", status: "200" };
    const put = `Say what ${thing} is; what is left out is completed`;
    add({ ...of, method: "put", summary: put }, whole);
    add({ ...of, method: "patch", summary: `Change members of ${thing}` }, part);
    add({ ...of, method: "delete", status: "204", summary: `Take the edit of ${thing} back` });
  }
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
