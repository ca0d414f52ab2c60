import { type Members, type PlainRecord, record } from "../record.ts";
import { GemPage } from "./GemPage.ts";

const gemTab = { name: "?string", pages: [GemPage] } as const;
/** A tab of a gem's description. */
export interface GemTab extends Members<typeof gemTab> {}
export const GemTab: PlainRecord<GemTab> = record("GemTab", gemTab);
