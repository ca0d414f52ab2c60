/** The body of every error of the data API: `{ "error": { "code", "message" } }`. */
import type * as Schemas from "@game-data/schemas";
import type * as Bodies from "../routes/generated/bodies.ts";
import * as Schema from "effect/Schema";
import { ErrorObject } from "@game-data/schemas/effect";

/** The reason in an error body, or in a filter update that needs more processing. */
export type ErrorDetail = Schemas.ErrorObject;
export const ErrorDetail: Schema.Codec<ErrorDetail> = ErrorObject;

/** The body of every error of the data API. */
export type ErrorBody = Bodies.ErrorBody;
export const ErrorBody: Schema.Codec<ErrorBody> = /*#__PURE__*/ Schema.Struct({
  error: ErrorDetail,
}).annotate({
  identifier: "ErrorBody",
});
