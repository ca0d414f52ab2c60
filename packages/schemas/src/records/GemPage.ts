import { type Members, optional, type PlainRecord, record } from "../record.ts";
import { ItemProperty } from "./ItemProperty.ts";

const gemPage = {
  skillName: "?string",
  description: "?string",
  properties: optional([ItemProperty]),
  stats: "?string[]",
} as const;
/** A page of a gem's description. */
export interface GemPage extends Members<typeof gemPage> {}
export const GemPage: PlainRecord<GemPage> = record("GemPage", gemPage);
