/** A rank of an event's ladder of private leagues (§2, EventLadderEntry). */
import * as Plain from "../plain/generated/EventLadderEntry.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  rank: wire.uint,
  ineligible: /*#__PURE__*/ wire.nullish(wire.bool),
  time: /*#__PURE__*/ wire.nullish(wire.uint, "seconds to complete the league objective"),
  private_league: /*#__PURE__*/ wire.openStruct({
    name: wire.string,
    url: /*#__PURE__*/ wire.describe(wire.string, "link to a private league"),
  }),
};

/** A rank of an event's ladder. */
export type EventLadderEntry = Plain.EventLadderEntry;
export const EventLadderEntry: wire.RecordSchema<EventLadderEntry, typeof fields> =
  /*#__PURE__*/ wire.record(Plain.EventLadderEntry, "A rank of an event's ladder", fields);
