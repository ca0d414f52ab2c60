/** A guild (§2, Guild). */
import * as Plain from "../plain/generated/Guild.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  id: wire.uintOrDigits,
  name: wire.string,
  tag: wire.string,
};

/** A guild. Its `id` is a number; an old answer has it as a string of digits. */
export type Guild = Plain.Guild;
export const Guild: wire.RecordSchema<Guild, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.Guild,
  "A guild",
  fields,
);
