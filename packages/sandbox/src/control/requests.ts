/** The journal for the control plane: counting requests, and following them. */
import * as Effect from "effect/Effect";
import * as Response from "effect/http/HttpServerResponse";
import * as Queue from "effect/Queue";
import * as Stream from "effect/Stream";
import { matches } from "../faults/FaultRules.ts";
import { utf8 } from "../internal/encoding.ts";
import type { Journal } from "../journal/Journal.ts";
import type { JournalEntry } from "../journal/Journal.ts";
import { boundsOf, type VerifyBody } from "./documents.ts";
import { checkMatch } from "./names.ts";
import { type ControlContext, rejected } from "./respond.ts";

/** Counts requests, and finds the newest ones that do not match. */
export const count = ({ state, server: { journal } }: ControlContext, body: VerifyBody) => {
  const { match: wanted, status } = body;
  checkMatch(state, wanted, "/match");
  if (journal.forgotten > 0)
    rejected(
      `the journal has forgotten ${journal.forgotten} requests; start with a larger option journal, or clear it before`,
    );
  const [least, most] = boundsOf(body);
  // The status of a request that still waits is not known.
  const underWay = status === undefined;
  const entries = journal.read({ underWay });
  // An entry does not show the names in a path.
  const { path, ...match } = wanted;
  const ids = new Set(journal.read({ underWay, path }).map(({ id }) => id));
  const isMatch = (entry: JournalEntry) =>
    ids.has(entry.id) && matches(match, entry) && (underWay || entry.status === status);
  const matched = entries.filter(isMatch);
  return {
    isMet: matched.length >= least && matched.length <= most,
    count: matched.length,
    matched,
    nearest: entries.filter((entry) => !isMatch(entry)).slice(-5),
  };
};

const event = (entry: JournalEntry) => utf8(`id: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`);

/** Entries as server-sent events; those after `Last-Event-ID` first. */
export const follow = (journal: Journal, lastId: string | undefined) => {
  const since = Number(lastId);
  const known = Number.isNaN(since) ? [] : journal.read({ since });
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
