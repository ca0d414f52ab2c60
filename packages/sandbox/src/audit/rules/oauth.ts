/** Rules of the audit about codes, refresh tokens and authorization requests. */
import type { JournalEntry } from "../../journal/JournalEntry.ts";
import { OAUTH_FAILURES } from "../../oauth/OAuthErrors.ts";
import {
  codeOf,
  endOf,
  finding,
  groups,
  isAuthorize,
  isLost,
  issuedCode,
  isToken,
  notAgain,
  refreshOf,
  violation,
  withLater,
  type Finding,
  type RuleTable,
  type Run,
} from "./model.ts";

/** So soon after the end of another request a program can hardly have read its answer. */
const AT_ONCE_MILLIS = 5;

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

/** A10: one refresh at a time. Two over two connections without a pause were under way together. */
const refreshesAlone = ({ entries }: Run): Finding => {
  const uses = groups(entries.filter(isToken), refreshOf);
  return finding(
    uses.length,
    uses.flatMap((group) =>
      group.some(
        (entry, index) =>
          index > 0 &&
          entry.connection !== group[index - 1]!.connection &&
          entry.elapsedMillis <= endOf(group[index - 1]!) + AT_ONCE_MILLIS,
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
  return notAgain(refused, () => "sent again after invalid_grant");
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
const freshChallenges = ({ entries, reused }: Run): Finding => {
  const asked = entries.filter(isAuthorize);
  return finding(asked.length, [
    ...asked
      .filter(({ challengeMethod }) => challengeMethod !== "S256")
      .map((entry) => violation("asked without code_challenge_method S256", entry)),
    ...groups(entries.filter(issuedCode), ({ challenge }) => challenge)
      .filter((group) => group.length > 1)
      .map((group) => violation("used one code_challenge more than once", ...group)),
    ...asked
      .filter(({ id }) => reused?.challenge.has(id) === true)
      .map((entry) => violation("used the code_challenge of an earlier run again", entry)),
  ]);
};

/** A14: `state` present and fresh. */
const freshStates = ({ entries, reused }: Run): Finding => {
  const asked = entries.filter(isAuthorize);
  return finding(asked.length, [
    ...asked
      .filter(({ state }) => state === null)
      .map((entry) => violation("sent no state", entry)),
    ...groups(entries.filter(issuedCode), ({ state }) => state)
      .filter((group) => group.length > 1)
      .map((group) => violation("used one state more than once", ...group)),
    ...asked
      .filter(({ id }) => reused?.state.has(id) === true)
      .map((entry) => violation("used the state of an earlier run again", entry)),
  ]);
};

/** A15: the code of a callback with a wrong state is not redeemed. */
const checksState = ({ entries }: Run): Finding => {
  const forged = entries.filter((entry) => entry.isForged && issuedCode(entry) !== null);
  const codes = new Set(forged.map(issuedCode));
  return finding(
    forged.length,
    entries
      .filter((entry) => isToken(entry) && codes.has(codeOf(entry)))
      .map((entry) => violation("redeemed a code that came with a wrong state", entry)),
  );
};

const TEN_MINUTES = 600_000;
const isGranted = (entry: JournalEntry): boolean =>
  isToken(entry) && entry.status === 200 && !isLost(entry);
const holderOf = ({ account, clientId }: JournalEntry): string => `${clientId} ${account}`;

/** What a person consented to: the same for equal consents. */
const consentOf = (entry: JournalEntry): string =>
  `${holderOf(entry)} ${entry.scopes.toSorted().join(" ")}`;

/** Refusals of a code or a refresh token: those have rules of their own. */
const OF_GRANTS: ReadonlySet<string | null> = new Set([
  OAUTH_FAILURES.CodeInvalid.description,
  OAUTH_FAILURES.RefreshTokenInvalid.description,
]);

/** A34: token requests that the service can read, and that the client may send. */
const readableTokenRequests = ({ entries }: Run): Finding => {
  const asked = entries.filter(
    ({ faults, path }) => path === "/oauth/token" && faults.length === 0,
  );
  return finding(
    asked.length,
    asked.flatMap((entry) => {
      if (entry.status === 401) return [violation("was refused as a client", entry)];
      if (entry.status === 405 || entry.status === 415)
        return [violation(`sent a token request that was answered ${entry.status}`, entry)];
      // A secret in the URL is refused before the form is read, and is A16's.
      if (entry.status !== 400 || entry.secretsInUrl.length > 0 || OF_GRANTS.has(entry.reason))
        return [];
      const isBare =
        entry.grantType === null && entry.reason === OAUTH_FAILURES.ParameterMissing.description;
      const what = isBare ? "without a grant type" : `that was refused: ${entry.reason}`;
      return [violation(`sent a token request ${what}`, entry)];
    }),
  );
};

/** A35: an access token is used for its life. */
const keepsAccessTokens = ({ entries }: Run): Finding => {
  const refreshes = entries.filter((entry) => isGranted(entry) && refreshOf(entry) !== null);
  return finding(
    refreshes.length,
    refreshes.flatMap((entry) => {
      const before = entries.filter(
        (one) => one.id < entry.id && isGranted(one) && holderOf(one) === holderOf(entry),
      );
      const last = before.at(-1);
      if (last === undefined) return [];
      const age = Date.parse(entry.at) - Date.parse(last.at);
      const isRefused = entries.some(
        ({ id, status }) => status === 401 && id > last.id && id < entry.id,
      );
      return age < TEN_MINUTES && !isRefused
        ? [violation(`refreshed a token after ${Math.round(age / 1000)} s`, last, entry)]
        : [];
    }),
  );
};

/** A36: a person is asked once. */
const asksOnce = ({ entries }: Run): Finding => {
  const consents = entries.filter((entry) => issuedCode(entry) !== null && !entry.isForged);
  return finding(
    consents.length,
    withLater(consents, consentOf).flatMap(([entry, [next]]) => {
      if (next === undefined) return [];
      const isRefused = entries.some(
        ({ faults, id, status }) =>
          id > entry.id &&
          id < next.id &&
          (status === 400 || status === 401 || status === null || faults.length > 0),
      );
      return isRefused ? [] : [violation("asked a person for the same consent again", entry, next)];
    }),
  );
};

/** A43: `invalid_client` is final. */
const invalidClientIsFinal = ({ entries }: Run): Finding => {
  const refused = withLater(entries.filter(isToken), ({ requestRef }) => requestRef).filter(
    ([{ faults, status }]) => status === 401 && faults.length === 0,
  );
  return notAgain(refused, () => "sent the same token request again after invalid_client");
};

/** The rules. */
export const oauthRules: RuleTable = {
  "A09 error: spends a refresh token once (§3, §5: refresh tokens)": spendsRefreshOnce,
  "A10 error: refreshes one at a time (§5: refresh tokens)": refreshesAlone,
  "A11 error: takes invalid_grant as final (RFC 6749 §5.2)": invalidGrantIsFinal,
  "A12 error: redeems a code within 30 seconds, once (§3, §5: authorization codes)": redeemsInTime,
  "A13 error: uses S256 with a fresh challenge (§4.1, §5: PKCE)": freshChallenges,
  "A14 error: sends a fresh state (§4.1: state)": freshStates,
  "A15 error: checks the state of a callback (§5: step 3)": checksState,
  "A34 error: sends token requests that are accepted (§4.1, RFC 6749 §5.2)": readableTokenRequests,
  "A35 warning: keeps an access token for its life (§5: lifetimes)": keepsAccessTokens,
  "A36 warning: asks a person once (§5: refresh tokens)": asksOnce,
  "A43 error: takes invalid_client as final (RFC 6749 §5.2)": invalidClientIsFinal,
};
