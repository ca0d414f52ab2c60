/** A rank of an event's ladder of private leagues (§2, EventLadderEntry). */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/EventLadderEntry.ts";
import {
  bool,
  maybe,
  note,
  open,
  record,
  string,
  uint,
  type RecordSchema,
} from "./internal/wire.ts";

const fields = {
  rank: uint,
  ineligible: /*#__PURE__*/ maybe(bool),
  time: /*#__PURE__*/ maybe(uint, "seconds to complete the league objective"),
  private_league: /*#__PURE__*/ open({
    name: string,
    url: /*#__PURE__*/ note(string, "link to a private league"),
  }),
};

/** A rank of an event's ladder. */
export interface EventLadderEntry extends Schema.Struct.Type<typeof fields> {}
/** A rank of an event's ladder. */
export const EventLadderEntry: RecordSchema<EventLadderEntry, typeof fields> =
  /*#__PURE__*/ record<EventLadderEntry>()(
    "EventLadderEntry",
    "A rank of an event's ladder",
    fields,
    check,
  );
