/** Explains why a text is no link, and marks the characters at fault. */
import type { Fault } from "../model/Inspection.ts";

const CONTEXT = 24;

/** A refusal, and where it points. */
export const Refusal = ({ fault, message }: { message: string; fault?: Fault }) => (
  <div class="refusal" role="alert">
    <p>{message}</p>
    {fault !== undefined && <Place {...fault} />}
  </div>
);

const Place = ({ end, payload, start }: Fault) => (
  <p class="place">
    <span class="position">
      {end > start ? `Character ${start}` : `After character ${start}`} of {payload.length}:{" "}
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
