/** Rules of the audit about connections, and about requests that the service has no answer for. */
import { OAUTH_ROUTES, ROUTES } from "../../contract.ts";
import { nearMisses } from "../../http/nearMisses.ts";
import type { JournalEntry } from "../../journal/JournalEntry.ts";
import { REALMS } from "../../world/Realm.ts";
import {
  endOf,
  type Entries,
  finding,
  groups,
  isAuthorize,
  isData,
  isStream,
  judge,
  type RuleTable,
  scopesOf,
  violation,
} from "./model.ts";

const MOST_AT_ONCE = 16;
const LARGE_BYTES = 100_000;
const NEW_CONNECTIONS = 5;
/** Servers keep an idle connection for about five seconds; after that a new one is right. */
const IDLE_MILLIS = 4_000;

/**
 * The most requests at once. The sandbox answers one after the other, and a quick answer is there
 * before the next request is read. A client that keeps its connections opens a further one where
 * all of them are busy: those that are open together, each opened before the answer on the one
 * before it had ended, carried requests at once.
 */
const mostAtOnce = (entries: Entries): Entries => {
  const firsts = groups(entries, ({ connectedMillis, connection }) =>
    connectedMillis === null ? null : connection,
  ).map(([first]) => first!);
  let most: Entries = [];
  let run: Array<JournalEntry> = [];
  let ended = Number.NEGATIVE_INFINITY;
  for (const entry of firsts.toSorted((a, b) => a.connectedMillis! - b.connectedMillis!)) {
    if (entry.connectedMillis! > ended) run = [];
    run.push(entry);
    ended = Math.max(ended, endOf(entry));
    const open = entry.openConnections - run[0]!.openConnections + 1;
    if (open > most.length) most = run.slice(-open);
  }
  return most;
};

const isFresh = (entry: JournalEntry, before: JournalEntry | undefined): boolean =>
  before !== undefined &&
  entry.connectedMillis !== null &&
  before.status !== null &&
  before.faults.length === 0 &&
  entry.connection !== before.connection &&
  entry.connectedMillis > endOf(before) &&
  entry.connectedMillis < endOf(before) + IDLE_MILLIS;

/** The first requests in a row that opened too many connections. */
const firstRow = (group: Entries): Entries | undefined => {
  let row: Array<JournalEntry> = [];
  for (const [index, entry] of group.entries()) {
    if (!isFresh(entry, group[index - 1])) row = [];
    row.push(entry);
    if (row.length > NEW_CONNECTIONS) return row;
  }
  return undefined;
};

const CONTRACT = Object.values({ ...OAUTH_ROUTES, ...ROUTES }).map(({ method, path }) => ({
  method,
  template: path,
}));

/** Why the league of a request is none: its name was encoded twice, or a realm stands there. */
const noLeague = ({ parameters }: JournalEntry): string | undefined => {
  const { league = "" } = parameters;
  if (/%[\da-f]{2}/iu.test(league)) return `there is no league ${league}: it was encoded twice`;
  return REALMS.some((realm) => realm === league)
    ? `there is no league ${league}: it is a realm, and pc is the one that no path names`
    : undefined;
};

/** Why a request asked for what does not exist. */
const unknownOf = (entry: JournalEntry): string | undefined => {
  const { endpoint, listener, method, path, reason, route, status } = entry;
  if (status === 405 || status === 501 || (route === null && status === 404)) {
    if (listener === "auth" && !path.startsWith("/oauth")) return undefined;
    const [nearest] = nearMisses(method, path, CONTRACT);
    const meant =
      nearest === undefined
        ? ""
        : `; perhaps ${nearest.method} ${nearest.template}: ${nearest.reasons.join(", ")}`;
    return `there is no ${method} ${path}: answered ${status}${meant}`;
  }
  if (!isData(entry)) return undefined;
  if (status === 404) return `${endpoint} was answered 404: ${reason}`;
  return status === 200 ? noLeague(entry) : undefined;
};

/** A refusal of the request itself: its parameters, its body or its type, not who sends it. */
const FOR_GOOD = new Set([400, 409, 413, 415, 422]);
const DENIED = "The user denied the request.";

export const connectionRules: RuleTable = {
  "A30 warning: sends at most 16 requests at once (§8: rate limits)": ({ entries }) =>
    judge(entries.slice(0, 1), () => {
      const most = mostAtOnce(entries);
      const what = `had ${most.length} requests under way at once`;
      return most.length > MOST_AT_ONCE && violation(what, ...most);
    }),

  "A31 warning: uses connections again (RFC 9112 §9.3)": ({ entries }) => {
    const asked = entries.filter(({ byControl }) => !byControl);
    const listeners = groups(asked, ({ listener }) => listener);
    return judge(
      listeners.filter((group) => group.length > NEW_CONNECTIONS),
      (group) => {
        const row = firstRow(group);
        return row && violation(`opened a connection for each of ${row.length} requests`, ...row);
      },
    );
  },

  "A32 warning: accepts compression (RFC 9110 §12.5.3)": ({ entries }) => {
    const plain = entries.filter(
      ({ acceptsCoding, bytes, status }) => status === 200 && bytes > LARGE_BYTES && !acceptsCoding,
    );
    // What was compressed is smaller than it was: every request that accepts it exercises the rule.
    const accepted = entries.filter((entry) => isData(entry) && entry.acceptsCoding);
    return finding(
      [...plain, ...accepted],
      plain.slice(0, 5).map((entry) => {
        const size = Math.round(entry.bytes / 1000);
        return violation(`fetched ${size} kB without Accept-Encoding`, entry);
      }),
    );
  },

  "A33 warning: asks for what exists (§4: endpoints)": ({ entries }) => {
    const asked = entries.filter(({ byControl, faults }) => !byControl && faults.length === 0);
    return finding(
      asked,
      groups(asked, (entry) => unknownOf(entry) ?? null).map((group) =>
        violation(unknownOf(group[0]!)!, ...group),
      ),
    );
  },

  // An id of the stream that the service never gave has a cursor, and is A22's.
  "A44 error: sends what the service accepts (§4: parameters and bodies)": ({ entries }) => {
    const asked = entries.filter(
      (entry) =>
        entry.faults.length === 0 &&
        (isAuthorize(entry) || (isData(entry) && (!isStream(entry) || entry.cursor === null))),
    );
    const refused = asked.filter(
      ({ endpoint, issued, reason, scopes, status, token }) =>
        FOR_GOOD.has(status ?? 0) ||
        // A token that has died is A07's.
        (status === 401 && token === null) ||
        (status === 403 && !scopesOf(endpoint).every((scope) => scopes.includes(scope))) ||
        (endpoint === "oauth.authorize" && issued.length === 0 && (reason ?? DENIED) !== DENIED),
    );
    return finding(
      asked,
      groups(refused, ({ endpoint, reason }) => `${endpoint} ${reason}`).map((group) =>
        violation(`${group[0]!.endpoint} was refused: ${group[0]!.reason}`, ...group),
      ),
    );
  },
};
