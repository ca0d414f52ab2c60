import { dictionary, type Members, optional, type PlainRecord, record } from "../record.ts";
import { Item } from "./Item.ts";

const stashTab = {
  /** 10-digit hexadecimal string. */
  id: "hex-10",
  /** 10-digit hexadecimal string. */
  parent: "?hex-10",
  /** 10-digit hexadecimal string. */
  folder: "?hex-10",
  name: "string",
  type: "string",
  index: "?uint",
  metadata: {
    public: "?true",
    folder: "?true",
    /** 6-digit hex colour. */
    colour: "?colour",
    /** Game-specific properties. */
    map: optional(dictionary("any")),
  },
  items: optional([Item]),
  children: "?this[]",
} as const;
/**
 * A stash tab. Tabs in lists have no `items`. The tabs of a folder are in its `children`, or beside
 * the folder with its id as `folder`. Names may be empty and may repeat, so use `id` as a key.
 */
export interface StashTab extends Members<typeof stashTab, StashTab> {}
export const StashTab: PlainRecord<StashTab> = record("StashTab", stashTab);
