/** A guild (§2, Guild). */
import * as Plain from "../plain/generated/Guild.ts";
import { record, string, uintOrDigits, type RecordSchema } from "../internal/wire.ts";

const fields = {
  id: uintOrDigits,
  name: string,
  tag: string,
};

/** A guild. Its `id` is a number; an old answer has it as a string of digits. */
export type Guild = Plain.Guild;
/** A guild. */
export const Guild: RecordSchema<Guild, typeof fields> = /*#__PURE__*/ record<Guild>()(
  Plain.Guild,
  "A guild",
  fields,
);
