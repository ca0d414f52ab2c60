/**
 * Scenarios of the audit: requests to the control plane that disturb a program while it runs.
 *
 * `setup` runs before the program starts. A step runs once `count` requests to its endpoint have
 * ended since the start.
 */
import { routes as ROUTES } from "@game-data/contract/routes";
import type { Fault, FaultRule, FaultWhen } from "../faults/Fault.ts";
import { matches } from "../faults/FaultRules.ts";
import type { JournalEntry } from "../journal/Journal.ts";

export interface ControlRequest {
  readonly method: "POST" | "PUT" | "DELETE";
  /** Path below `controlUrl`. */
  readonly path: string;
  readonly body?: unknown;
}

/** Requests to the control plane that are sent after `count` requests to an endpoint. */
interface Step {
  readonly after: { readonly endpoint: string; readonly count: number };
  readonly do: ReadonlyArray<ControlRequest>;
}

export interface Scenario {
  readonly name: string;
  readonly summary: string;
  /** Ids of the rules that the scenario exercises. */
  readonly rules: ReadonlyArray<string>;
  readonly setup: ReadonlyArray<ControlRequest>;
  readonly steps?: ReadonlyArray<Step>;
}

const faults = (...body: ReadonlyArray<FaultRule>): ControlRequest => ({
  method: "POST",
  path: "/faults",
  body,
});

/** Makes a fault rule for an endpoint or a group of endpoints. */
const onEndpoint = (id: string, endpoint: string, fault: Fault, when?: FaultWhen): FaultRule => ({
  ...(when !== undefined && { when }),
  fault,
  id,
  match: { endpoint },
});

/** The endpoints of the data API. A fault of `onData` counts the requests of each separately. */
const DATA_ENDPOINTS = Object.keys(ROUTES);

const onData = (id: string, fault: Fault, when?: FaultWhen): ControlRequest =>
  faults(...DATA_ENDPOINTS.map((name) => onEndpoint(`${id}-${name}`, name, fault, when)));

const after = (count: number, request: ControlRequest): Step => ({
  after: { endpoint: "*", count },
  do: [request],
});

/** Endpoints whose result may be null. */
const GONE = ["characters.get", "stashes.get", "guildStashes.get", "leagues.get", "pvpMatches.get"];

const TIGHT = {
  enabled: true,
  hiddenBuckets: null,
  policies: { tight: { Client: "5:5:5" } },
  endpoints: { "*": "tight" },
};

const refusal = (status: number, retryAfter?: number): Fault => ({
  kind: "status",
  status,
  ...(retryAfter !== undefined && { retryAfter }),
});

/** Fault that makes a page the end of its stream. */
const END: Fault = { kind: "changeId", mode: "end" };

/** Body of a 202: the filter was updated, and is validated later. */
const ACCEPTED = {
  filter: { id: "f", filter_name: "f", realm: "pc", description: "", version: "1", type: "Normal" },
  error: { code: 0, message: "Accepted. The filter is being validated." },
};

/** Scenarios by their description: name, summary, and in brackets the rules that they exercise. */
const TABLE: Readonly<Record<`${string}: ${string}`, ReadonlyArray<ControlRequest | Step>>> = {
  "baseline: nothing goes wrong": [],
  "token-expires-mid-run: the second data request of each kind is answered 401, as by an expired token, and refreshes take 200 ms (A07 A10 A39)":
    [
      onData("expired", refusal(401), { nth: 2 }),
      // Slow, so that concurrent refreshes of one token overlap.
      faults({
        id: "slow-refresh",
        match: { endpoint: "oauth.token", grantType: "refresh_token" },
        fault: { kind: "delay", milliseconds: 200 },
      }),
    ],
  "lost-refresh-answer: the answer to the first refresh is lost (A09 A11)": [
    faults({
      id: "lost",
      match: { endpoint: "oauth.token", grantType: "refresh_token" },
      when: { nth: 1 },
      fault: { kind: "truncate", atByte: 0, ending: "reset" },
    }),
  ],
  "revoked-by-user: every token is refused from the third data request on (A07 A11 A39)": [
    onData("revoked", refusal(401), { after: 2 }),
  ],
  "forged-callback: callbacks carry another state than the one that was sent (A15)": [
    faults(onEndpoint("forged", "oauth.authorize", { kind: "forgedState" })),
  ],
  "maintenance: 503, first with Retry-After, then without (A01 A04)": [
    onData("announced", refusal(503, 1), { nth: 1 }),
    onData("silent", refusal(503), { nth: [2, 3] }),
  ],
  "firewall-block: the second data request meets a firewall's challenge page (A06 A39)": [
    onData("firewall", { kind: "firewallPage" }, { nth: 2, count: 1 }),
  ],
  "policy-tightens: after three requests five per five seconds are left (A02 A03)": [
    after(3, { method: "PUT", path: "/policies", body: TIGHT }),
  ],
  "slow-body: bodies come in small pieces": [
    onData("slow", { kind: "dribble", bytes: 4096, everyMilliseconds: 20 }, { count: 2 }),
  ],
  "cut-body: the second body of each kind is cut (A04 A08 A22 A39)": [
    onData("cut", { kind: "truncate", atByte: 40 }, { nth: 2 }),
  ],
  "hang: the second request of each kind is never answered (A29 A41)": [
    onData("hang", { kind: "hang" }, { nth: 2, count: 1 }),
  ],
  "gone: single characters, stashes, leagues and matches are gone (A21)": GONE.map((endpoint) =>
    faults(onEndpoint(`gone-${endpoint}`, endpoint, { kind: "nullResult" })),
  ),
  "drifted-schema: every record has a member that nobody knows, and some words are new (A27)": [
    onData("drift", {
      kind: "members",
      add: { memberOfTomorrow: { deep: [1, null] } },
      words: { frameTypeId: "Tomorrow", stashType: "TomorrowStash" },
    }),
  ],
  "all-null: optional members are null instead of absent (A27)": [
    onData("drift", { kind: "nulls" }),
  ],
  "empty-body: the second body of each kind is empty, with status 200 (A22 A39)": [
    onData("empty", { kind: "status", status: 200, body: "" }, { nth: 2 }),
  ],
  "stream-end: the second page of the stash stream is its end (A22 A23)": [
    faults(onEndpoint("end", "publicStashTabs", END, { nth: [2, 3] })),
  ],
  "hour-boundary: the exchange has come to its end, three seconds before the next hour (A24)": [
    { method: "POST", path: "/clock", body: { beforeHour: "3 seconds" } },
    faults(onEndpoint("hour", "currencyExchange", END, { nth: 2 })),
  ],
  "filter-202: updates of filters are accepted and validated later (A28)": [
    faults(
      onEndpoint("accepted", "itemFilters.update", { kind: "status", status: 202, body: ACCEPTED }),
    ),
  ],
  "league-ends: the challenge league ends while the program runs": [
    after(2, { method: "POST", path: "/clock", body: { advance: "121 days" } }),
  ],
};

/** Every scenario. The first one, `baseline`, changes nothing. */
export const SCENARIOS: ReadonlyArray<Scenario> = Object.entries(TABLE).map(([told, requests]) => {
  const [summary, rules = ""] = told.slice(told.indexOf(": ") + 2).split(" (A");
  const steps = requests.filter((one) => "after" in one);
  return {
    name: told.slice(0, told.indexOf(": ")),
    summary: summary!,
    rules: rules === "" ? [] : `A${rules.slice(0, -1)}`.split(" "),
    setup: requests.filter((one) => "path" in one),
    ...(steps.length > 0 && { steps }),
  };
});

export const scenarioOf = (name: string): Scenario | undefined =>
  SCENARIOS.find((one) => one.name === name);

/** Returns the fault rules that a scenario adds before the program starts. */
export const faultsOf = ({ setup }: Pick<Scenario, "setup">): ReadonlyArray<FaultRule> =>
  setup.flatMap(({ body, path }) => (path === "/faults" ? (body as ReadonlyArray<FaultRule>) : []));

/**
 * Returns whether a scenario affects a program that sent these requests. A scenario with steps
 * always does, any other if one of its faults matches a request.
 */
export const isMet = (scenario: Scenario, entries: ReadonlyArray<JournalEntry>): boolean =>
  scenario.steps !== undefined ||
  faultsOf(scenario).some(({ match = {} }) => entries.some((entry) => matches(match, entry)));

type Count = (endpoint: string) => number;

const countIn =
  (entries: ReadonlyArray<JournalEntry>): Count =>
  (endpoint) =>
    entries.filter((entry) =>
      endpoint === "*"
        ? entry.listener === "data"
        : entry.endpoint === endpoint || entry.endpoint?.split(".", 1)[0] === endpoint,
    ).length;

const fitRule = (rule: FaultRule, count: Count): FaultRule => {
  const { match, when } = rule;
  const endpoint = match?.endpoint;
  if (when === undefined || endpoint === undefined || endpoint.startsWith("oauth")) return rule;
  const sent = count(endpoint);
  const nth = typeof when.nth === "number" ? [when.nth] : (when.nth ?? []);
  const first = nth.length === 0 || sent === 0 ? 0 : Math.min(...nth);
  const back = Math.max(0, first - sent);
  return {
    ...rule,
    when: {
      ...when,
      ...(nth.length !== 0 && { nth: nth.map((one) => one - back) }),
      ...(when.after === undefined || sent === 0 ? {} : { after: Math.min(when.after, sent - 1) }),
    },
  };
};

const fitRequest = (request: ControlRequest, count: Count): ControlRequest =>
  request.path === "/faults"
    ? {
        ...request,
        body: (request.body as ReadonlyArray<FaultRule>).map((rule) => fitRule(rule, count)),
      }
    : request;

/**
 * Adapts a scenario to the requests that a program sent without faults. Scenarios fault the second
 * request of a kind, so that the program is under way; if it sends only one, that request meets the
 * fault.
 */
export const fitScenario = (scenario: Scenario, entries: ReadonlyArray<JournalEntry>): Scenario => {
  const count = countIn(entries);
  const steps = scenario.steps?.map(({ after: met, do: requests }) => ({
    after: { ...met, count: Math.max(1, Math.min(met.count, count(met.endpoint) - 1)) },
    do: requests,
  }));
  return {
    ...scenario,
    setup: scenario.setup.map((request) => fitRequest(request, count)),
    ...(steps !== undefined && { steps }),
  };
};
