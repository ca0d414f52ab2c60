import { type Members, type PlainRecord, record } from "../record.ts";

const eventLadderEntry = {
  rank: "uint",
  ineligible: "?bool",
  /** Seconds taken to complete the league objective. */
  time: "?uint",
  private_league: {
    name: "string",
    /** Link to a private league. */
    url: "string",
  },
} as const;
/** A rank of an event's ladder, which compares private leagues. */
export interface EventLadderEntry extends Members<typeof eventLadderEntry> {}
export const EventLadderEntry: PlainRecord<EventLadderEntry> = record(
  "EventLadderEntry",
  eventLadderEntry,
);
