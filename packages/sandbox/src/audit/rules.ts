/**
 * The rules of the audit: what the specification and the RFCs ask of a client, as pure functions
 * over the journal of a run.
 *
 * A rule answers two questions: how often it was exercised, and which requests broke it. Requests
 * are grouped by client, not by token or policy: a program that takes a new token after a 503 and
 * goes on has not waited. Waiting is measured in real time, lifetimes in virtual time.
 */
import type { JournalEntry } from "../journal/Journal.ts";

/** One run of the program: its scenario, its requests, its end. */
export interface Run {
  readonly scenario: string;
  readonly entries: ReadonlyArray<JournalEntry>;
  /** Exit code of the program. */
  readonly exit: number;
  /** Whether the program had to be ended because it took too long. */
  readonly isTimeout: boolean;
  /** Ids of public clients. */
  readonly publicClients: ReadonlySet<string>;
  /** Scopes by `group.endpoint`. */
  readonly scopesOf: (endpoint: string) => ReadonlyArray<string>;
}

/** A broken rule. */
interface Violation {
  /** What happened. */
  readonly message: string;
  /** Ids of the requests, in the journal of their run. */
  readonly requests: ReadonlyArray<number>;
}

/** What a rule found in a run. */
interface Finding {
  readonly exercised: number;
  readonly broken: ReadonlyArray<Violation>;
}

/** A rule. */
export interface AuditRule {
  readonly id: string;
  readonly severity: "error" | "warning";
  readonly title: string;
  /** The sentence that it follows from. */
  readonly statement: string;
  readonly check: (run: Run) => Finding;
}

type Entries = ReadonlyArray<JournalEntry>;

const finding = (exercised: number, broken: ReadonlyArray<Violation>): Finding => ({
  exercised,
  broken,
});

const violation = (message: string, ...entries: Entries): Violation => ({
  message,
  requests: entries.map(({ id }) => id),
});

/** Entries by a key; those without one are left out. */
const groups = (
  entries: Entries,
  keyOf: (entry: JournalEntry) => string | null,
): ReadonlyArray<Entries> => {
  const found = new Map<string, Array<JournalEntry>>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (key === null) continue;
    const group = found.get(key);
    if (group === undefined) found.set(key, [entry]);
    else group.push(entry);
  }
  return [...found.values()];
};

/** Each entry with those of its group that came later. */
const withLater = (
  entries: Entries,
  keyOf: (entry: JournalEntry) => string | null,
): ReadonlyArray<readonly [JournalEntry, Entries]> =>
  groups(entries, keyOf).flatMap((group) =>
    group.map((entry, index) => [entry, group.slice(index + 1)] as const),
  );

const clientOf = ({ clientId }: JournalEntry): string => clientId ?? "?";
const endOf = (entry: JournalEntry): number => entry.elapsedMillis + entry.durationMillis;
const isOAuth = ({ endpoint }: JournalEntry): boolean => endpoint?.startsWith("oauth.") === true;
const isData = (entry: JournalEntry): boolean => entry.endpoint !== null && !isOAuth(entry);
const isToken = ({ endpoint }: JournalEntry): boolean => endpoint === "oauth.token";
const isAuthorize = ({ endpoint }: JournalEntry): boolean => endpoint === "oauth.authorize";
const isStream = ({ endpoint }: JournalEntry): boolean => endpoint === "publicStashTabs.page";
const isExchange = ({ endpoint }: JournalEntry): boolean => endpoint === "currencyExchange.page";

/** Whether a fault of a scenario fired; its rules are called `name-endpoint`. */
const hasFault = (fired: ReadonlyArray<string>, name: string): boolean =>
  fired.some((id) => id.startsWith(`${name}-`));

/** Requests are compared in this grain: a program cannot send in no time. */
const TOLERANCE_MILLIS = 50;

/** A01: nothing of the same client before `Retry-After` is over. */
const waitsForRetryAfter = ({ entries }: Run): Finding => {
  const asked = entries.filter(
    ({ retryAfterMillis, status }) =>
      retryAfterMillis !== null && (status === 429 || status === 503),
  );
  const broken = asked.flatMap((entry) => {
    const until = endOf(entry) + entry.retryAfterMillis! - TOLERANCE_MILLIS;
    const early = entries.find(
      (later) =>
        later.elapsedMillis > endOf(entry) &&
        later.elapsedMillis < until &&
        clientOf(later) === clientOf(entry) &&
        (later.route === entry.route || (entry.policy !== null && later.policy === entry.policy)),
    );
    return early === undefined
      ? []
      : [
          violation(
            `asked again after ${Math.round(early.elapsedMillis - endOf(entry))} ms, Retry-After was ${entry.retryAfterMillis} ms`,
            entry,
            early,
          ),
        ];
  });
  return finding(asked.length, broken);
};

/** A02: no refusal by a policy without a fault. */
const keepsToPolicies = ({ entries, scenario }: Run): Finding => {
  if (scenario === "policy-tightens") return finding(0, []);
  const governed = entries.filter(({ policy }) => policy !== null);
  return finding(
    governed.length,
    governed
      .filter(({ faults, limited }) => limited && faults.length === 0)
      .map((entry) => violation(`exceeded the policy ${entry.policy}`, entry)),
  );
};

/** A03: no refusal after a response had announced the tightened policy. */
const slowsDown = ({ entries, scenario }: Run): Finding => {
  if (scenario !== "policy-tightens") return finding(0, []);
  const limited = entries.filter((entry) => entry.limited);
  // The first refusal may be the first that a program hears of the new numbers.
  return finding(
    entries.filter(({ policy }) => policy !== null).length > 0 ? 1 : 0,
    limited.slice(1).map((entry) => violation("exceeded a policy that had been announced", entry)),
  );
};

const isFailed = ({ status }: JournalEntry): boolean => status === null || status >= 500;

/** A04: retries of failed requests wait longer each time, five times at most. */
const backsOff = ({ entries }: Run): Finding => {
  let exercised = 0;
  const broken = groups(entries, ({ requestRef }) => requestRef).flatMap((group) => {
    const runs: Array<Array<JournalEntry>> = [];
    for (const entry of group) {
      const last = runs.at(-1);
      if (last === undefined || !isFailed(last.at(-1)!)) runs.push([entry]);
      else last.push(entry);
    }
    return runs
      .filter((run) => run.length > 1)
      .flatMap((run) => {
        exercised += 1;
        // How long to wait after Retry-After is the server's word, not the program's.
        const gaps = run
          .slice(1)
          .map((entry, index) => [run[index]!, entry] as const)
          .filter(([before]) => before.retryAfterMillis === null)
          .map(([before, entry]) => entry.elapsedMillis - endOf(before));
        if (run.length > 6) return [violation(`retried ${run.length - 1} times`, ...run)];
        const shrinks = gaps.some((gap, index) => index > 0 && gap < gaps[index - 1]! * 0.5);
        const isHasty = gaps.length > 1 && gaps.at(-1)! < 20;
        return shrinks || isHasty
          ? [violation(`waited ${gaps.map(Math.round).join(", ")} ms between retries`, ...run)]
          : [];
      });
  });
  return finding(exercised, broken);
};

const REFUSED_FOR_GOOD: ReadonlySet<number> = new Set([400, 403, 404, 405, 415, 422]);

/** A05: no request again that was refused for good. */
const takesRefusals = ({ entries }: Run): Finding => {
  const refused = withLater(entries, ({ requestRef, token }) => `${requestRef} ${token}`).filter(
    ([entry]) =>
      entry.status !== null &&
      REFUSED_FOR_GOOD.has(entry.status) &&
      !isOAuth(entry) &&
      !isChallenge(entry),
  );
  return finding(
    refused.length,
    refused.flatMap(([entry, [next]]) =>
      next === undefined ? [] : [violation(`repeated after ${entry.status}`, entry, next)],
    ),
  );
};

/** The firewall's page: a 403 without a policy that a fault made. */
const isChallenge = ({ faults, policy, status }: JournalEntry): boolean =>
  status === 403 && policy === null && faults.length > 0;

/** A06: nothing on a route within a minute of a firewall's page. */
const stopsAtFirewall = ({ entries }: Run): Finding => {
  const blocked = entries.filter(isChallenge);
  return finding(
    blocked.length,
    blocked.flatMap((entry) => {
      const next = entries.find(
        (later) =>
          later.id > entry.id &&
          later.route === entry.route &&
          later.elapsedMillis < endOf(entry) + 60_000,
      );
      return next === undefined ? [] : [violation("went on after the block", entry, next)];
    }),
  );
};

/** A07: after 401 one new token and one repetition. */
const renewsOnce = ({ entries }: Run): Finding => {
  const data = entries.filter(isData);
  const refused = data.filter(({ status }) => status === 401);
  const byRequest = groups(data, (entry) => `${clientOf(entry)} ${entry.requestRef}`).flatMap(
    (group) => {
      const all = group.filter(({ status }) => status === 401);
      return all.length > 2 ? [violation(`${all.length} times 401 for one request`, ...all)] : [];
    },
  );
  const again = withLater(data, ({ token }) => token).flatMap(([entry, later]) => {
    // Requests that were under way already are no repetition.
    const next = later.find((one) => one.elapsedMillis > endOf(entry) + TOLERANCE_MILLIS);
    return entry.status === 401 && entry.faults.length === 0 && next !== undefined
      ? [violation("sent a token again that had been refused", entry, next)]
      : [];
  });
  return finding(refused.length, [...byRequest, ...again.slice(0, 5)]);
};

/** A08: no create again whose response was lost. */
const createsOnce = ({ entries }: Run): Finding => {
  const lost = withLater(
    entries.filter(({ endpoint }) => endpoint === "itemFilters.create"),
    ({ requestRef }) => requestRef,
  ).filter(([{ isWhole, status }]) => status === null || status >= 500 || !isWhole);
  return finding(
    lost.length,
    lost.flatMap(([entry, [next]]) =>
      next === undefined ? [] : [violation("sent a create again after a lost answer", entry, next)],
    ),
  );
};

const refreshOf = ({ used }: JournalEntry): string | null =>
  used.find((ref) => ref.startsWith("refresh#")) ?? null;
const codeOf = ({ used }: JournalEntry): string | null =>
  used.find((ref) => ref.startsWith("code#")) ?? null;
const isLost = ({ isWhole, status }: JournalEntry): boolean =>
  status === null || status >= 500 || !isWhole;

/** A09: a refresh token once; once more only after a lost answer. */
const spendsRefreshOnce = ({ entries }: Run): Finding => {
  const uses = groups(entries.filter(isToken), refreshOf);
  return finding(
    uses.length,
    uses.flatMap((group) => {
      const answered = group.filter((entry) => !isLost(entry));
      return answered.length > 1 || group.length > 2
        ? [violation(`used one refresh token ${group.length} times`, ...group)]
        : [];
    }),
  );
};

/** A10: one refresh at a time. Two within the grain were under way together. */
const refreshesAlone = ({ entries }: Run): Finding => {
  const uses = groups(entries.filter(isToken), refreshOf);
  return finding(
    uses.length,
    uses.flatMap((group) =>
      group.some(
        (entry, index) =>
          index > 0 && entry.elapsedMillis < endOf(group[index - 1]!) + TOLERANCE_MILLIS,
      )
        ? [violation("two refreshes with one token at once", ...group)]
        : [],
    ),
  );
};

/** A11: a code or refresh token that was refused is not sent again. */
const invalidGrantIsFinal = ({ entries }: Run): Finding => {
  const refused = withLater(
    entries.filter(isToken),
    (entry) => refreshOf(entry) ?? codeOf(entry),
  ).filter(([{ status }]) => status === 400);
  return finding(
    refused.length,
    refused.flatMap(([entry, [next]]) =>
      next === undefined ? [] : [violation("sent again after invalid_grant", entry, next)],
    ),
  );
};

/** A12: a code within 30 seconds, and once. */
const redeemsInTime = ({ entries }: Run): Finding => {
  const codes = groups(entries.filter(isToken), codeOf);
  return finding(
    codes.length,
    codes.flatMap((group) => [
      ...(group.length > 1 && !isLost(group[0]!)
        ? [violation("redeemed a code more than once", ...group)]
        : []),
      ...(group[0]!.status === 400
        ? [violation("redeemed a code too late or wrongly", group[0]!)]
        : []),
    ]),
  );
};

/** A13: S256, and a fresh challenge each time. */
const freshChallenges = ({ entries }: Run): Finding => {
  const asked = entries.filter(isAuthorize);
  return finding(asked.length, [
    ...asked
      .filter(({ challengeMethod }) => challengeMethod !== "S256")
      .map((entry) => violation("asked without code_challenge_method S256", entry)),
    ...groups(asked, ({ challenge }) => challenge)
      .filter((group) => group.length > 1)
      .map((group) => violation("used one code_challenge more than once", ...group)),
  ]);
};

/** A14: `state` present and fresh. */
const freshStates = ({ entries }: Run): Finding => {
  const asked = entries.filter(isAuthorize);
  return finding(asked.length, [
    ...asked
      .filter(({ state }) => state === null)
      .map((entry) => violation("sent no state", entry)),
    ...groups(asked, ({ state }) => state)
      .filter((group) => group.length > 1)
      .map((group) => violation("used one state more than once", ...group)),
  ]);
};

/** A15: the code of a callback with a wrong state is not redeemed. */
const checksState = ({ entries, scenario }: Run): Finding => {
  if (scenario !== "forged-callback") return finding(0, []);
  const authorized = entries.filter(isAuthorize);
  const redeemed = entries.filter((entry) => isToken(entry) && codeOf(entry) !== null);
  return finding(
    authorized.length,
    authorized.length === 0
      ? []
      : redeemed.map((entry) => violation("redeemed a code that came with a wrong state", entry)),
  );
};

/** A16: no secret in a URL. */
const keepsSecretsOut = ({ entries }: Run): Finding =>
  finding(
    entries.length,
    entries
      .filter(({ secretsInUrl }) => secretsInUrl.length > 0)
      .map((entry) => violation(`sent ${entry.secretsInUrl.join(", ")} in the URL`, entry)),
  );

/** A17: a public client sends no secret. */
const publicSendsNoSecret = ({ entries, publicClients }: Run): Finding => {
  const ofPublic = entries.filter(
    (entry) => isToken(entry) && entry.clientId !== null && publicClients.has(entry.clientId),
  );
  return finding(
    ofPublic.length,
    ofPublic
      .filter(({ sendsSecret }) => sendsSecret)
      .map((entry) => violation("a public client sent a secret", entry)),
  );
};

/** A18: no scope that no called endpoint needs. */
const leastScopes = ({ entries, scenario, scopesOf }: Run): Finding => {
  // Under a fault a program may never come to what it asked the scope for.
  if (scenario !== "baseline") return finding(0, []);
  const used = groups(
    entries.filter((entry) => entry.token !== null && entry.endpoint !== null),
    ({ token }) => token,
  );
  return finding(
    used.length,
    used.flatMap((group) => {
      const needed = new Set(group.flatMap(({ endpoint }) => scopesOf(endpoint!)));
      const spare = group[0]!.scopes.filter((scope) => !needed.has(scope));
      return spare.length === 0
        ? []
        : [
            violation(
              `${spare.join(", ")} ${spare.length > 1 ? "were" : "was"} not needed`,
              group[0]!,
            ),
          ];
    }),
  );
};

/** A19: a token that never expires is obtained once. */
const keepsEndlessTokens = ({ entries }: Run): Finding => {
  const own = entries.filter(
    (entry) => isToken(entry) && entry.grantType === "client_credentials" && entry.status === 200,
  );
  const bySubject = groups(
    own,
    (entry) => `${clientOf(entry)} ${entry.scopes.toSorted().join(" ")}`,
  );
  return finding(
    bySubject.length,
    bySubject
      .filter((group) => {
        const refused = entries.some(
          ({ status, token }) =>
            status === 401 && group.some(({ issued }) => issued.includes(token ?? "")),
        );
        return group.length > 1 && !refused;
      })
      .map((group) => violation(`obtained ${group.length} tokens that never expire`, ...group)),
  );
};

/** A20: a `User-Agent` with name, version and contact. */
const namesItself = ({ entries }: Run): Finding =>
  finding(
    entries.length > 0 ? 1 : 0,
    groups(
      entries.filter(({ userAgent }) => !USER_AGENT.test(userAgent ?? "")),
      ({ userAgent }) => userAgent ?? "",
    ).map((group) => violation(`User-Agent: ${group[0]!.userAgent ?? "none"}`, group[0]!)),
  );

const USER_AGENT = /^(?:OAuth )?[\w.-]+\/\d[\w.+-]* .*\(.*contact: ?[^)]+\)/u;

/** A21: lives with a null result. */
const livesWithNull = ({ entries, exit, isTimeout, scenario }: Run): Finding => {
  if (scenario !== "gone") return finding(0, []);
  const gone = entries.filter(({ faults }) => hasFault(faults, "gone"));
  const repeated = groups(gone, ({ requestRef }) => requestRef).filter((group) => group.length > 2);
  return finding(gone.length, [
    ...repeated.map((group) => violation(`asked ${group.length} times for what is gone`, ...group)),
    ...(gone.length > 0 && exit > 1 && !isTimeout
      ? [violation(`the program ended with ${exit} over a null result`, gone.at(-1)!)]
      : []),
  ]);
};

/** A22: follows the stream by the ids that it was given. */
const followsIds = ({ entries }: Run): Finding => {
  const pages = groups(entries.filter(isStream), clientOf);
  let exercised = 0;
  const broken = pages.flatMap((group) => {
    const given = new Set<string>();
    const found: Array<Violation> = [];
    let last: JournalEntry | undefined;
    for (const entry of group) {
      const isFirst = entry.cursor === null || entry.cursor === group[0]!.cursor;
      if (last !== undefined) exercised += 1;
      if (!isFirst && !given.has(entry.cursor!))
        found.push(violation("asked by an id that it was not given", entry));
      const isBack =
        last?.nextCursor !== undefined &&
        last.nextCursor !== null &&
        last.isWhole &&
        last.status === 200 &&
        entry.cursor !== last.nextCursor &&
        entry.cursor !== last.cursor &&
        isFirst &&
        group.indexOf(entry) > 0;
      if (isBack) found.push(violation("began the stream again", last!, entry));
      if (entry.status === 200 && entry.nextCursor !== null) given.add(entry.nextCursor);
      if (entry.status === 200) last = entry;
    }
    return found;
  });
  return finding(exercised, broken.slice(0, 5));
};

/** A23: at the end the same id again, and not at once. */
const waitsAtEnd = ({ entries }: Run): Finding => {
  const ends = withLater(
    entries.filter(isStream),
    (entry) => `${clientOf(entry)} ${entry.parameters["realm"] ?? ""}`,
  ).filter(
    ([{ isEmpty, status }, later]) => isEmpty === true && status === 200 && later.length > 0,
  );
  return finding(
    ends.length,
    ends.flatMap(([entry, [next]]) => {
      if (next!.cursor !== entry.nextCursor && next!.cursor !== entry.cursor)
        return [violation("asked by another id at the end of the stream", entry, next!)];
      const gap = next!.elapsedMillis - endOf(entry);
      return gap < 1_000 - TOLERANCE_MILLIS
        ? [
            violation(
              `asked again after ${Math.round(gap)} ms at the end of the stream`,
              entry,
              next!,
            ),
          ]
        : [];
    }),
  );
};

const HOUR = 3_600_000;

/** A24: at the end of the exchange nothing before the next hour. */
const waitsForHour = ({ entries }: Run): Finding => {
  const ends = withLater(
    entries.filter(isExchange),
    (entry) => `${clientOf(entry)} ${entry.parameters["realm"] ?? ""}`,
  ).filter(
    ([{ isEmpty, status }, later]) => isEmpty === true && status === 200 && later.length > 0,
  );
  return finding(
    ends.length,
    ends.flatMap(([entry, [next]]) => {
      const boundary = (Math.floor(Date.parse(entry.at) / HOUR) + 1) * HOUR;
      return Date.parse(next!.at) < boundary
        ? [violation("asked again before the next hour", entry, next!)]
        : [];
    }),
  );
};

/** A25: fetches nothing twice within a minute. */
const fetchesOnce = ({ entries }: Run): Finding => {
  const reads = withLater(
    entries.filter(
      (entry) => isData(entry) && entry.method === "GET" && !isStream(entry) && !isExchange(entry),
    ),
    ({ requestRef, token }) => `${requestRef} ${token}`,
  ).filter(([{ faults, isWhole, status }]) => status === 200 && isWhole && faults.length === 0);
  return finding(
    reads.length,
    reads.flatMap(([entry, later]) => {
      const next = later.find((one) => one.elapsedMillis < entry.elapsedMillis + 60_000);
      return next === undefined
        ? []
        : [violation("fetched the same again within a minute", entry, next)];
    }),
  );
};

const LADDER_DEPTH = 15_000;

/** A26: no ladder beyond 15,000, nothing after an empty page. */
const staysInLadder = ({ entries }: Run): Finding => {
  const pages = entries.filter(({ endpoint }) => endpoint?.endsWith("adder") === true);
  return finding(
    pages.length,
    pages
      .filter(({ parameters }) => Number(parameters["offset"] ?? 0) >= LADDER_DEPTH)
      .map((entry) => violation(`asked a ladder from ${entry.parameters["offset"]} on`, entry)),
  );
};

/** A27: tolerates members and words that it does not know. */
const toleratesDrift = ({ entries, exit, isTimeout, scenario }: Run): Finding => {
  if (scenario !== "drifted-schema" && scenario !== "all-null") return finding(0, []);
  const drifted = entries.filter(({ faults }) => hasFault(faults, "drift"));
  return finding(
    drifted.length,
    drifted.length > 0 && exit !== 0 && !isTimeout
      ? [violation(`the program ended with ${exit} over unknown members`, drifted.at(-1)!)]
      : [],
  );
};

/** A28: 202 is done, with more to come. */
const takes202 = ({ entries }: Run): Finding => {
  const accepted = withLater(
    entries.filter(({ endpoint }) => endpoint === "itemFilters.update"),
    ({ requestRef }) => requestRef,
  ).filter(([{ status }]) => status === 202);
  return finding(
    accepted.length,
    accepted.flatMap(([entry, [next]]) =>
      next === undefined ? [] : [violation("sent an update again that was accepted", entry, next)],
    ),
  );
};

const rule = (
  id: string,
  severity: AuditRule["severity"],
  title: string,
  statement: string,
  check: AuditRule["check"],
): AuditRule => ({ id, severity, title, statement, check });

/** Every rule, in the order of their ids. */
export const RULES: ReadonlyArray<AuditRule> = [
  rule("A01", "error", "waits for Retry-After", "RFC 9110 §10.2.3", waitsForRetryAfter),
  rule("A02", "error", "never exceeds a policy", "§8: rate limits", keepsToPolicies),
  rule("A03", "error", "slows down when a policy tightens", "§8: rate limits", slowsDown),
  rule(
    "A04",
    "warning",
    "backs off, and gives up after five retries",
    "docs/choices.md: retries",
    backsOff,
  ),
  rule("A05", "error", "repeats no request that was refused for good", "§7: errors", takesRefusals),
  rule("A06", "error", "stops at a firewall's block", "docs/choices.md: firewall", stopsAtFirewall),
  rule("A07", "error", "after 401 one new token and one repetition", "§7: 401", renewsOnce),
  rule(
    "A08",
    "error",
    "does not repeat a create whose answer was lost",
    "§4.2: item filters",
    createsOnce,
  ),
  rule("A09", "error", "spends a refresh token once", "§3, §5: refresh tokens", spendsRefreshOnce),
  rule("A10", "error", "refreshes one at a time", "§5: refresh tokens", refreshesAlone),
  rule("A11", "error", "takes invalid_grant as final", "RFC 6749 §5.2", invalidGrantIsFinal),
  rule(
    "A12",
    "error",
    "redeems a code within 30 seconds, once",
    "§3, §5: authorization codes",
    redeemsInTime,
  ),
  rule("A13", "error", "uses S256 with a fresh challenge", "§4.1, §5: PKCE", freshChallenges),
  rule("A14", "error", "sends a fresh state", "§4.1: state", freshStates),
  rule("A15", "error", "checks the state of a callback", "§5: step 3", checksState),
  rule("A16", "error", "puts no secret into a URL", "§5: sending a token", keepsSecretsOut),
  rule(
    "A17",
    "error",
    "sends no secret as a public client",
    "§5: client types",
    publicSendsNoSecret,
  ),
  rule("A18", "warning", "asks for no scope that it does not need", "§5: scopes", leastScopes),
  rule(
    "A19",
    "warning",
    "obtains a token that never expires once",
    "§3, §5: client credentials",
    keepsEndlessTokens,
  ),
  rule(
    "A20",
    "warning",
    "names itself in the User-Agent",
    "docs/choices.md: User-Agent",
    namesItself,
  ),
  rule("A21", "error", "lives with a null result", "§7: null", livesWithNull),
  rule(
    "A22",
    "error",
    "follows the stream by the ids it is given",
    "§4.2: stream rule 1",
    followsIds,
  ),
  rule("A23", "error", "waits at the end of the stream", "§4.2: stream rule 4", waitsAtEnd),
  rule(
    "A24",
    "error",
    "waits for the next hour of the exchange",
    "§4.2: currency exchange",
    waitsForHour,
  ),
  rule("A25", "warning", "fetches nothing twice within a minute", "§8: rate limits", fetchesOnce),
  rule("A26", "error", "asks no ladder beyond 15,000", "§7, §8: ladders", staysInLadder),
  rule(
    "A27",
    "error",
    "tolerates unknown members and words",
    "docs/choices.md: tolerant reader",
    toleratesDrift,
  ),
  rule("A28", "error", "takes 202 as done", "§4.2, §7: 202", takes202),
];
