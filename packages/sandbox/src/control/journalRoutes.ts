/** The journal on the control plane: reading, following, counting, auditing. */
import type { FaultMatch } from "../faults/Fault.ts";
import { matches } from "../faults/FaultRules.ts";
import { empty, json, type RequestInput, type ResponseOutput } from "../http/messages.ts";
import type { Journal } from "../journal/Journal.ts";
import type { JournalEntry } from "../journal/JournalEntry.ts";
import { boundsOf, VerifyBody } from "./documents.ts";
import { checkMatch } from "./names.ts";
import { type Plane, rejected, routesOf, Sent } from "./Route.ts";

/** Counts requests: 200 where the number is met, 409 where it is not. */
const verify = (plane: Plane, body: VerifyBody): Sent => {
  const { match, status } = body;
  const { journal } = plane.service;
  checkMatch(plane, match, "/match");
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
  return new Sent(json({ isMet, count, matched, nearest }, isMet ? 200 : 409));
};

const targetOf = ({
  account,
  clientId,
  endpoint,
  grantType,
  method,
  path,
  route,
}: JournalEntry) => {
  return {
    method,
    path,
    endpoint: endpoint ?? undefined,
    route: route ?? undefined,
    clientId: clientId ?? undefined,
    grantType: grantType ?? undefined,
    accounts: [account ?? undefined],
  };
};

const journalStream = (journal: Journal, request: RequestInput): ResponseOutput => {
  const since = Number(request.header("last-event-id") ?? Number.NaN);
  return {
    status: 200,
    headers: { "content-type": "text/event-stream" },
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

const QUERY = {
  since: "integer",
  limit: "integer",
  endpoint: "string",
  clientId: "string",
  status: "integer",
} as const;

const route = routesOf("journal");

export const journalRoutes = [
  route(
    "GET /audit",
    "The verdicts of the audit's rules on what the journal holds",
    {},
    ({ core, service }) =>
      new Sent({
        ...empty(200),
        deferred: import("../audit/report.ts").then(({ reportOfJournal }) =>
          json(reportOfJournal(service.journal.read(), core.clients.all())),
        ),
      }),
  ),
  route(
    "GET /journal",
    "The newest requests, without any secret",
    { query: QUERY },
    (plane, { query }) => {
      const { clientId, endpoint } = query;
      checkMatch(plane, { clientId, endpoint } as FaultMatch, "?");
      return { entries: plane.service.journal.read(query) };
    },
  ),
  route("DELETE /journal", "Forget the journal", { status: 204 }, ({ service }) =>
    service.journal.clear(),
  ),
  route(
    "GET /journal/stream",
    "New requests as server-sent events; resumes by Last-Event-ID",
    {},
    ({ service }, { request }) => new Sent(journalStream(service.journal, request)),
  ),
  route(
    "POST /verify",
    "Count requests: 200 where the number is met, 409 where it is not",
    { body: VerifyBody },
    (plane, { body }) => verify(plane, body),
  ),
];
