/** The bodies of the data API as Effect Schemas. `./results` has them without Effect. */
import { recordSchema, type RecordSchema } from "@game-data/schemas/effect";
import { bodies, type BodyName } from "./routes/bodies.ts";
import type { BodyOf } from "./routes/requests.ts";

/** The Effect Schemas of the bodies by their names in the table of operations. */
export const bodySchemas = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ Object.entries(bodies).map(([name, body]) => [name, recordSchema<unknown>(body)]),
) as unknown as { readonly [Name in BodyName]: RecordSchema<BodyOf<Name>> };
