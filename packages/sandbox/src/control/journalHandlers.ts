/** The journal on the control plane: reading, following, counting, auditing. */
import * as Effect from "effect/Effect";
import * as Response from "effect/http/HttpServerResponse";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import * as Queue from "effect/Queue";
import * as Stream from "effect/Stream";
import { matches } from "../faults/FaultRules.ts";
import { utf8 } from "../internal/encoding.ts";
import type { Journal } from "../journal/Journal.ts";
import type { JournalEntry } from "../journal/JournalEntry.ts";
import { ControlApi, NotMet } from "./Api.ts";
import { boundsOf, type VerifyBody } from "./documents.ts";
import { checkMatch } from "./names.ts";
import { attempt, type ControlContext, rejected } from "./respond.ts";

/** Counts requests, and finds those that came instead. */
const count = (context: ControlContext, body: VerifyBody) => {
  const { match, status } = body;
  const { journal } = context.server;
  checkMatch(context, match, "/match");
  if (journal.forgotten > 0)
    rejected(
      `the journal has forgotten ${journal.forgotten} requests; start with a larger option journal, or clear it before`,
    );
  const [least, most] = boundsOf(body);
  // How one that waits will be answered is not known.
  const entries = journal.read({ underWay: status === undefined });
  const isMatch = (entry: JournalEntry) =>
    matches(match, targetOf(entry)) && (status === undefined || entry.status === status);
  const matched = entries.filter(isMatch);
  return {
    isMet: matched.length >= least && matched.length <= most,
    count: matched.length,
    matched,
    nearest: entries.filter((entry) => !isMatch(entry)).slice(-5),
  };
};

const targetOf = (entry: JournalEntry) => ({
  method: entry.method,
  path: entry.path,
  endpoint: entry.endpoint ?? undefined,
  route: entry.route ?? undefined,
  clientId: entry.clientId ?? undefined,
  grantType: entry.grantType ?? undefined,
  accounts: [entry.account ?? undefined],
});

const event = (entry: JournalEntry) => utf8(`id: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`);

/** Entries as server-sent events; those after `Last-Event-ID` first. */
const follow = (journal: Journal, lastId: string | undefined) => {
  const known = lastId === undefined ? [] : journal.read({ since: Number(lastId) });
  const events = Stream.callback<Uint8Array>(
    (queue) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          for (const entry of known) Queue.offerUnsafe(queue, event(entry));
          Queue.offerUnsafe(queue, utf8(": the journal follows\n\n"));
          return journal.subscribe((entry) => void Queue.offerUnsafe(queue, event(entry)));
        }),
        (stop) => Effect.sync(stop),
      ),
    { bufferSize: 1_000, strategy: "sliding" },
  );
  return Response.stream(events, { contentType: "text/event-stream" });
};

export const journalHandlers = (context: ControlContext) => {
  const { state, server } = context;
  const { journal } = server;
  return HttpApiBuilder.group(ControlApi, "journal", (handlers) =>
    handlers.handleAll({
      read: ({ query }) =>
        attempt(() => {
          const { clientId, endpoint } = query;
          const named = {
            ...(clientId !== undefined && { clientId }),
            ...(endpoint !== undefined && { endpoint }),
          };
          checkMatch(context, named, "?");
          return { entries: journal.read(query) };
        }),
      clear: () => Effect.sync(() => journal.clear()),
      stream: ({ request }) =>
        Effect.sync(() => {
          const lastId = request.headers["last-event-id"];
          return follow(journal, Number.isNaN(Number(lastId)) ? undefined : lastId);
        }),
      verify: ({ payload }) =>
        Effect.flatMap(
          attempt(() => count(context, payload)),
          (seen) => (seen.isMet ? Effect.succeed(seen) : Effect.fail(new NotMet(seen))),
        ),
      audit: () =>
        Effect.map(
          Effect.promise(() => import("../audit/report.ts")),
          ({ reportOfJournal }) => reportOfJournal(journal.read(), state.clients.all()),
        ),
    }),
  );
};
