import { dictionary, type Members, optional, type PlainRecord, record } from "../record.ts";
import { Account } from "./Account.ts";

const ladderEntry = {
  rank: "uint",
  dead: "?bool",
  retired: "?bool",
  ineligible: "?bool",
  public: "?bool",
  character: {
    /** Unique 64-digit hexadecimal string. */
    id: "hex-64",
    name: "string",
    level: "uint",
    class: "string",
    /** Seconds taken to complete the league objective. */
    time: "?uint",
    /** Count of objective completions. */
    score: "?uint",
    /** Contents depend on the league objective. */
    progress: optional(dictionary("any")),
    experience: "?uint",
    /** Deepest Delve depth completed. */
    depth: optional({ default: "?uint", solo: "?uint" }),
  },
  account: optional(Account),
} as const;
/** A rank of a league's ladder, with the character and the account. */
export interface LadderEntry extends Members<typeof ladderEntry> {}
export const LadderEntry: PlainRecord<LadderEntry> = record("LadderEntry", ladderEntry);
