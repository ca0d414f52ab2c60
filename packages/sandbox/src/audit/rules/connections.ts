/** Rules of the audit about connections, and about requests that the service has no answer for. */
import { OAUTH_ROUTES, ROUTES } from "../../contract.ts";
import { nearMisses } from "../../http/nearMisses.ts";
import type { JournalEntry } from "../../journal/JournalEntry.ts";
import {
  clientOf,
  endOf,
  finding,
  groups,
  isAuthorize,
  isData,
  isStream,
  violation,
  type Entries,
  type Finding,
  type RuleTable,
  type Run,
} from "./model.ts";

const MOST_AT_ONCE = 16;
const LARGE_BYTES = 100_000;
const NEW_CONNECTIONS = 5;
/** Servers keep an idle connection for about five seconds; after that a new one is right. */
const IDLE_MILLIS = 4_000;

/** The first request of each connection, in order. */
const firstOfConnections = (entries: Entries): Entries =>
  groups(entries, ({ connectedMillis, connection }) =>
    connectedMillis === null ? null : connection,
  ).map(([first]) => first!);

/**
 * A30: at most 16 requests at once. The sandbox answers one after the other, and a quick answer is
 * there before the next request is read. A client that keeps its connections opens a further one
 * where all of them are busy: those that are open together, each opened before the answer on the
 * one before it had ended, carried requests at once.
 */
const fewAtOnce = ({ entries }: Run): Finding => {
  const firsts = firstOfConnections(entries).toSorted(
    (one, other) => one.connectedMillis! - other.connectedMillis!,
  );
  let most: Entries = [];
  let run: Array<JournalEntry> = [];
  let ended = Number.NEGATIVE_INFINITY;
  for (const entry of firsts) {
    if (entry.connectedMillis! > ended) run = [];
    run.push(entry);
    ended = Math.max(ended, endOf(entry));
    const open = entry.openConnections - run[0]!.openConnections + 1;
    if (open > most.length) most = run.slice(-open);
  }
  return finding(
    entries.length > 0 ? 1 : 0,
    most.length > MOST_AT_ONCE
      ? [violation(`had ${most.length} requests under way at once`, ...most)]
      : [],
  );
};

const isFresh = (entry: JournalEntry, before: JournalEntry | undefined): boolean =>
  before !== undefined &&
  entry.connectedMillis !== null &&
  before.status !== null &&
  before.faults.length === 0 &&
  entry.connection !== before.connection &&
  entry.connectedMillis > endOf(before) &&
  entry.connectedMillis < endOf(before) + IDLE_MILLIS;

/** A31: connections are used again. */
const reusesConnections = ({ entries }: Run): Finding => {
  const asked = entries.filter(({ byControl }) => !byControl);
  const listeners = groups(asked, ({ listener }) => listener);
  let exercised = 0;
  const broken = listeners.flatMap((group) => {
    if (group.length > NEW_CONNECTIONS) exercised += 1;
    let row: Array<JournalEntry> = [];
    for (const [index, entry] of group.entries()) {
      if (!isFresh(entry, group[index - 1])) row = [];
      row.push(entry);
      if (row.length > NEW_CONNECTIONS)
        return [violation(`opened a connection for each of ${row.length} requests`, ...row)];
    }
    return [];
  });
  return finding(exercised, broken);
};

/** A32: large answers may be compressed. */
const acceptsCompression = ({ entries }: Run): Finding => {
  const large = entries.filter(({ bytes, status }) => status === 200 && bytes > LARGE_BYTES);
  const plain = large.filter(({ acceptsCoding }) => !acceptsCoding);
  // What was compressed is smaller than it was: every request that accepts it exercises the rule.
  const accepted = entries.filter((entry) => isData(entry) && entry.acceptsCoding);
  return finding(
    plain.length + accepted.length,
    plain
      .slice(0, 5)
      .map((entry) =>
        violation(`fetched ${Math.round(entry.bytes / 1000)} kB without Accept-Encoding`, entry),
      ),
  );
};

const CONTRACT = Object.values({ ...OAUTH_ROUTES, ...ROUTES }).map(({ method, path }) => ({
  method,
  template: path,
}));

const REALMS = new Set(["pc", "console_a", "console_b", "game2"]);

/** Why the league of a request is none: its name was encoded twice, or a realm stands there. */
const noLeague = ({ parameters }: JournalEntry): string | undefined => {
  const { league = "" } = parameters;
  if (/%[\da-f]{2}/iu.test(league)) return `there is no league ${league}: it was encoded twice`;
  return REALMS.has(league)
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

/** A33: asks for what exists. */
const asksWhatExists = ({ entries }: Run): Finding => {
  const asked = entries.filter(({ byControl, faults }) => !byControl && faults.length === 0);
  return finding(
    asked.length,
    groups(asked, (entry) => unknownOf(entry) ?? null).map((group) =>
      violation(unknownOf(group[0]!)!, ...group),
    ),
  );
};

/** A refusal of the request itself: its parameters, its body or its type, not who sends it. */
const FOR_GOOD = new Set([400, 409, 413, 415, 422]);
const DENIED = "The user denied the request.";

/**
 * A44: sends what the service accepts. An id of the stream that it never gave has a cursor, and is
 * A22's.
 */
const sendsWhatIsAccepted = ({ entries, scopesOf }: Run): Finding => {
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
      (status === 403 && !scopesOf(endpoint!).every((scope) => scopes.includes(scope))) ||
      (endpoint === "oauth.authorize" && issued.length === 0 && (reason ?? DENIED) !== DENIED),
  );
  return finding(
    asked.length,
    groups(refused, ({ endpoint, reason }) => `${endpoint} ${reason}`).map((group) =>
      violation(`${group[0]!.endpoint} was refused: ${group[0]!.reason}`, ...group),
    ),
  );
};

const LADDER_LIMIT = 500;
const SMALL_PAGES = 5;

/** A37: large pages of ladders. */
const takesLargePages = ({ entries }: Run): Finding => {
  const pages = entries.filter(
    ({ endpoint, status }) => endpoint?.endsWith("adder") === true && status === 200,
  );
  const small = pages.filter(
    ({ parameters }) => Number(parameters["limit"] ?? 20) < LADDER_LIMIT / 4,
  );
  const ladders = groups(
    small,
    (entry) => `${clientOf(entry)} ${entry.endpoint} ${entry.parameters["league"] ?? ""}`,
  );
  return finding(
    pages.length,
    ladders
      .filter((group) => new Set(group.map(offsetOf)).size >= SMALL_PAGES)
      .map((group) =>
        violation(
          `took ${group.length} pages of ${group[0]!.parameters["limit"] ?? 20} where ${LADDER_LIMIT} are allowed`,
          ...group,
        ),
      ),
  );
};

const offsetOf = ({ parameters }: JournalEntry): string => parameters["offset"] ?? "0";

const STRIDES = 2;

/**
 * A45: no gap in a ladder. A single jump may look a rank up; equal ones lose what is between, and so
 * does one by whole pages after pages in sequence. A page that was asked in vain is no gap.
 */
const leavesNoGap = ({ entries }: Run): Finding => {
  const pages = entries.filter(({ endpoint }) => endpoint?.endsWith("adder") === true);
  const ladders = groups(pages, ({ clientId, endpoint, parameters }) => {
    const { offset: _, ...rest } = parameters;
    return JSON.stringify([clientId, endpoint, rest]);
  }).filter((group) => group.length > STRIDES);
  return finding(
    ladders.length,
    ladders.flatMap((group) => {
      const limit = Number(group[0]!.parameters["limit"] ?? 20);
      const offsets = [...new Set(group.map((entry) => Number(offsetOf(entry))))].toSorted(
        (one, other) => one - other,
      );
      const strides = offsets.slice(1).map((offset, index) => offset - offsets[index]!);
      const first = strides[0] ?? 0;
      const gaps = strides.filter((stride) => stride === first && stride > limit);
      if (gaps.length >= STRIDES)
        return [
          violation(`left out ${first - limit} of every ${first} entries of a ladder`, ...group),
        ];
      const at = strides.findIndex((stride) => stride > limit);
      if (first !== limit || at < 0 || strides[at]! % limit !== 0) return [];
      const [from, to] = [offsets[at]! + limit, offsets[at + 1]!];
      return [violation(`left out the entries ${from} to ${to - 1} of a ladder`, ...group)];
    }),
  );
};

/** The rules. */
export const connectionRules: RuleTable = {
  "A30 warning: sends at most 16 requests at once (§8: rate limits)": fewAtOnce,
  "A31 warning: uses connections again (RFC 9112 §9.3)": reusesConnections,
  "A32 warning: accepts compression (RFC 9110 §12.5.3)": acceptsCompression,
  "A33 warning: asks for what exists (§4: endpoints)": asksWhatExists,
  "A37 warning: takes large pages of a ladder (§8: ladders)": takesLargePages,
  "A44 error: sends what the service accepts (§4: parameters and bodies)": sendsWhatIsAccepted,
  "A45 warning: leaves no gap in a ladder (§8: default limits)": leavesNoGap,
};
