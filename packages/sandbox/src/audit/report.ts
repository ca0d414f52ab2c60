/** Puts the findings of all rules on some runs together. */
import { OAUTH_ROUTES, ROUTES } from "../contract.ts";
import type { ClientKind } from "../clients/Model.ts";
import type { JournalEntry } from "../journal/Journal.ts";
import { type AuditRule, RULES, type Run } from "./rules.ts";

/** A place where a rule was broken. */
export interface BrokenRule {
  readonly scenario: string;
  readonly message: string;
  readonly requests: ReadonlyArray<
    Pick<JournalEntry, "id" | "at" | "method" | "route" | "status" | "clientId">
  >;
}

/** The result of a rule. Not exercised is never a pass. */
export type Verdict = "pass" | "fail" | "warn" | "not exercised";

/** A rule and its result. */
export interface RuleReport extends Pick<AuditRule, "id" | "severity" | "title" | "statement"> {
  readonly verdict: Verdict;
  readonly broken: ReadonlyArray<BrokenRule>;
}

/** The report of an audit. */
export interface AuditReport {
  readonly rules: ReadonlyArray<RuleReport>;
  /** Number of times that each rule was exercised, by its id. */
  readonly exercised: Readonly<Record<string, number>>;
  /** The runs, with the program's exit code and its requests. */
  readonly runs: ReadonlyArray<{
    readonly scenario: string;
    readonly exit: number;
    readonly isTimeout: boolean;
    readonly requests: number;
  }>;
  /** Endpoints that the program never asked. */
  readonly unusedEndpoints: ReadonlyArray<string>;
  /** The program's exit code without faults; 3 where that is 0 and a rule of level error failed. */
  readonly exit: number;
}

/** Exit code of a program that ends well and breaks a rule. */
const EXIT_BROKEN = 3;

/** Puts the findings of all rules on some runs together. */
export const report = (runs: ReadonlyArray<Run>): AuditReport => {
  const exercised: Record<string, number> = {};
  const rules = RULES.map(({ check, ...rule }): RuleReport => {
    const broken: Array<BrokenRule> = [];
    for (const run of runs) {
      const found = check(run);
      exercised[rule.id] = (exercised[rule.id] ?? 0) + found.exercised;
      for (const { message, requests } of found.broken)
        broken.push({
          scenario: run.scenario,
          message,
          requests: run.entries.filter(({ id }) => requests.includes(id)).map(shown),
        });
    }
    return { ...rule, broken, verdict: verdictOf(rule, broken.length, exercised[rule.id]!) };
  });
  const asked = new Set(runs.flatMap(({ entries }) => entries.map(({ endpoint }) => endpoint)));
  const exit = runs[0]?.exit ?? 0;
  const isBroken = rules.some(({ verdict }) => verdict === "fail");
  return {
    rules,
    exercised,
    runs: runs.map(({ entries, exit: code, isTimeout, scenario }) => ({
      scenario,
      exit: code,
      isTimeout,
      requests: entries.length,
    })),
    unusedEndpoints: Object.keys(ROUTES).filter((name) => !asked.has(name)),
    exit: exit === 0 && isBroken ? EXIT_BROKEN : exit,
  };
};

const shown = ({ at, clientId, id, method, route, status }: JournalEntry) => ({
  id,
  at,
  method,
  route,
  status,
  clientId,
});

const verdictOf = (
  { severity }: Pick<AuditRule, "severity">,
  broken: number,
  exercised: number,
): Verdict => {
  if (broken > 0) return severity === "error" ? "fail" : "warn";
  return exercised > 0 ? "pass" : "not exercised";
};

/** The report on what a journal holds: one run that no scenario disturbed. */
export const reportOfJournal = (
  entries: ReadonlyArray<JournalEntry>,
  clients: Iterable<{ readonly clientId: string; readonly kind: ClientKind }>,
): AuditReport =>
  report([
    {
      scenario: "baseline",
      entries,
      exit: 0,
      isTimeout: false,
      publicClients: publicOf(clients),
      scopesOf,
    },
  ]);

/** Ids of the public ones among some clients. */
export const publicOf = (
  clients: Iterable<{ readonly clientId: string; readonly kind: ClientKind }>,
): ReadonlySet<string> =>
  new Set([...clients].filter(({ kind }) => kind === "public").map(({ clientId }) => clientId));

/** The scopes that an endpoint asks for. */
export const scopesOf = (endpoint: string): ReadonlyArray<string> =>
  ALL_ROUTES[endpoint]?.scopes ?? [];

const ALL_ROUTES: Readonly<Record<string, { readonly scopes: ReadonlyArray<string> }>> = {
  ...ROUTES,
  ...OAUTH_ROUTES,
};
