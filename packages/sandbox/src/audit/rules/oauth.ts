/** Rules of the audit about tokens, codes, authorization requests, and secrets in wrong places. */
import type { JournalEntry } from "../../journal/Journal.ts";
import { OAUTH_FAILURES } from "../../oauth/OAuthFailure.ts";
import {
  clientOf,
  codeOf,
  endOf,
  type Entries,
  finding,
  groups,
  isAuthorize,
  isData,
  isLost,
  issuedCode,
  isToken,
  judge,
  notAgain,
  refreshOf,
  type RuleTable,
  type Run,
  violation,
  withLater,
} from "./model.ts";

/** A request that starts within this time after another's end cannot depend on its response. */
const AT_ONCE_MILLIS = 5;

/** Returns the ref of the access token that a request issued, or null. */
const issuedToken = ({ issued }: JournalEntry): string | null =>
  issued.find((ref) => ref.startsWith("token#")) ?? null;

const isIntrospection = ({ endpoint }: JournalEntry): boolean => endpoint === "oauth.introspect";

/** Groups token requests by the refresh token or the code that they redeem. */
const usesOf = (
  entries: Entries,
  valueOf: (entry: JournalEntry) => string | null,
): ReadonlyArray<Entries> => groups(entries.filter(isToken), valueOf);

/** Reports authorization requests whose `state` or challenge is missing, wrong or used before. */
const freshValues = (
  { entries, reused }: Run,
  [kind, name]: readonly [kind: "state" | "challenge", name: string],
  [isBad, bad]: readonly [isBad: (entry: JournalEntry) => boolean, bad: string],
) => {
  const requests = entries.filter(isAuthorize);
  const again = groups(entries.filter(issuedCode), (entry) => entry[kind]).filter(
    (group) => group.length > 1,
  );
  return finding(requests, [
    ...requests.filter(isBad).map((entry) => violation(bad, entry)),
    ...again.map((group) => violation(`used one ${name} more than once`, ...group)),
    ...requests
      .filter(({ id }) => reused?.[kind].has(id) === true)
      .map((entry) => violation(`used the ${name} of an earlier run again`, entry)),
  ]);
};

/** Refusals of a code or a refresh token. Other rules (A11, A12) report them. */
const OF_GRANTS: ReadonlySet<string | null> = new Set([
  OAUTH_FAILURES.CodeInvalid.description,
  OAUTH_FAILURES.RefreshTokenInvalid.description,
]);

/** Returns the mistake in a refused token request. */
const refusalOf = (entry: JournalEntry): string | undefined => {
  const { grantType, reason, secretsInUrl, status } = entry;
  if (status === 401) return "was refused as a client";
  if (status === 405 || status === 415) return `sent a token request that was answered ${status}`;
  // A secret in the URL is refused before the form is read. A16 reports it.
  if (status !== 400 || secretsInUrl.length > 0 || OF_GRANTS.has(reason)) return undefined;
  const isBare = grantType === null && reason === OAUTH_FAILURES.ParameterMissing.description;
  return `sent a token request ${isBare ? "without a grant type" : `that was refused: ${reason}`}`;
};

export const oauthRules: RuleTable = {
  // A refresh token may be sent twice only if the first response was lost.
  "A09 error: spends a refresh token once (§3, §5: refresh tokens)": ({ entries }) =>
    judge(usesOf(entries, refreshOf), (group) => {
      const answered = group.filter((entry) => !isLost(entry));
      return (
        (answered.length > 1 || group.length > 2) &&
        violation(`used one refresh token ${group.length} times`, ...group)
      );
    }),

  // Requests on two connections without a pause between them overlapped.
  "A10 error: refreshes one at a time (§5: refresh tokens)": ({ entries }) =>
    judge(usesOf(entries, refreshOf), (group) => {
      const isAtOnce = group.some((entry, index) => {
        const before = group[index - 1];
        return (
          before !== undefined &&
          entry.connection !== before.connection &&
          entry.elapsedMillis <= endOf(before) + AT_ONCE_MILLIS
        );
      });
      return isAtOnce && violation("two refreshes with one token at once", ...group);
    }),

  "A11 error: takes invalid_grant as final (RFC 6749 §5.2)": ({ entries }) =>
    notAgain(
      withLater(entries.filter(isToken), (entry) => refreshOf(entry) ?? codeOf(entry)).filter(
        ([{ status }]) => status === 400,
      ),
      () => "sent again after invalid_grant",
    ),

  "A12 error: redeems a code within 30 seconds, once (§3, §5: authorization codes)": ({
    entries,
  }) =>
    judge(usesOf(entries, codeOf), (group) => {
      const first = group[0]!;
      return [
        ...(group.length > 1 && !isLost(first)
          ? [violation("redeemed a code more than once", ...group)]
          : []),
        ...(first.status === 400 ? [violation("redeemed a code too late or wrongly", first)] : []),
      ];
    }),

  "A13 error: uses S256 with a fresh challenge (§4.1, §5: PKCE)": (run) =>
    freshValues(
      run,
      ["challenge", "code_challenge"],
      [
        ({ challengeMethod }) => challengeMethod !== "S256",
        "requested authorization without code_challenge_method S256",
      ],
    ),

  "A47 error: makes every code_verifier from random bytes (RFC 7636 §7.1)": ({
    entries,
    reused,
  }) => {
    const redeemed = entries.filter(({ verifierStart }) => verifierStart !== null);
    const alike = groups(redeemed, ({ verifierStart }) => verifierStart).filter(
      (group) => new Set(group.map(codeOf)).size > 1,
    );
    const again = redeemed.filter(({ id }) => reused?.verifierStart.has(id) === true);
    return finding(redeemed, [
      ...redeemed
        .filter(({ isVerifierWeak }) => isVerifierWeak)
        .map((entry) => violation("sent a code_verifier of few different characters", entry)),
      ...alike.map((group) => violation("sent code_verifiers that begin alike", ...group)),
      ...again.map((entry) => violation("began a code_verifier as in an earlier run", entry)),
    ]);
  },

  "A48 warning: introspects no token before every call (RFC 7662 §4)": ({ entries }) => {
    const calls = entries.filter((entry) => isData(entry) || isIntrospection(entry));
    const pairs = groups(calls, clientOf).flatMap((group) =>
      group.slice(1).flatMap((entry, index) => {
        const before = group[index]!;
        return isData(entry) && isIntrospection(before) ? [[before, entry]] : [];
      }),
    );
    const isHabit = pairs.length > 2 && pairs.length >= calls.filter(isData).length / 2;
    const what = `introspected a token before each of ${pairs.length} calls`;
    return finding(
      calls.filter(isIntrospection),
      isHabit ? [violation(what, ...pairs.flat().slice(0, 6))] : [],
    );
  },

  // Compares tokens of the same user and scopes. A refused token (401) has to be replaced.
  "A50 warning: keeps an access token for many requests (§3: access tokens)": ({ entries }) =>
    judge(
      groups(entries.filter(issuedToken), ({ account, clientId, scopes }) =>
        [clientId, account, ...scopes].join(" "),
      ),
      (group) => {
        const calls = group
          .map((issuing) => entries.filter(({ token }) => token === issuedToken(issuing)))
          .filter((uses) => uses.some(isData) && uses.every(({ status }) => status !== 401));
        const isHabit = calls.length > 2 && calls.every((uses) => uses.length === 1);
        const what = `took a new access token for each of ${calls.length} requests`;
        return isHabit && violation(what, ...calls.flat().slice(0, 6));
      },
    ),

  "A14 error: sends a fresh state (§4.1: state)": (run) =>
    freshValues(run, ["state", "state"], [({ state }) => state === null, "sent no state"]),

  "A15 error: checks the state of a callback (§5: step 3)": ({ entries }) => {
    const forged = entries.filter((entry) => entry.isForged && issuedCode(entry) !== null);
    const codes = new Set(forged.map(issuedCode));
    const redeemed = entries.filter((entry) => isToken(entry) && codes.has(codeOf(entry)));
    return finding(
      forged,
      redeemed.map((entry) => violation("redeemed a code that came with a wrong state", entry)),
    );
  },

  "A34 error: sends token requests that are accepted (§4.1, RFC 6749 §5.2)": ({ entries }) =>
    judge(
      entries.filter(({ faults, path }) => path === "/oauth/token" && faults.length === 0),
      (entry) => {
        const refusal = refusalOf(entry);
        return refusal !== undefined && violation(refusal, entry);
      },
    ),

  "A43 error: takes invalid_client as final (RFC 6749 §5.2)": ({ entries }) =>
    notAgain(
      withLater(entries.filter(isToken), ({ requestRef }) => requestRef).filter(
        ([{ faults, status }]) => status === 401 && faults.length === 0,
      ),
      () => "sent the same token request again after invalid_client",
    ),

  "A46 error: keeps secrets where they belong (§4.1: state, §5: sending a token)": ({ entries }) =>
    judge(entries, (entry) => entry.misplaced.map((what) => violation(`sent ${what}`, entry))),

  "A16 error: puts no secret into a URL (§5: sending a token)": ({ entries }) =>
    judge(entries, (entry) =>
      [[entry.secretsInUrl, "the URL"] as const, [entry.secretsInCookie, "a cookie"] as const]
        .filter(([names]) => names.length > 0)
        .map(([names, place]) => violation(`sent ${names.join(", ")} in ${place}`, entry)),
    ),

  "A17 error: sends no secret as a public client (§5: client types)": ({
    entries,
    publicClients,
  }) =>
    judge(
      entries.filter((entry) => isToken(entry) && publicClients.has(entry.clientId ?? "")),
      (entry) => entry.sendsSecret && violation("a public client sent a secret", entry),
    ),
};
