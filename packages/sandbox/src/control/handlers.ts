/** The handlers of the control plane, one for each endpoint of its table. */
import * as Effect from "effect/Effect";
import * as Response from "effect/http/HttpServerResponse";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import * as Option from "effect/Option";
import * as Queue from "effect/Queue";
import * as Stream from "effect/Stream";
import { SCENARIOS } from "../audit/scenarios.ts";
import { matches } from "../faults/FaultRules.ts";
import { utf8 } from "../internal/encoding.ts";
import { pointerOf } from "../internal/issues.ts";
import type { Journal, JournalEntry } from "../journal/Journal.ts";
import { rateProfiles } from "../rates/RatePolicies.ts";
import { ControlApi, NotMet } from "./Api.ts";
import { boundsOf, type PolicyChange, type VerifyBody } from "./documents.ts";
import { checkMatch, checkRule, ENDPOINT_KEYS } from "./names.ts";
import { attempt, checkName, type ControlContext, notThere, rejected } from "./respond.ts";
import type { Scenarios } from "./scenarios.ts";
import { authorize, issueTokens, listTokens, look } from "./signIn.ts";
import { changeClock, readClock, reset, restore, snapshot } from "./state.ts";

export const setupHandlers = (context: ControlContext, scenarios: Scenarios) => {
  const { state, server } = context;
  const { faults, rates } = server;
  const replacePolicies = ({ payload }: { readonly payload: PolicyChange }) =>
    attempt(() => {
      const policies = "profile" in payload ? rateProfiles[payload.profile] : payload;
      for (const name of Object.keys(policies.endpoints))
        checkName(pointerOf(["endpoints", name]), "endpoint", name, ["*", ...ENDPOINT_KEYS]);
      rates.replace(policies);
      return policies;
    });
  return HttpApiBuilder.group(ControlApi, "setup", (handlers) =>
    handlers.handleAll({
      readClock: () => Effect.sync(() => readClock(state.clock)),
      changeClock: ({ payload }) => attempt(() => changeClock(state.clock, payload)),
      reset: () =>
        Effect.sync(() => {
          scenarios.undo();
          return reset(context);
        }),
      snapshot: () => Effect.sync(() => snapshot(context)),
      restore: ({ payload }) => attempt(() => restore(context, payload)),
      listFaults: () => Effect.sync(() => ({ faults: faults.list() })),
      addFaults: ({ payload }) =>
        attempt(() => {
          const rules = [payload].flat();
          for (const [index, rule] of rules.entries())
            checkRule(state, rule, Array.isArray(payload) ? `/${index}` : "");
          return { faults: rules.map((rule) => faults.add(rule)) };
        }),
      clearFaults: () => Effect.sync(() => faults.clear()),
      removeFault: ({ params: { id } }) =>
        Effect.suspend(() =>
          faults.remove(id) ? Effect.void : notThere(`no fault is called ${id}`),
        ),
      readPolicies: () => Effect.sync(() => rates.policies),
      replacePolicies,
      postPolicies: replacePolicies,
      limits: () => Effect.sync(() => ({ windows: readWindows(context) })),
      listScenarios: () =>
        Effect.sync(() => ({
          scenarios: SCENARIOS.map((one) => ({ ...one, isRunning: scenarios.isRunning(one.name) })),
        })),
      startScenario: ({ payload }) =>
        Effect.map(scenarios.start(payload), (scenario) => ({ scenario })),
      stopScenarios: () => Effect.sync(() => scenarios.undo()),
    }),
  );
};

/** Returns the rate windows, with the names of accounts instead of their UUIDs. */
const readWindows = ({ state, server }: ControlContext) =>
  server.rates.windows(state.clock.now()).map((window) => {
    const [uuid = ""] = window.identity.split(":").slice(-1);
    const name = state.accounts.byUuid(uuid)?.name ?? uuid;
    return { ...window, identity: window.identity.replace(uuid, name) };
  });

export const journalHandlers = (context: ControlContext) => {
  const { state, server } = context;
  const { journal } = server;
  return HttpApiBuilder.group(ControlApi, "journal", (handlers) =>
    handlers.handleAll({
      readJournal: ({ query }) =>
        attempt(() => {
          const { clientId, endpoint } = query;
          checkMatch(
            state,
            {
              ...(clientId !== undefined && { clientId }),
              ...(endpoint !== undefined && { endpoint }),
            },
            "?",
          );
          return { entries: journal.read(query) };
        }),
      clearJournal: () => Effect.sync(() => journal.clear()),
      followJournal: ({ request }) =>
        Effect.sync(() => follow(journal, request.headers["last-event-id"])),
      verify: ({ payload }) =>
        Effect.flatMap(
          attempt(() => count(context, payload)),
          (seen) => (seen.isMet ? Effect.succeed(seen) : Effect.fail(new NotMet(seen))),
        ),
      audit: () =>
        Effect.map(
          Effect.promise(() => import("../audit/report.ts")),
          ({ reportOfJournal }) => reportOfJournal(journal, state.clients.all()),
        ),
    }),
  );
};

/** Counts the requests that match, and returns the newest ones that do not. */
const count = ({ state, server: { journal } }: ControlContext, body: VerifyBody) => {
  const { match: wanted, status } = body;
  checkMatch(state, wanted, "/match");
  if (journal.forgotten > 0)
    rejected(
      `the journal has forgotten ${journal.forgotten} requests; start with a larger option journal, or clear it before`,
    );
  const [least, most] = boundsOf(body);
  // The status of a request in progress is not known, so only a count without `status` includes it.
  const underWay = status === undefined;
  const entries = journal.read({ underWay });
  // Entries show neither names in a path nor the account's UUID, so compare these separately.
  const { account = "", path, ...others } = wanted;
  const { name } = state.accounts.find(account) ?? {};
  const match = { ...others, ...(name !== undefined && { account: name }) };
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

/** Streams entries as server-sent events, from the first one after `Last-Event-ID` on. */
const follow = (journal: Journal, lastId: string | undefined) => {
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

export const accessHandlers = (context: ControlContext) => {
  const { accounts, clients, config, grants } = context.state;
  const { authUrl, baseUrl, controlUrl, seed } = config;
  return HttpApiBuilder.group(ControlApi, "access", (handlers) =>
    handlers.handleAll({
      authorize: ({ payload, request }) =>
        authorize(
          context,
          payload,
          Option.getOrElse(request.remoteAddress, () => ""),
        ),
      listTokens: () => Effect.sync(() => ({ grants: listTokens(context.state) })),
      issueTokens: ({ payload }) => attempt(() => issueTokens(context, payload)),
      revokeGrant: ({ params: { id } }) =>
        Effect.suspend(() =>
          grants.revokeGrant(id) ? Effect.void : notThere(`there is no grant ${id}`),
        ),
      listClients: () =>
        Effect.sync(() => ({
          clients: clients.all().map(({ secretHash: _secretHash, ...shown }) => shown),
        })),
      registerClient: ({ payload }) => attempt(() => clients.register(payload)),
      listAccounts: () =>
        Effect.sync(() => ({ accounts: accounts.all.map(({ name, uuid }) => ({ name, uuid })) })),
      look: ({ query }) => look(context, query),
      ready: () => Effect.succeed({ ready: true, seed, authUrl, baseUrl, controlUrl }),
      health: () => Effect.succeed({ status: "ok" }),
    }),
  );
};
