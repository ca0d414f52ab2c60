/** A request of the journal in full. */
import type { JournalEntry } from "../src/journal/Journal.ts";
import { ask } from "./api.ts";
import { Copy } from "./ui.tsx";

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

/** Everything that the journal knows of a request. */
export const Details = (props: {
  readonly entry: JournalEntry;
  readonly onAction: (action: () => Promise<unknown>) => void;
}) => {
  const { entry } = props;
  const match = {
    ...(entry.endpoint === null ? {} : { endpoint: entry.endpoint }),
    ...(entry.clientId === null ? {} : { clientId: entry.clientId }),
  };
  const breakIt = async () => {
    await ask("POST", "/faults", { match, fault: { kind: "status", status: 503 } });
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
        <button type="button" onClick={() => props.onAction(breakIt)}>
          Make it fail with 503
        </button>
        <Copy label="Copy for verify" text={JSON.stringify({ match, atLeast: 1 })} />
      </div>
    </div>
  );
};
