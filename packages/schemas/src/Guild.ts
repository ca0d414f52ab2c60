/** A guild (§2, Guild). */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/Guild.ts";
import { record, string, uintOrDigits, type RecordSchema } from "./internal/wire.ts";

const fields = {
  id: uintOrDigits,
  name: string,
  tag: string,
};

/** A guild. Its `id` is a number; an old answer has it as a string of digits. */
export interface Guild extends Schema.Struct.Type<typeof fields> {}
/** A guild. */
export const Guild: RecordSchema<Guild, typeof fields> = /*#__PURE__*/ record<Guild>()(
  "Guild",
  "A guild",
  fields,
  check,
);
