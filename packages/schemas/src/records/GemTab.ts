import { type Members, type PlainRecord, record } from "../record.ts";
import { GemPage } from "./GemPage.ts";

const gemTab = { name: "?string", pages: [GemPage] } as const;
/** A tab of the text that describes a gem of game 2. */
export interface GemTab extends Members<typeof gemTab> {}
export const GemTab: PlainRecord<GemTab> = record("GemTab", gemTab);
