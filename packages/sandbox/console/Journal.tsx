/** View of the live journal: one row per request, newest first. */
import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { AuditReport } from "../src/audit/report.ts";
import type { JournalEntry } from "../src/journal/Journal.ts";
import { send, useControl } from "./api.ts";
import { Button, clockTime, Copy, Problem, Status, useAction } from "./ui.tsx";

const fits = (entry: JournalEntry, filter: string): boolean =>
  [
    entry.method,
    addressOf(entry),
    entry.route,
    entry.endpoint,
    entry.clientId,
    entry.account,
    entry.status,
    entry.policy,
    entry.reason,
  ]
    .join(" ")
    .toLowerCase()
    .includes(filter.toLowerCase());

/** Joins the path and the query of a request. */
const addressOf = ({ path, query }: Pick<JournalEntry, "path" | "query">): string =>
  query === "" ? path : `${path}?${query}`;

/** Formats the duration and the size of a response: `12 ms, 3 kB`. */
const cost = ({ bytes, durationMillis }: JournalEntry): string =>
  `${Math.round(durationMillis)} ms, ${bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 1000)} kB`}`;

/** Whether a request was refused, or its response is missing or incomplete. */
const wentWrong = ({ isWhole, reason, status }: JournalEntry): boolean =>
  status === null || status >= 400 || !isWhole || reason !== null;

/** Says why a request failed: the service's reason, the policy, the fault. */
const explained = (entry: JournalEntry): string => {
  const { faults, isWhole, limited, policy, reason, route, status } = entry;
  const parts = [
    route === null ? "There is no such path." : sentence(reason),
    status !== null && !isWhole ? "The response was cut off." : null,
    limited ? `Refused by the policy ${policy}.` : null,
    faults.length > 0 ? `Caused by the fault ${faults.join(", ")}.` : null,
  ];
  return parts.filter((part) => part !== null).join(" ");
};

/** Formats a reason as a sentence. Returns null for a fault's text, which explains nothing. */
const sentence = (reason: string | null): string | null =>
  reason === null || reason.startsWith("A fault of the sandbox")
    ? null
    : reason.replace(/\.?$/u, ".");

/** Maximum number of requests that are shown, the newest ones. */
const MAX_ROWS = 500;
const EVERY_MILLIS = 700;

interface Newest {
  readonly entries: ReadonlyArray<JournalEntry>;
}

/** Shows the journal, and opens the request `wanted` that the page's address names. */
export const Journal = ({ wanted }: { readonly wanted: number | undefined }) => {
  const [isPaused, setPaused] = useState(false);
  const journal = useControl<Newest>(
    `/journal?limit=${MAX_ROWS}`,
    isPaused ? undefined : EVERY_MILLIS,
  );
  const [filter, setFilter] = useState("");
  const [isWrongOnly, setWrongOnly] = useState(false);
  const [opened, setOpened] = useState(wanted);
  const isLoaded = journal.value !== undefined;
  useEffect(() => {
    setOpened(wanted);
    document.querySelector(`#request-${wanted}`)?.scrollIntoView({ block: "center" });
  }, [wanted, isLoaded]);
  const { problem, run } = useAction();
  const entries = (journal.value?.entries ?? []).toReversed();
  const wrong = entries.filter(wentWrong);
  const shown = (isWrongOnly ? wrong : entries).filter((entry) => fits(entry, filter));
  return (
    <section class="card" aria-label="Journal">
      <div class="toolbar">
        <Filter text={filter} onChange={setFilter} />
        <Toggle isOn={isWrongOnly} onChange={setWrongOnly}>
          Failures only ({wrong.length})
        </Toggle>
        <Toggle isOn={isPaused} onChange={setPaused}>
          {isPaused ? "Resume" : "Pause"}
        </Toggle>
        <Button onClick={() => run(() => send("DELETE", "/journal").then(journal.refresh))}>
          Clear
        </Button>
        <span class="muted" role="status">
          {shown.length} {shown.length === 1 ? "request" : "requests"}
        </span>
      </div>
      <Problem text={problem} />
      <Broken />
      {isLoaded && entries.length === 0 && (
        <p class="lead">No requests yet. Send one from your application.</p>
      )}
      <ul class="lines rows">
        {shown.map((entry) => (
          <Row
            key={entry.id}
            entry={entry}
            isOpen={opened === entry.id}
            onOpen={setOpened}
            onAction={run}
          />
        ))}
      </ul>
    </section>
  );
};

/** Lists the audit rules that the requests broke, each with its first violation. */
const Broken = () => {
  const { value } = useControl<AuditReport & { readonly forgotten: number }>("/audit", 3000);
  const rules = (value?.rules ?? []).filter(({ broken }) => broken.length > 0);
  if (rules.length === 0) return null;
  return (
    <div class="notice notice-bad">
      <strong>Broken rules</strong>
      {value!.forgotten > 0 &&
        ` (without ${value!.forgotten} requests that the journal has forgotten)`}
      <ul class="lines" aria-label="Broken rules">
        {rules.map(({ broken: [first, ...more], id, title }) => (
          <li key={id}>
            {id} {title}: {first?.message}
            {first?.requests.slice(0, 3).map((request) => (
              <Fragment key={request.id}>
                {" "}
                <a href={`#/journal/${request.id}`}>#{request.id}</a>
              </Fragment>
            ))}
            {more.length > 0 && ` and ${more.length} more`}
          </li>
        ))}
      </ul>
    </div>
  );
};

const Filter = (props: { readonly text: string; readonly onChange: (text: string) => void }) => (
  <label>
    Filter
    <input
      type="search"
      value={props.text}
      placeholder="path, client, status…"
      onInput={(event) => props.onChange(event.currentTarget.value)}
    />
  </label>
);

const Toggle = (props: {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ComponentChildren;
}) => (
  <Button aria-pressed={props.isOn} onClick={() => props.onChange(!props.isOn)}>
    {props.children}
  </Button>
);

/** Shows a request on one line, and why it failed on the next. */
const Row = (props: {
  readonly entry: JournalEntry;
  readonly isOpen: boolean;
  readonly onOpen: (id: number | undefined) => void;
  readonly onAction: (action: () => Promise<unknown>) => void;
}) => {
  const { entry, isOpen } = props;
  const why = explained(entry);
  return (
    <li id={`request-${entry.id}`}>
      <button
        type="button"
        class="row"
        aria-expanded={isOpen}
        onClick={() => props.onOpen(isOpen ? undefined : entry.id)}
      >
        <time dateTime={entry.at}>{clockTime(entry.at)}</time>
        <span>
          {entry.method} <small class="muted">#{entry.id}</small>
        </span>
        <code>{addressOf(entry)}</code>
        <span class="cost">{cost(entry)}</span>
        <span class="client">{entry.clientId ?? "no client"}</span>
        <Status status={entry.status} isRefused={entry.reason !== null} />
        {why !== "" && <span class="why">{why}</span>}
      </button>
      {isOpen && <Details entry={entry} onAction={props.onAction} />}
    </li>
  );
};

const factsOf = (entry: JournalEntry): ReadonlyArray<readonly [string, unknown]> => [
  ["Request", `#${entry.id}`],
  ["Endpoint", entry.endpoint ?? "unknown path"],
  ["Account", entry.account],
  ["Token", entry.token],
  ["Scopes", entry.scopes.join(", ")],
  ["Policy", entry.policy === null ? null : `${entry.policy}${entry.limited ? ", refused" : ""}`],
  ["Retry after", entry.retryAfterMillis === null ? null : `${entry.retryAfterMillis / 1000} s`],
  ["Faults", entry.faults.join(", ")],
  ["Requested id", entry.cursor],
  ["Next id", entry.nextCursor],
  ["Issued", entry.issued.join(", ")],
  ["Used", entry.used.join(", ")],
  ["User-Agent", entry.userAgent],
  ["Duration", `${Math.round(entry.durationMillis)} ms`],
  ["Body", `${entry.bytes} bytes${entry.isWhole ? "" : ", cut"}`],
  ...Object.entries(entry.parameters),
];

/** Shows all facts about a request, with a button that makes such requests fail. */
const Details = (props: {
  readonly entry: JournalEntry;
  readonly onAction: (action: () => Promise<unknown>) => void;
}) => {
  const { entry } = props;
  const match = {
    ...(entry.endpoint === null ? {} : { endpoint: entry.endpoint }),
    ...(entry.clientId === null ? {} : { clientId: entry.clientId }),
  };
  const breakIt = async () => {
    await send("POST", "/faults", { match, fault: { kind: "status", status: 503 } });
    location.hash = "#/faults";
  };
  return (
    <div class="details">
      <dl class="facts">
        {factsOf(entry)
          .filter(([, value]) => value !== null && value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{String(value)}</dd>
            </div>
          ))}
      </dl>
      <div class="buttons">
        <Button onClick={() => props.onAction(breakIt)}>Make it fail with 503</Button>
        <Copy label="Copy for verify" text={JSON.stringify({ match, atLeast: 1 })} />
      </div>
    </div>
  );
};
