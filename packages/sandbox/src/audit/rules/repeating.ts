/**
 * Audit rules about refused requests: which requests a client sends and repeats, and when it gives
 * up.
 */
import type { JournalEntry } from "../../journal/Journal.ts";
import {
  clientOf,
  endedByItself,
  endOf,
  finding,
  groups,
  isAuthorize,
  isChallenge,
  isData,
  isOAuth,
  isUnanswered,
  isStream,
  isToken,
  judge,
  notAgain,
  type RuleTable,
  scopesOf,
  TOLERANCE_MILLIS,
  violation,
  withFault,
  withLater,
} from "./model.ts";

const REFUSED_FOR_GOOD: ReadonlySet<number | null> = new Set([400, 403, 404, 405, 415, 422]);

/** Pairs each request to an endpoint with its later repetitions. */
const repeated = (entries: ReadonlyArray<JournalEntry>, endpoint: string) =>
  withLater(
    entries.filter((entry) => entry.endpoint === endpoint),
    ({ requestRef }) => requestRef,
  );

/** Statuses that refuse the parameters, the body or the type of a request, whoever sends it. */
const FOR_GOOD = new Set([400, 409, 413, 415, 422]);
const LIST = "itemFilters.list";
const DENIED = "The user denied the request.";

export const repeatingRules: RuleTable = {
  "A05 error: repeats no request that was refused for good (§7: errors)": ({ entries }) =>
    notAgain(
      // After 403, another token with the same scopes is refused as well, so compare scopes.
      withLater(entries, ({ requestRef, scopes, status, token }) =>
        [requestRef, status === 403 ? scopes : token].join(" "),
      ).filter(
        ([entry]) => REFUSED_FOR_GOOD.has(entry.status) && !isOAuth(entry) && !isChallenge(entry),
      ),
      ({ status }) => `repeated after ${status}`,
    ),

  "A07 error: after 401 one new token and one repetition (§7: 401)": ({ ended, entries }) => {
    const data = entries.filter(isData);
    const refused = data.filter(({ status }) => status === 401);
    const often = groups(refused, (entry) => `${clientOf(entry)} ${entry.requestRef}`)
      .filter((group) => group.length > 2)
      .map((group) => violation(`${group.length} times 401 for one request`, ...group));
    const again = withLater(data, ({ token }) => token).flatMap(([entry, later]) => {
      // Ignore requests that were sent before the refusal arrived.
      const next = later.find((one) => one.elapsedMillis > endOf(entry) + TOLERANCE_MILLIS);
      return entry.status === 401 && next !== undefined
        ? [violation("sent a token again that had been refused", entry, next)]
        : [];
    });
    const expired = withFault(refused, "expired");
    // A token that was issued after the first 401 has not expired, so the program may stop over it.
    const isNew = ({ token }: JournalEntry): boolean =>
      entries.some(({ id, issued }) => id > expired[0]!.id && issued.includes(token ?? ""));
    const gaveUp = expired.filter(
      (entry) =>
        !isNew(entry) &&
        !entries.some((later) => later.id > entry.id && (isToken(later) || isAuthorize(later))),
    );
    return finding(refused, [
      ...often,
      ...again.slice(0, 5),
      // If the audit ended the program, it may have had no time for a new token.
      ...(endedByItself(ended) ? gaveUp : []).map((entry) =>
        violation("requested no new token after 401", entry),
      ),
    ]);
  },

  // A program may list the filters, and create the filter again if it is missing.
  "A08 error: does not repeat a create whose answer was lost (§4.2: item filters)": ({ entries }) =>
    notAgain(
      repeated(entries, "itemFilters.create")
        .filter(([entry]) => isUnanswered(entry))
        .map(([entry, later]) => {
          const look = entries.find(({ endpoint, id }) => id > entry.id && endpoint === LIST);
          return [entry, later.filter(({ id }) => look === undefined || id < look.id)];
        }),
      () => "sent a create again after a lost answer",
    ),

  "A28 error: takes 202 as done (§4.2, §7: 202)": ({ entries }) =>
    notAgain(
      repeated(entries, "itemFilters.update").filter(([{ status }]) => status === 202),
      () => "sent an update again that was accepted",
    ),

  // Checks repeated requests for a missing object. A40 checks how the program ended.
  "A21 error: lives with a null result (§7: null)": ({ entries }) => {
    const gone = withFault(entries, "gone");
    return finding(
      gone,
      groups(gone, ({ requestRef }) => requestRef)
        .filter((group) => group.length > 2)
        .map((group) => violation(`requested ${group.length} times what is gone`, ...group)),
    );
  },

  "A27 error: tolerates unknown members and words, and null (docs/choices.md: tolerant reader)": ({
    ended,
    entries,
    scenario,
  }) => {
    const drifted = withFault(entries, "drift");
    const what = scenario === "all-null" ? "members that are null" : "unknown members";
    const isBroken = drifted.length > 0 && endedByItself(ended) && ended.exit !== 0;
    return finding(
      drifted,
      isBroken
        ? [violation(`the program ended with ${ended.exit} over ${what}`, drifted.at(-1)!)]
        : [],
    );
  },

  "A49 error: encodes a name once (RFC 3986 §2.4)": ({ entries }) =>
    judge(
      entries.filter(isData),
      (entry) => entry.isEncodedTwice && violation("percent-encoded a name twice", entry),
    ),

  // Ignores requests with an id of the stream. A22 reports ids that the service never sent.
  "A44 error: sends what the service accepts (§4: parameters and bodies)": ({ entries }) => {
    const requests = entries.filter(
      (entry) =>
        entry.faults.length === 0 &&
        (isAuthorize(entry) || (isData(entry) && (!isStream(entry) || entry.cursor === null))),
    );
    const refused = requests.filter(
      ({ endpoint, issued, reason, scopes, status, token }) =>
        FOR_GOOD.has(status ?? 0) ||
        // A07 reports a token that was refused.
        (status === 401 && token === null) ||
        (status === 403 && !scopesOf(endpoint).every((scope) => scopes.includes(scope))) ||
        (endpoint === "oauth.authorize" && issued.length === 0 && (reason ?? DENIED) !== DENIED),
    );
    return finding(
      requests,
      groups(refused, ({ endpoint, reason }) => `${endpoint} ${reason}`).map((group) =>
        violation(`${group[0]!.endpoint} was refused: ${group[0]!.reason}`, ...group),
      ),
    );
  },
};
