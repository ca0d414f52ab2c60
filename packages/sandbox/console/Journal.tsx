/** The live journal: one row a request, newest first. */
import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { AuditReport } from "../src/audit/report.ts";
import type { JournalEntry } from "../src/journal/JournalEntry.ts";
import { ask, useControl } from "./api.ts";
import { Details } from "./Details.tsx";
import { clockTime, Problem, Status, useAction } from "./ui.tsx";

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

/** The path and the query, as the journal shows them. */
export const addressOf = ({ path, query }: Pick<JournalEntry, "path" | "query">): string =>
  query === "" ? path : `${path}?${query}`;

/** How long the response took, and how large it was. */
const cost = ({ bytes, durationMillis }: JournalEntry): string =>
  `${Math.round(durationMillis)} ms, ${bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 1000)} kB`}`;

/** Whether a request was refused, or got no whole answer. */
const wentWrong = ({ isWhole, reason, status }: JournalEntry): boolean =>
  status === null || status >= 400 || !isWhole || reason !== null;

/** Why a request went wrong: the reason of the service, the policy, the fault. */
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

/** The reason of a refusal. The text of a fault only says that it is one. */
const sentence = (reason: string | null): string | null =>
  reason === null || reason.startsWith("A fault of the sandbox") ? null : reason;

/** The entries that came, and what is done with them. */
interface Followed {
  readonly entries: ReadonlyArray<JournalEntry>;
  readonly isPaused: boolean;
  readonly setPaused: (isPaused: boolean) => void;
  readonly clear: () => void;
}

/** The journal; `wanted` is the id of the request that the address of the page names. */
export const Journal = (props: {
  readonly wanted: number | undefined;
  readonly journal: Followed;
}) => {
  const { entries } = props.journal;
  const [filter, setFilter] = useState("");
  const [isWrongOnly, setWrongOnly] = useState(false);
  const [opened, setOpened] = useState(props.wanted);
  useEffect(() => {
    setOpened(props.wanted);
    document.querySelector(`#request-${props.wanted}`)?.scrollIntoView({ block: "center" });
  }, [props.wanted]);
  const { problem, run } = useAction();
  const wrong = entries.filter(wentWrong);
  const shown = (isWrongOnly ? wrong : entries).filter((entry) => fits(entry, filter));
  return (
    <section class="card" aria-label="Journal">
      <Toolbar
        filter={filter}
        onFilter={setFilter}
        count={shown.length}
        journal={props.journal}
        onClear={() => run(() => ask("DELETE", "/journal").then(props.journal.clear))}
      >
        <Toggle isOn={isWrongOnly} onChange={setWrongOnly}>
          Failures only ({wrong.length})
        </Toggle>
      </Toolbar>
      <Problem text={problem} />
      <Broken />
      {entries.length === 0 && <p class="lead">No requests yet. Send one from your application.</p>}
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

const Toolbar = (props: {
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly count: number;
  readonly journal: Followed;
  readonly onClear: () => void;
  readonly children: ComponentChildren;
}) => (
  <div class="toolbar">
    <label>
      Filter
      <input
        type="search"
        value={props.filter}
        placeholder="path, client, status…"
        onInput={(event) => props.onFilter(event.currentTarget.value)}
      />
    </label>
    {props.children}
    <Toggle isOn={props.journal.isPaused} onChange={props.journal.setPaused}>
      {props.journal.isPaused ? "Resume" : "Pause"}
    </Toggle>
    <button type="button" onClick={props.onClear}>
      Clear
    </button>
    <span class="muted" role="status">
      {props.count} {props.count === 1 ? "request" : "requests"}
    </span>
  </div>
);

/** Which rules the requests of the journal broke, and how each was broken first. */
const Broken = () => {
  const { value } = useControl<AuditReport>("/audit", 3000);
  const failed = (value?.rules ?? []).filter(({ verdict }) => verdict === "fail");
  if (failed.length === 0) return null;
  return (
    <div class="notice notice-bad">
      <strong>Broken rules</strong>
      <ul class="lines" aria-label="Broken rules">
        {failed.map(({ broken: [first, ...more], id, title }) => (
          <li key={id}>
            <a href="#/audit">
              {id} {title}
            </a>
            : {first?.message}
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

const Toggle = (props: {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ComponentChildren;
}) => (
  <button type="button" aria-pressed={props.isOn} onClick={() => props.onChange(!props.isOn)}>
    {props.children}
  </button>
);

/** A request in a line, and what went wrong with it below. */
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
