import { either, type Members, type PlainRecord, record } from "../record.ts";

const guild = { id: either("uint", "string"), name: "string", tag: "string" } as const;
/** A guild. Its `id` is a number, but an older response has a string of digits. */
export interface Guild extends Members<typeof guild> {}
export const Guild: PlainRecord<Guild> = record("Guild", guild);
