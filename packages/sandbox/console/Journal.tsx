/** The live journal: one row a request, newest first. */
import { useEffect, useState } from "preact/hooks";
import type { NearMiss } from "../src/http/nearMisses.ts";
import type { KeptBodies } from "../src/journal/Bodies.ts";
import type { JournalEntry } from "../src/journal/JournalEntry.ts";
import { ask } from "./api.ts";
import { clockTime, Copy, Problem, Status, useAction } from "./ui.tsx";

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
  ]
    .join(" ")
    .toLowerCase()
    .includes(filter.toLowerCase());

/** The path and the query, as the journal may tell them. */
export const addressOf = ({ path, query }: Pick<JournalEntry, "path" | "query">): string =>
  query === "" ? path : `${path}?${query}`;

/** How long the response took, and how large it was. */
const cost = ({ bytes, durationMillis }: JournalEntry): string =>
  `${Math.round(durationMillis)} ms, ${bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 1000)} kB`}`;

/** The journal. */
export const Journal = (props: {
  /** Id of the request that the address of the page names. */
  readonly wanted: number | undefined;
  readonly entries: ReadonlyArray<JournalEntry>;
  readonly isPaused: boolean;
  readonly onPause: (isPaused: boolean) => void;
  readonly onClear: () => void;
}) => {
  const [filter, setFilter] = useState("");
  const [opened, setOpened] = useState(props.wanted);
  useEffect(() => {
    setOpened(props.wanted);
    document.querySelector(`#request-${props.wanted}`)?.scrollIntoView({ block: "center" });
  }, [props.wanted]);
  const { problem, run } = useAction();
  const shown = props.entries.filter((entry) => fits(entry, filter));
  const clear = () => run(() => ask("DELETE", "/journal").then(props.onClear));
  return (
    <section class="card" aria-label="Journal">
      <div class="toolbar">
        <label>
          Filter
          <input
            type="search"
            value={filter}
            placeholder="path, client, status…"
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <button
          type="button"
          aria-pressed={props.isPaused}
          onClick={() => props.onPause(!props.isPaused)}
        >
          {props.isPaused ? "Go on" : "Pause"}
        </button>
        <button type="button" onClick={clear}>
          Clear
        </button>
        <span class="muted" role="status">
          {shown.length} {shown.length === 1 ? "request" : "requests"}
        </span>
      </div>
      <Problem text={problem} />
      {props.entries.length === 0 && (
        <p class="lead">No request yet. Point your application at this sandbox and watch.</p>
      )}
      <ul class="rows">
        {shown.map((entry) => (
          <li key={entry.id} id={`request-${entry.id}`}>
            <button
              type="button"
              class="row"
              aria-expanded={opened === entry.id}
              onClick={() => setOpened(opened === entry.id ? undefined : entry.id)}
            >
              <time dateTime={entry.at}>{clockTime(entry.at)}</time>
              <span>{entry.method}</span>
              <code>{addressOf(entry)}</code>
              <span class="cost">{cost(entry)}</span>
              <span class="client">{entry.clientId ?? "no client"}</span>
              <Status status={entry.status} />
            </button>
            {opened === entry.id && <Details entry={entry} onAction={run} />}
          </li>
        ))}
      </ul>
    </section>
  );
};

const Details = (props: {
  readonly entry: JournalEntry;
  readonly onAction: (action: () => Promise<unknown>) => void;
}) => {
  const { entry } = props;
  const match = {
    ...(entry.endpoint === null ? {} : { endpoint: entry.endpoint }),
    ...(entry.clientId === null ? {} : { clientId: entry.clientId }),
  };
  const facts: ReadonlyArray<readonly [string, unknown]> = [
    ["Request", `#${entry.id}`],
    ["Endpoint", entry.endpoint ?? "no route of this service"],
    ["Account", entry.account],
    ["Token", entry.token],
    ["Scopes", entry.scopes.join(", ")],
    ["Policy", entry.policy === null ? null : `${entry.policy}${entry.limited ? ", refused" : ""}`],
    ["Retry after", entry.retryAfterMillis === null ? null : `${entry.retryAfterMillis / 1000} s`],
    ["Faults", entry.faults.join(", ")],
    ["Asked by", entry.cursor],
    ["Leads to", entry.nextCursor],
    ["Issued", entry.issued.join(", ")],
    ["Used", entry.used.join(", ")],
    ["User-Agent", entry.userAgent],
    ["Took", `${Math.round(entry.durationMillis)} ms`],
    ["Body", `${entry.bytes} bytes${entry.isWhole ? "" : ", cut"}`],
    ...Object.entries(entry.parameters),
  ];
  return (
    <div class="details">
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== null && value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{String(value)}</dd>
            </div>
          ))}
      </dl>
      {entry.route === null && <NearMisses id={entry.id} />}
      <Bodies entry={entry} match={match} />
      <div class="buttons">
        <button
          type="button"
          onClick={() =>
            props.onAction(async () => {
              await ask("POST", "/faults", { match, fault: { kind: "status", status: 503 } });
              location.hash = "#/faults";
            })
          }
        >
          Make it fail with 503
        </button>
        <Copy label="Copy as verify" text={JSON.stringify({ match, atLeast: 1 })} />
      </div>
    </div>
  );
};

interface Unmatched {
  readonly requests: ReadonlyArray<{
    readonly id: number;
    readonly nearest: ReadonlyArray<NearMiss>;
  }>;
}

/** The routes that a request without one may have meant. */
const NearMisses = ({ id }: { readonly id: number }) => {
  const [found, setFound] = useState<ReadonlyArray<NearMiss>>([]);
  const { problem, run } = useAction();
  useEffect(() => {
    void run(async () => {
      const { requests } = await ask<Unmatched>("GET", "/unmatched");
      setFound(requests.find((request) => request.id === id)?.nearest ?? []);
    });
  }, [id]);
  return (
    <>
      <Problem text={problem} />
      {found.map(({ method, reasons, template }) => (
        <p key={template + method}>
          Perhaps{" "}
          <code>
            {method} {template}
          </code>
          : {reasons.join(", ")}
        </p>
      ))}
    </>
  );
};

/** The bodies of a request, where they were asked for; else a way to ask for the next ones. */
const Bodies = (props: { readonly entry: JournalEntry; readonly match: object }) => {
  const [kept, setKept] = useState<KeptBodies>();
  const [told, setTold] = useState("");
  const { entry, match } = props;
  if (entry.listener === "auth") return null;
  const show = async () => {
    try {
      setKept(await ask<KeptBodies>("GET", `/journal/${entry.id}/bodies`));
      setTold("");
    } catch {
      await ask("POST", "/journal/capture", { match, count: 10 });
      setTold("None was kept. The bodies of the next ten such requests are.");
    }
  };
  return (
    <>
      <button type="button" onClick={() => void show()}>
        Bodies
      </button>
      <p role="status">{told}</p>
      {kept !== undefined &&
        (["request", "response"] as const).map((side) => (
          <details key={side} open={side === "response"}>
            <summary>
              {side}, {kept[side].bytes} bytes{kept[side].isCut ? ", its begin" : ""}
            </summary>
            <pre tabIndex={0}>{kept[side].text}</pre>
          </details>
        ))}
    </>
  );
};
