/**
 * What the tests of several packages need: for now, the gate in front of tests that want a real
 * service.
 *
 * @packageDocumentation
 */
export { describeWithService, type Service } from "./Services.ts";
