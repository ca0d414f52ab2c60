import { type Members, optional, type PlainRecord, record } from "../record.ts";
import { ItemProperty } from "./ItemProperty.ts";

const gemPage = {
  skillName: "?string",
  description: "?string",
  properties: optional([ItemProperty]),
  stats: "?string[]",
} as const;
/** A page of the text that describes a gem of game 2. */
export interface GemPage extends Members<typeof gemPage> {}
export const GemPage: PlainRecord<GemPage> = record("GemPage", gemPage);
