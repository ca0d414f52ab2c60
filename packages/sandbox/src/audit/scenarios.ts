/**
 * Scenarios: what happens to a program while it is audited, as control documents by name.
 *
 * `setup` runs before the program starts. A step runs once so many requests have matched,
 * counted from the program's start.
 */
import { ROUTES } from "../contract.ts";
import type { FaultRule } from "../faults/Fault.ts";

/** A request to the control plane. */
export interface ControlRequest {
  readonly method: "POST" | "PUT" | "DELETE";
  /** Below `controlUrl`. */
  readonly path: string;
  readonly body?: unknown;
}

/** A scenario. */
export interface Scenario {
  readonly name: string;
  readonly summary: string;
  /** Ids of the rules that it exercises. */
  readonly rules: ReadonlyArray<string>;
  readonly setup: ReadonlyArray<ControlRequest>;
  readonly steps?: ReadonlyArray<{
    readonly after: { readonly endpoint: string; readonly count: number };
    readonly do: ReadonlyArray<ControlRequest>;
  }>;
}

const faults = (...rules: ReadonlyArray<FaultRule>): ControlRequest => ({
  method: "POST",
  path: "/faults",
  body: rules,
});

/** The groups of the data API: faults of scenarios leave the OAuth server alone. */
const DATA_GROUPS = new Set(Object.keys(ROUTES).map((name) => name.split(".", 1)[0]!));

const onData = (id: string, rule: Omit<FaultRule, "id" | "match">): ControlRequest =>
  faults(
    ...[...DATA_GROUPS].map((endpoint): FaultRule => ({
      ...rule,
      id: `${id}-${endpoint}`,
      match: { endpoint },
    })),
  );

/** Endpoints whose result may be null. */
const GONE = ["characters.get", "stashes.get", "guildStashes.get", "leagues.get", "pvpMatches.get"];

const TIGHT = {
  enabled: true,
  hiddenBuckets: null,
  policies: { tight: { Client: "5:5:5" } },
  endpoints: { "*": "tight" },
};

/** Every scenario; the first one changes nothing. */
export const SCENARIOS: ReadonlyArray<Scenario> = [
  { name: "baseline", summary: "nothing goes wrong", rules: [], setup: [] },
  {
    name: "token-expires-mid-run",
    summary: "the second data request is answered 401, as by an expired token",
    rules: ["A07", "A10", "A39"],
    setup: [onData("expired", { when: { nth: 2 }, fault: { kind: "status", status: 401 } })],
  },
  {
    name: "lost-refresh-answer",
    summary: "the answer to the first refresh is lost",
    rules: ["A09", "A11"],
    setup: [
      faults({
        id: "lost",
        match: { endpoint: "oauth.token", grantType: "refresh_token" },
        when: { nth: 1 },
        fault: { kind: "truncate", atByte: 0, ending: "reset" },
      }),
    ],
  },
  {
    name: "revoked-by-user",
    summary: "every token is refused from the third data request on",
    rules: ["A07", "A11", "A39"],
    setup: [onData("revoked", { when: { after: 2 }, fault: { kind: "status", status: 401 } })],
  },
  {
    name: "forged-callback",
    summary: "callbacks carry another state than the one that was sent",
    rules: ["A15"],
    setup: [faults({ id: "forged", fault: { kind: "forgedState" } })],
  },
  {
    name: "maintenance",
    summary: "503, first with Retry-After, then without",
    rules: ["A01", "A04"],
    setup: [
      onData("announced", {
        when: { nth: 1 },
        fault: { kind: "status", status: 503, retryAfter: 1 },
      }),
      onData("silent", { when: { nth: [2, 3] }, fault: { kind: "status", status: 503 } }),
    ],
  },
  {
    name: "firewall-block",
    summary: "the second data request meets a firewall's challenge page",
    rules: ["A06", "A39"],
    setup: [onData("firewall", { when: { nth: 2, count: 1 }, fault: { kind: "firewallPage" } })],
  },
  {
    name: "policy-tightens",
    summary: "after three requests five per five seconds are left",
    rules: ["A02", "A03"],
    setup: [],
    steps: [
      {
        after: { endpoint: "*", count: 3 },
        do: [{ method: "PUT", path: "/policies", body: TIGHT }],
      },
    ],
  },
  {
    name: "slow-body",
    summary: "bodies come in small pieces",
    rules: ["A42"],
    setup: [
      onData("slow", {
        when: { count: 2 },
        fault: { kind: "dribble", bytes: 4096, everyMilliseconds: 20 },
      }),
    ],
  },
  {
    name: "cut-body",
    summary: "the second body of each kind is cut",
    rules: ["A04", "A08", "A22", "A39"],
    setup: [onData("cut", { when: { nth: 2 }, fault: { kind: "truncate", atByte: 40 } })],
  },
  {
    name: "hang",
    summary: "the second request of each kind is never answered",
    rules: ["A29", "A41"],
    setup: [onData("hang", { when: { nth: 2, count: 1 }, fault: { kind: "hang" } })],
  },
  {
    name: "gone",
    summary: "single characters, stashes, leagues and matches are gone",
    rules: ["A21"],
    setup: GONE.map((endpoint) =>
      faults({ id: `gone-${endpoint}`, match: { endpoint }, fault: { kind: "nullResult" } }),
    ),
  },
  {
    name: "drifted-schema",
    summary: "every record has a member that nobody knows, and some words are new",
    rules: ["A27"],
    setup: [
      onData("drift", {
        fault: {
          kind: "members",
          add: { memberOfTomorrow: { deep: [1, null] } },
          words: { frameTypeId: "Tomorrow", stashType: "TomorrowStash" },
        },
      }),
    ],
  },
  {
    name: "all-null",
    summary: "optional members are null instead of absent",
    rules: ["A27"],
    setup: [onData("drift", { fault: { kind: "nulls" } })],
  },
  {
    name: "empty-body",
    summary: "the second body of each kind is empty, with status 200",
    rules: ["A08", "A22", "A39"],
    setup: [
      onData("empty", { when: { nth: 2 }, fault: { kind: "status", status: 200, body: "" } }),
    ],
  },
  {
    name: "stream-end",
    summary: "the second page of the stash stream is its end",
    rules: ["A22", "A23", "A42"],
    setup: [
      faults({
        id: "end",
        match: { endpoint: "publicStashTabs" },
        when: { nth: [2, 3] },
        fault: { kind: "changeId", mode: "end" },
      }),
    ],
  },
  {
    name: "hour-boundary",
    summary: "the exchange has come to its end, three seconds before the next hour",
    rules: ["A24", "A42"],
    setup: [
      { method: "POST", path: "/clock", body: { beforeHour: "3 seconds" } },
      faults({
        id: "hour",
        match: { endpoint: "currencyExchange" },
        when: { nth: 2 },
        fault: { kind: "changeId", mode: "end" },
      }),
    ],
  },
  {
    name: "filter-202",
    summary: "updates of filters are accepted and validated later",
    rules: ["A28", "A42"],
    setup: [
      faults({
        id: "accepted",
        match: { endpoint: "itemFilters.update" },
        fault: {
          kind: "status",
          status: 202,
          body: {
            filter: {
              id: "f",
              filter_name: "f",
              realm: "pc",
              description: "",
              version: "1",
              type: "Normal",
            },
            error: { code: 0, message: "Accepted. The filter is being validated." },
          },
        },
      }),
    ],
  },
  {
    name: "league-ends",
    summary: "the challenge league ends while the program runs",
    rules: [],
    setup: [],
    steps: [
      {
        after: { endpoint: "*", count: 2 },
        do: [{ method: "POST", path: "/clock", body: { advance: "121 days" } }],
      },
    ],
  },
];

/** Finds the scenario of a name. */
export const scenarioOf = (name: string): Scenario | undefined =>
  SCENARIOS.find((scenario) => scenario.name === name);
