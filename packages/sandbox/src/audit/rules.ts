/**
 * The rules of the audit: what the specification and the RFCs require of a client, as pure
 * functions over the journal of a run.
 *
 * A rule returns how often it was exercised, and the requests that broke it. Requests
 * are grouped by client, not by token or policy: a program that takes a new token after a 503 and
 * goes on has not waited. Waiting is measured in real time, lifetimes in virtual time.
 */
import type { AuditRule, RuleTable } from "./rules/model.ts";
import { oauthRules } from "./rules/oauth.ts";
import { pagingRules } from "./rules/paging.ts";
import { programRules } from "./rules/program.ts";
import { repeatingRules } from "./rules/repeating.ts";
import { waitingRules } from "./rules/waiting.ts";

export type { AuditRule, Run } from "./rules/model.ts";

const TABLE: RuleTable = {
  ...waitingRules,
  ...repeatingRules,
  ...oauthRules,
  ...pagingRules,
  ...programRules,
};

const rowOf = (description: string, check: AuditRule["check"]): AuditRule => {
  const [, id, severity, title, statement] = /^(A\d+) (\w+): ([^(]*) \((.*)\)$/u.exec(description)!;
  return { id, severity, title, statement, check } as AuditRule;
};

/** Every rule of the audit, sorted by id. */
export const RULES: ReadonlyArray<AuditRule> = Object.entries(TABLE)
  .map(([description, check]) => rowOf(description, check))
  .toSorted((one, other) => one.id.localeCompare(other.id));
