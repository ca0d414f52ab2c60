/** Explains why a text is not a link, marks the characters at fault, and offers repairs. */
import { repair } from "@game-data/tree-link/partial";
import { changesOf, type Run } from "../model/changes.ts";
import type { Fault } from "../model/Inspection.ts";
import { inWords } from "../model/titles.ts";

const CONTEXT = 24;

interface Props {
  readonly id?: string;
  readonly message: string;
  readonly fault?: Fault;
  readonly onRepair: (payload: string) => void;
}

/** Shows an error, the position of the fault, and repairs. */
export const Refusal = ({ fault, id, message, onRepair }: Props) => {
  const offers = fault === undefined ? [] : repair(fault.payload);
  return (
    <div class="notice notice-bad" id={id} tabIndex={-1}>
      <div role="alert">
        <p>{inWords(message)}</p>
        {fault !== undefined && <Place {...fault} />}
      </div>
      {offers.length > 0 && (
        <ul class="buttons repairs" aria-label="Repairs">
          {offers.map(({ note, payload }) => (
            <li key={payload}>
              <button type="button" onClick={() => onRepair(payload)}>
                Repair
              </button>
              <span>This {inWords(note)}.</span>
              <Text runs={changesOf(fault!.payload, payload)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

/** Shows the position of the fault in words and within the payload. */
const Place = ({ end, payload, start }: Fault) => {
  const places = end - start === 1 ? `character ${start}` : `characters ${start} to ${end - 1}`;
  return (
    <p>
      {end > start
        ? `At ${places} of ${payload.length}, counted from 0: `
        : `After the last of ${payload.length} characters: `}
      <Text
        runs={[
          { kind: "same", text: payload.slice(0, start) },
          { kind: "mark", text: payload.slice(start, end) || "␣" },
          { kind: "same", text: payload.slice(end) },
        ]}
      />
    </p>
  );
};

/** Shows marked parts of a text, and shortens the unmarked parts between them. */
const Text = ({ runs }: { runs: ReadonlyArray<{ kind: Run["kind"] | "mark"; text: string }> }) => (
  <code>
    {runs.map(({ kind: Mark, text }, i) => {
      if (Mark !== "same") return <Mark key={i}>{text}</Mark>;
      const [before, after] = [i > 0 ? CONTEXT : 0, i < runs.length - 1 ? CONTEXT : 0];
      if (text.length <= before + after) return text;
      return `${text.slice(0, before)}…${after === 0 ? "" : text.slice(-after)}`;
    })}
  </code>
);
