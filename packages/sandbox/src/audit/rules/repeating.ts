/** Rules of the audit about repetition: what a client sends again, and what it gives up over. */
import type { JournalEntry } from "../../journal/JournalEntry.ts";
import {
  isOAuth,
  clientOf,
  endOf,
  finding,
  groups,
  isAuthorize,
  isChallenge,
  isData,
  isLost,
  isToken,
  notAgain,
  TOLERANCE_MILLIS,
  violation,
  withFault,
  withLater,
  type Finding,
  type RuleTable,
  type Run,
} from "./model.ts";

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
  return notAgain(refused, ({ status }) => `repeated after ${status}`);
};

/** A07: after 401 one new token and one repetition. */
const renewsOnce = ({ ended, entries }: Run): Finding => {
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
  // A service that was told to end had no time; a person's denial ends an application as well.
  const isOver = ended !== undefined && !ended.isTimeout && !ended.isAsked;
  const expired = withFault(refused, "expired");
  // A token that was issued after the first 401 has not expired: to stop over it is right.
  const isNew = ({ token }: JournalEntry): boolean =>
    entries.some(({ id, issued }) => id > expired[0]!.id && issued.includes(token ?? ""));
  const gaveUp = expired.filter(
    (entry) =>
      !isNew(entry) &&
      !entries.some((later) => later.id > entry.id && (isToken(later) || isAuthorize(later))),
  );
  return finding(refused.length, [
    ...byRequest,
    ...again.slice(0, 5),
    ...(isOver ? gaveUp : []).map((entry) => violation("asked for no new token after 401", entry)),
  ]);
};

/** A08: no create again whose response was lost. */
const createsOnce = ({ entries }: Run): Finding => {
  const lost = withLater(
    entries.filter(({ endpoint }) => endpoint === "itemFilters.create"),
    ({ requestRef }) => requestRef,
  ).filter(([entry]) => isLost(entry));
  return notAgain(lost, () => "sent a create again after a lost answer");
};

/** A28: 202 is done, with more to come. */
const takes202 = ({ entries }: Run): Finding => {
  const accepted = withLater(
    entries.filter(({ endpoint }) => endpoint === "itemFilters.update"),
    ({ requestRef }) => requestRef,
  ).filter(([{ status }]) => status === 202);
  return notAgain(accepted, () => "sent an update again that was accepted");
};

/** A21: what is gone is not asked for again and again. The program's end is A40's. */
const livesWithNull = ({ entries }: Run): Finding => {
  const gone = withFault(entries, "gone");
  const repeated = groups(gone, ({ requestRef }) => requestRef).filter((group) => group.length > 2);
  return finding(
    gone.length,
    repeated.map((group) => violation(`asked ${group.length} times for what is gone`, ...group)),
  );
};

/** A27: tolerates members and words that it does not know. */
const toleratesDrift = ({ ended, entries, scenario }: Run): Finding => {
  const drifted = withFault(entries, "drift");
  const isOver = ended !== undefined && ended.exit !== 0 && !ended.isTimeout && !ended.isAsked;
  const what = scenario === "all-null" ? "members that are null" : "unknown members";
  return finding(
    drifted.length,
    drifted.length > 0 && isOver
      ? [violation(`the program ended with ${ended.exit} over ${what}`, drifted.at(-1)!)]
      : [],
  );
};

/** The rules. */
export const repeatingRules: RuleTable = {
  "A05 error: repeats no request that was refused for good (§7: errors)": takesRefusals,
  "A07 error: after 401 one new token and one repetition (§7: 401)": renewsOnce,
  "A08 error: does not repeat a create whose answer was lost (§4.2: item filters)": createsOnce,
  "A21 error: lives with a null result (§7: null)": livesWithNull,
  "A27 error: tolerates unknown members and words (docs/choices.md: tolerant reader)":
    toleratesDrift,
  "A28 error: takes 202 as done (§4.2, §7: 202)": takes202,
};
