/**
 * Helpers for the tests of several packages: the gate in front of tests that want a real service,
 * and servers and ports for them.
 *
 * @packageDocumentation
 */
export { type NatsServer, startNatsServer } from "./NatsServer.ts";
export { freePort, isListening } from "./Network.ts";
export { describeWithService, type Service } from "./Services.ts";
