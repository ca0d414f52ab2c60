/** The report of an audit: the result of each rule over all runs. */
import type { RegisteredClient } from "../clients/Clients.ts";
import type { Journal, JournalEntry } from "../journal/Journal.ts";
import { codeOf, type ProgramEnd, refreshOf } from "./rules/model.ts";
import { type AuditRule, RULES, type Run } from "./rules.ts";
import { type Scenario, SCENARIOS } from "./scenarios.ts";

const SHOWN = ["id", "at", "method", "route", "path", "query", "status", "clientId"] as const;

/** The result of a rule. Not exercised is never a pass. */
export type Verdict = "pass" | "fail" | "warn" | "not exercised";

export type RuleReport = ReturnType<typeof ruleReport>;
export type BrokenRule = RuleReport["broken"][number];

/** Rules that must have been exercised: by their ids, or all that the chosen scenarios are for. */
export type Requirement = ReadonlyArray<string> | "scenarios";

export type AuditReport = ReturnType<typeof report>;
export type RunReport = AuditReport["runs"][number];

export interface ReportOptions {
  readonly hasFailed?: boolean;
  readonly scenarios?: ReadonlyArray<Scenario>;
  readonly require?: Requirement | undefined;
}

const EXIT_BROKEN = 3;
const EXIT_NOT_EXERCISED = 4;
const EXIT_FAILED = 5;

/** Checks every rule against the runs, and returns the report. */
export const report = (
  runs: ReadonlyArray<Run>,
  { hasFailed = false, require = [], scenarios = [] }: ReportOptions = {},
) => {
  const rules = RULES.map((rule) => ruleReport(rule, runs));
  const exercised = Object.fromEntries(rules.map((rule) => [rule.id, rule.exercised]));
  const required = require === "scenarios" ? requiredBy(scenarios, runs) : require;
  const missing = [...new Set(required)].filter((id) => exercised[id] === 0).toSorted();
  const isBroken = rules.some(({ verdict }) => verdict === "fail");
  return {
    rules,
    /** Number of times that each rule was exercised, by its id. */
    exercised,
    /** How the program ended in each run, and how many requests it sent. */
    runs: runs.map(({ ended, entries, scenario }) => ({
      scenario,
      requests: entries.length,
      ...(ended as Partial<ProgramEnd> | undefined),
    })),
    /** Ids of required rules that no run exercised. */
    missing,
    /**
     * 5 if the program fails without faults, 3 if a rule of level error failed, 4 if a required rule
     * was not exercised, else 0. The program's own codes are in `runs`.
     */
    exit:
      (hasFailed && EXIT_FAILED) ||
      (isBroken && EXIT_BROKEN) ||
      (missing.length > 0 ? EXIT_NOT_EXERCISED : 0),
  };
};

/** The rule about codes and refresh tokens, which a program without users never sends. */
const OF_USERS = "A11";

/** Returns the rules of scenarios that a program like the one of `runs` can exercise. */
const requiredBy = (scenarios: ReadonlyArray<Scenario>, runs: ReadonlyArray<Run>) => {
  const hasUsers = runs.some(({ entries }) =>
    entries.some((entry) => codeOf(entry) !== null || refreshOf(entry) !== null),
  );
  return scenarios.flatMap(({ rules }) => rules).filter((id) => hasUsers || id !== OF_USERS);
};

const ruleReport = ({ check, ...rule }: AuditRule, runs: ReadonlyArray<Run>) => {
  const findings = runs.map((run) => ({ run, ...check(run) }));
  const exercised = findings.reduce((sum, finding) => sum + finding.exercised, 0);
  const broken = findings.flatMap((finding) =>
    finding.broken.map(({ message, requests }) => ({
      scenario: finding.run.scenario,
      message,
      requests: finding.run.entries.filter(({ id }) => requests.includes(id)).map(shownOf),
    })),
  );
  return {
    ...rule,
    /** Number of times that the rule was exercised. */
    exercised,
    broken,
    verdict: verdictOf(rule.severity, broken.length, exercised),
    /** Names of the scenarios that exercise the rule. Empty if any request exercises it. */
    scenarios: SCENARIOS.filter(({ rules }) => rules.includes(rule.id)).map(({ name }) => name),
  };
};

const shownOf = (entry: JournalEntry) =>
  Object.fromEntries(SHOWN.map((name) => [name, entry[name]])) as Pick<
    JournalEntry,
    (typeof SHOWN)[number]
  >;

const verdictOf = (severity: AuditRule["severity"], broken: number, exercised: number): Verdict => {
  if (broken > 0) return severity === "error" ? "fail" : "warn";
  return exercised > 0 ? "pass" : "not exercised";
};

type Clients = ReadonlyArray<Pick<RegisteredClient, "clientId" | "kind">>;

/**
 * Reports on a journal as on one run without faults. No rule passes if the journal has forgotten
 * requests, because one of them may have broken it.
 */
export const reportOfJournal = (journal: Pick<Journal, "forgotten" | "read">, clients: Clients) => {
  const { forgotten } = journal;
  const run = { scenario: "baseline", entries: journal.read(), publicClients: publicOf(clients) };
  const { rules, ...judged } = report([run]);
  const known = rules.map((rule) =>
    forgotten > 0 && rule.verdict === "pass"
      ? { ...rule, verdict: "not exercised" as const }
      : rule,
  );
  return { ...judged, rules: known, forgotten };
};

export const publicOf = (clients: Clients): ReadonlySet<string> =>
  new Set(clients.flatMap(({ clientId, kind }) => (kind === "public" ? [clientId] : [])));
