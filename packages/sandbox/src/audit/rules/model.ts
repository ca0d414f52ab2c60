/** The model of an audit rule, and the functions that rules share. */
import { oauthRoutes as OAUTH_ROUTES, routes as ROUTES } from "@game-data/contract/routes";
import type { JournalEntry } from "../../journal/Journal.ts";

export interface ProgramEnd {
  /** Exit code, or 128 and the signal's number if a signal ended the program. */
  readonly exit: number;
  readonly signal: string | null;
  /** Whether the audit ended the program because it took too long or ignored SIGTERM. */
  readonly isTimeout: boolean;
  /** Whether the audit ended the program, a service, after the seconds of `--for`. */
  readonly isRunTimeOver: boolean;
  /** Real milliseconds that the program ran. */
  readonly millis: number;
  /** End of the program, in real milliseconds since the sandbox started. */
  readonly elapsedMillis: number;
  /** The last 16,384 characters of the program's stderr. */
  readonly stderrTail: string;
}

/** Values that a program must generate for each run. A verifier begins with `verifierStart`. */
export type ReusedKind = "state" | "challenge" | "verifierStart";

/** One run of the program: its scenario, its requests, its end. */
export interface Run {
  readonly scenario: string;
  readonly entries: ReadonlyArray<JournalEntry>;
  /** How the program ended; absent for a journal without a program. */
  readonly ended?: ProgramEnd | undefined;
  /** How the program ended without faults; absent in the run without faults. */
  readonly baseline?: ProgramEnd | undefined;
  /** Ids of requests with a value that an earlier run of the program sent as well. */
  readonly reused?: Readonly<Record<ReusedKind, ReadonlySet<number>>>;
  readonly publicClients: ReadonlySet<string>;
}

export interface Violation {
  readonly message: string;
  /** Ids of the requests, in the journal of their run. */
  readonly requests: ReadonlyArray<number>;
}

export interface Finding {
  readonly exercised: number;
  readonly broken: ReadonlyArray<Violation>;
}

export interface AuditRule {
  readonly id: string;
  readonly severity: "error" | "warning";
  readonly title: string;
  /**
   * The statement of a specification from which the rule follows, such as `§5: sending a token`.
   */
  readonly statement: string;
  readonly check: (run: Run) => Finding;
}

/** Requests in the order of their arrival. */
export type Entries = ReadonlyArray<JournalEntry>;

/** Makes a finding in which each subject exercises the rule once, and may break it. */
export const judge = <Subject>(
  subjects: ReadonlyArray<Subject>,
  broken: (subject: Subject) => Violation | ReadonlyArray<Violation> | false | undefined,
): Finding => ({
  exercised: subjects.length,
  broken: subjects.flatMap((subject) => broken(subject) || []),
});

/** Makes a finding from violations that concern several subjects, or none. */
export const finding = (
  subjects: ReadonlyArray<unknown>,
  broken: ReadonlyArray<Violation>,
): Finding => ({ exercised: subjects.length, broken });

/** The finding about a run in which a rule does not apply. */
export const UNEXERCISED: Finding = { exercised: 0, broken: [] };

export const violation = (message: string, ...entries: Entries): Violation => ({
  message,
  requests: entries.map(({ id }) => id),
});

/** Groups entries by a key, and leaves out entries without one. */
export const groups = (
  entries: Entries,
  keyOf: (entry: JournalEntry) => string | null,
): ReadonlyArray<Entries> => {
  const found = Map.groupBy(entries, keyOf);
  found.delete(null);
  return [...found.values()];
};

/** Pairs each entry with the later entries of its group. */
export const withLater = (
  entries: Entries,
  keyOf: (entry: JournalEntry) => string | null,
): ReadonlyArray<readonly [JournalEntry, Entries]> =>
  groups(entries, keyOf).flatMap((group) =>
    group.map((entry, index) => [entry, group.slice(index + 1)] as const),
  );

const ALL_ROUTES: Readonly<Record<string, { readonly scopes: ReadonlyArray<string> }>> = {
  ...ROUTES,
  ...OAUTH_ROUTES,
};
export const scopesOf = (endpoint: string | null): ReadonlyArray<string> =>
  ALL_ROUTES[endpoint ?? ""]?.scopes ?? [];

export const clientOf = ({ clientId }: JournalEntry): string => clientId ?? "?";
/** Returns when the response ended, in real time. */
export const endOf = (entry: JournalEntry): number => entry.elapsedMillis + entry.durationMillis;
export const isOAuth = ({ endpoint }: JournalEntry): boolean =>
  endpoint?.startsWith("oauth.") === true;
export const isData = (entry: JournalEntry): boolean => entry.endpoint !== null && !isOAuth(entry);
export const isToken = ({ endpoint }: JournalEntry): boolean => endpoint === "oauth.token";
export const isAuthorize = ({ endpoint }: JournalEntry): boolean => endpoint === "oauth.authorize";
/** Returns the ref of the code that a request issued after a person's consent, or null. */
export const issuedCode = ({ issued }: JournalEntry): string | null =>
  issued.find((ref) => ref.startsWith("code#")) ?? null;
export const codeOf = ({ used }: JournalEntry): string | null =>
  used.find((ref) => ref.startsWith("code#")) ?? null;
export const refreshOf = ({ used }: JournalEntry): string | null =>
  used.find((ref) => ref.startsWith("refresh#")) ?? null;
export const isStream = ({ endpoint }: JournalEntry): boolean =>
  endpoint === "publicStashTabs.page";
export const isExchange = ({ endpoint }: JournalEntry): boolean =>
  endpoint === "currencyExchange.page";

/** Whether a program ended, and was not ended by the audit. */
export const endedByItself = (ended: ProgramEnd | undefined): ended is ProgramEnd =>
  ended !== undefined && !ended.isTimeout && !ended.isRunTimeOver;

/** Whether a scenario's fault fired. The ids of its rules are `name-endpoint`. */
export const hasFault = (fired: ReadonlyArray<string>, name: string): boolean =>
  fired.some((id) => id.startsWith(`${name}-`));

/** Tolerance when times of requests are compared, because sending a request takes time. */
export const TOLERANCE_MILLIS = 50;

export const withFault = (entries: Entries, name: string): Entries =>
  entries.filter(({ faults }) => hasFault(faults, name));

/** Whether a response was lost: it did not arrive, was cut, or is a 5xx. */
export const isLost = (entry: JournalEntry): boolean => isUnanswered(entry) || entry.status! >= 500;

/** Whether no complete response arrived. Unlike after a 503, the service may have done the work. */
export const isUnanswered = ({ isWhole, status }: JournalEntry): boolean =>
  status === null || !isWhole;

/** Makes a finding about requests that must not be sent again, each with its repetitions. */
export const notAgain = (
  pairs: ReadonlyArray<readonly [JournalEntry, Entries]>,
  messageOf: (entry: JournalEntry) => string,
): Finding => judge(pairs, ([entry, [next]]) => next && violation(messageOf(entry), entry, next));

/** Whether a response is the firewall's page: a 403 that a fault sent, without a rate policy. */
export const isChallenge = ({ faults, policy, status }: JournalEntry): boolean =>
  status === 403 && policy === null && faults.length > 0;

/** Rules by their description: id, severity, title, and the statement in brackets. */
export type RuleTable = Readonly<
  Record<`A${number} ${AuditRule["severity"]}: ${string} (${string})`, AuditRule["check"]>
>;
