/**
 * The control plane as an HttpApi, for typed Effect clients (`HttpApiClient.make(ControlApi)`).
 *
 * The sandbox does not serve from it: `ControlPlane` does. The documents are the same values in
 * both.
 */
import * as Schema from "effect/Schema";
import * as HttpApi from "effect/http-api/HttpApi";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
import { FaultRule, FaultStatus } from "../faults/Fault.ts";
import { anyOf, type Document, issuesOf, list, object } from "../internal/document.ts";
import type { JournalEntry } from "../journal/JournalEntry.ts";
import { RatePolicies } from "../rates/RatePolicy.ts";
import { ClockChange, ClockReading, PolicyChange, SandboxSnapshot } from "./documents.ts";

/** A request to the control plane that makes no sense, and why. */
export class ControlRejected extends Schema.Error<ControlRejected>("ControlRejected")(
  { reason: Schema.String },
  { httpApiStatus: 400 },
) {
  readonly _tag = "ControlRejected";
}

/** A name that nothing has. */
export class ControlNotFound extends Schema.Error<ControlNotFound>("ControlNotFound")(
  { reason: Schema.String },
  { httpApiStatus: 404 },
) {
  readonly _tag = "ControlNotFound";
}

const schemaOf = <A>(document: Document<A>): Schema.Codec<A> =>
  Schema.declare((value): value is A => issuesOf(document, value).length === 0) as Schema.Codec<A>;

const anything = <A>(): Schema.Codec<A> =>
  Schema.declare((_value): _value is A => true) as Schema.Codec<A>;

const Faults = schemaOf(object({ faults: list(FaultStatus) }));

/** The control plane. */
export const ControlApi = HttpApi.make("ControlApi").add(
  HttpApiGroup.make("clock").add(
    HttpApiEndpoint.get("read", "/control/clock", { success: schemaOf(ClockReading) }),
    HttpApiEndpoint.post("change", "/control/clock", {
      payload: schemaOf(ClockChange),
      success: schemaOf(ClockReading),
      error: ControlRejected,
    }),
  ),
  HttpApiGroup.make("faults").add(
    HttpApiEndpoint.get("list", "/control/faults", { success: Faults }),
    HttpApiEndpoint.post("add", "/control/faults", {
      payload: schemaOf(anyOf(FaultRule, list(FaultRule))),
      success: Faults,
      error: ControlRejected,
    }),
    HttpApiEndpoint.delete("clear", "/control/faults", { success: HttpApiSchema.NoContent }),
    HttpApiEndpoint.delete("remove", "/control/faults/:id", {
      params: { id: Schema.String },
      success: HttpApiSchema.NoContent,
      error: ControlNotFound,
    }),
  ),
  HttpApiGroup.make("policies").add(
    HttpApiEndpoint.get("read", "/control/policies", { success: schemaOf(RatePolicies) }),
    HttpApiEndpoint.put("replace", "/control/policies", {
      payload: schemaOf(PolicyChange),
      success: schemaOf(RatePolicies),
      error: ControlRejected,
    }),
  ),
  HttpApiGroup.make("journal").add(
    HttpApiEndpoint.get("read", "/control/journal", {
      success: anything<{ readonly entries: ReadonlyArray<JournalEntry> }>(),
    }),
    HttpApiEndpoint.delete("clear", "/control/journal", { success: HttpApiSchema.NoContent }),
  ),
  HttpApiGroup.make("state").add(
    HttpApiEndpoint.post("reset", "/control/reset", { success: schemaOf(ClockReading) }),
    HttpApiEndpoint.post("snapshot", "/control/snapshot", { success: schemaOf(SandboxSnapshot) }),
    HttpApiEndpoint.post("restore", "/control/restore", {
      payload: schemaOf(SandboxSnapshot),
      success: schemaOf(ClockReading),
      error: ControlRejected,
    }),
  ),
);
