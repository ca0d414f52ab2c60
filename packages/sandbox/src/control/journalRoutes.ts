/** The journal on the control plane: reading, following, counting, auditing. */
import type { Core } from "../Core.ts";
import type { DataPart } from "../data/DataPart.ts";
import type { FaultMatch } from "../faults/Fault.ts";
import { matches } from "../faults/FaultRules.ts";
import { controlError } from "../http/fallbacks.ts";
import { empty, json, queryOf, type RequestInput, type ResponseOutput } from "../http/messages.ts";
import { nearMisses } from "../http/nearMisses.ts";
import type { JournalEntry } from "../journal/JournalEntry.ts";
import type { Journal, JournalFilter } from "../journal/Journal.ts";
import type { Service } from "../Service.ts";
import { CaptureBody, VerifyBody } from "./documents.ts";
import { checkMatch } from "./names.ts";
import {
  checked,
  type ControlHandler,
  type ControlRoute,
  NO_STORE,
  readJson,
  rejected,
  rejectName,
  route,
} from "./requests.ts";

/** Routes of the journal. */
export const journalRoutes = (
  core: Core,
  service: Service,
  data: DataPart,
): ReadonlyArray<ControlRoute> => {
  const { journal } = service;
  const verify: ControlHandler = (request) => {
    const body = checked(VerifyBody, readJson(request));
    checkMatch({ core, data, service }, body.match, "/match");
    const { match, status } = body;
    const [least, most] = boundsOf(body);
    if (journal.forgotten > 0)
      rejected(
        `the journal has forgotten ${journal.forgotten} requests; start with a larger option journal, or clear it before`,
      );
    // How one that waits will be answered is not known.
    const entries = journal.read({ underWay: status === undefined });
    const isMatch = (entry: JournalEntry) =>
      matches(match, targetOf(entry)) && (status === undefined || entry.status === status);
    const matched = entries.filter(isMatch);
    const count = matched.length;
    const isMet = count >= least && count <= most;
    const nearest = entries.filter((entry) => !isMatch(entry)).slice(-5);
    return json({ isMet, count, matched, nearest }, isMet ? 200 : 409);
  };

  const capture: ControlHandler = (request) => {
    const { count, match = {} } = checked(CaptureBody, readJson(request));
    checkMatch({ core, data, service }, match, "/match");
    if (match.endpoint?.startsWith("oauth") === true)
      rejected("no body of the OAuth server is ever kept", "/match/endpoint");
    return void journal.bodies.ask(match, count);
  };

  const bodiesOf: ControlHandler = (_, { id = "" }) => {
    const bodies = journal.bodies.of(Number(id));
    return bodies === undefined
      ? controlError(`no body of request ${id} is kept; ask by POST /control/journal/capture`, 404)
      : json({ id: Number(id), ...bodies }, 200, NO_STORE);
  };

  /** The audit's rules on what the journal holds, as one run that nothing was done to. */
  const audit: ControlHandler = () => ({
    ...empty(200),
    deferred: import("../audit/report.ts").then(({ reportOfJournal }) =>
      json(reportOfJournal(journal.read(), core.clients.all())),
    ),
  });

  return [
    route("GET", "/control/journal", (request) => {
      const filter = filterOf(request.url);
      checkMatch({ core, data, service }, filter.match, "?");
      return json({ entries: journal.read({ ...filter, ...filter.match }) });
    }),
    route("DELETE", "/control/journal", () => void journal.clear()),
    route("POST", "/control/journal/capture", capture),
    route("GET", "/control/journal/:id/bodies", bodiesOf),
    route("GET", "/control/journal/stream", (request) => journalStream(journal, request)),
    route("GET", "/control/unmatched", () => unmatchedOf(service, data)),
    route("POST", "/control/verify", verify),
    route("GET", "/control/audit", audit),
  ];
};

/** The least and the greatest number of requests that there have to be. */
const boundsOf = ({ atLeast, atMost, exactly }: VerifyBody): readonly [number, number] => {
  if (exactly === undefined && atLeast === undefined && atMost === undefined)
    rejected("name one of exactly, atLeast, atMost");
  const least = Math.max(exactly ?? 0, atLeast ?? 0);
  const most = Math.min(exactly ?? Infinity, atMost ?? Infinity);
  if (least > most)
    rejected(
      "no number of requests is all of this",
      atLeast === undefined ? "/atMost" : "/atLeast",
    );
  return [least, most];
};

/** Requests that no route matched. */
const unmatchedOf = ({ authRoutes, journal }: Service, data: DataPart): ResponseOutput => {
  const routes = [...authRoutes, ...data.routes];
  return json({
    requests: journal.unmatched().map(({ id, listener, method, path, status }) => ({
      id,
      listener,
      method,
      status,
      // The path may hold a secret: only its shape is told, beside the routes it comes near to.
      segments: path.split("/").length - 1,
      nearest: nearMisses(method, path, routes),
    })),
  });
};

const FILTER_NUMBERS = ["since", "limit", "status"] as const;

const filterOf = (url: string) => {
  const search = new URLSearchParams(queryOf(url));
  const known = [...FILTER_NUMBERS, "endpoint", "clientId"];
  for (const name of search.keys())
    if (!known.includes(name)) rejectName(`?${name}`, "parameter", name, known);
  const numbers = FILTER_NUMBERS.map((name) => {
    const value = search.get(name);
    if (value !== null && !/^\d{1,15}$/u.test(value))
      rejected(`${name} is no whole number`, `?${name}`);
    return [name, value === null ? undefined : Number(value)] as const;
  });
  return {
    ...(Object.fromEntries(numbers) as JournalFilter),
    match: Object.fromEntries(
      ["endpoint", "clientId"].flatMap((name) => {
        const value = search.get(name);
        return value === null ? [] : [[name, value]];
      }),
    ) as Pick<FaultMatch, "clientId" | "endpoint">,
  };
};

const targetOf = (entry: JournalEntry) => {
  const [group, endpoint] = entry.endpoint?.split(".") ?? [];
  return {
    method: entry.method,
    path: entry.path,
    group,
    endpoint,
    route: entry.route ?? undefined,
    clientId: entry.clientId ?? undefined,
    grantType: entry.grantType ?? undefined,
    accountName: entry.account ?? undefined,
  };
};

/** New entries of the journal as server-sent events. */
const journalStream = (journal: Journal, request: RequestInput): ResponseOutput => {
  const since = Number(request.header("last-event-id") ?? Number.NaN);
  return {
    status: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    body: "",
    stream: (send) => {
      const event = (entry: JournalEntry) =>
        send(`id: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`);
      if (!Number.isNaN(since)) for (const entry of journal.read({ since })) event(entry);
      send(": the journal follows\n\n");
      return journal.subscribe(event);
    },
  };
};
