/** Explains why a text is no link, marks the characters at fault, and offers repairs. */
import { repair } from "@game-data/tree-link/partial";
import type { Fault } from "../model/Inspection.ts";
import { inWords } from "../model/titles.ts";

const CONTEXT = 24;

interface Props {
  readonly message: string;
  readonly fault?: Fault;
  /** Takes the payload of a repair. */
  readonly onRepair: (payload: string) => void;
}

/** A refusal, where it points, and what would mend it. */
export const Refusal = ({ fault, message, onRepair }: Props) => {
  const offers = fault === undefined ? [] : repair(fault.payload);
  return (
    <div class="refusal">
      <div role="alert">
        <p>{inWords(message)}</p>
        {fault !== undefined && <Place {...fault} />}
      </div>
      {offers.length > 0 && (
        <ul class="repairs" aria-label="Repairs">
          {offers.map(({ note, payload }) => (
            <li key={payload}>
              <button type="button" onClick={() => onRepair(payload)}>
                Repair
              </button>
              <span>This {inWords(note)}.</span>
              <Changed from={fault!.payload} to={payload} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

/** The new text around the first and the last character that a repair changes. */
const Changed = ({ from, to }: { from: string; to: string }) => {
  let start = 0;
  while (start < to.length && from[start] === to[start]) start++;
  let end = to.length;
  while (end > start && from[from.length - (to.length - end) - 1] === to[end - 1]) end--;
  return (
    <code>
      {start > CONTEXT && "…"}
      {to.slice(Math.max(0, start - CONTEXT), start)}
      <ins>{to.slice(start, end) || "␣"}</ins>
      {to.slice(end, end + CONTEXT)}
      {end + CONTEXT < to.length && "…"}
    </code>
  );
};

const Place = ({ end, payload, start }: Fault) => (
  <p class="place">
    <span class="position">
      {end > start
        ? `At character ${start} of ${payload.length}, counted from 0: `
        : `After the last of ${payload.length} characters: `}
    </span>
    <code>
      {start > CONTEXT && "…"}
      {payload.slice(Math.max(0, start - CONTEXT), start)}
      <mark>{payload.slice(start, end) || "␣"}</mark>
      {payload.slice(end, end + CONTEXT)}
      {end + CONTEXT < payload.length && "…"}
    </code>
  </p>
);
