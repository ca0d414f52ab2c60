import { type Members, optional, type PlainRecord, record, words } from "../record.ts";

const itemFilter = {
  id: "string",
  filter_name: "string",
  realm: "string",
  description: "string",
  version: "string",
  type: words("Normal Ruthless"),
  public: "?true",
  /** Absent when listing all filters. */
  filter: "?string",
  /** Absent when listing all filters. */
  validation: optional({
    valid: "bool",
    /** Game version. */
    version: "?string",
    validated: "?date-time",
  }),
} as const;
/** An item filter. `filter` and `validation` are absent when all filters are listed. */
export interface ItemFilter extends Members<typeof itemFilter> {}
export const ItemFilter: PlainRecord<ItemFilter> = record("ItemFilter", itemFilter);
