import { type Members, type PlainRecord, record } from "../record.ts";
import { PublicStashChange } from "./PublicStashChange.ts";

const publicStashPage = {
  /** Opaque id of the next page. */
  next_change_id: "string",
  stashes: [PublicStashChange],
} as const;
/** A page of the public stash stream, with the id of the next page. */
export interface PublicStashPage extends Members<typeof publicStashPage> {}
export const PublicStashPage: PlainRecord<PublicStashPage> = record(
  "PublicStashPage",
  publicStashPage,
);
