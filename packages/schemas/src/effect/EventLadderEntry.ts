/** A rank of an event's ladder of private leagues (§2, EventLadderEntry). */
import * as Plain from "../plain/generated/EventLadderEntry.ts";
import {
  bool,
  nullish,
  describe,
  openStruct,
  record,
  string,
  uint,
  type RecordSchema,
} from "../internal/wire.ts";

const fields = {
  rank: uint,
  ineligible: /*#__PURE__*/ nullish(bool),
  time: /*#__PURE__*/ nullish(uint, "seconds to complete the league objective"),
  private_league: /*#__PURE__*/ openStruct({
    name: string,
    url: /*#__PURE__*/ describe(string, "link to a private league"),
  }),
};

/** A rank of an event's ladder. */
export type EventLadderEntry = Plain.EventLadderEntry;
/** A rank of an event's ladder. */
export const EventLadderEntry: RecordSchema<EventLadderEntry, typeof fields> =
  /*#__PURE__*/ record<EventLadderEntry>()(
    Plain.EventLadderEntry,
    "A rank of an event's ladder",
    fields,
  );
