/**
 * Helpers for the tests of several packages: the gate in front of tests that want a real service,
 * servers, ports and a browser for them, bodies that are bombs, and the CPU that work takes.
 *
 * @packageDocumentation
 */
export { CHROMIUM_ARGS } from "./chromium.ts";
export { type Bombs, inflatedDuring, makeBombs } from "./bombs.ts";
export { cpuOf } from "./cpu.ts";
export { exportedNames } from "./exportedNames.ts";
export { freePort, isListening } from "./Network.ts";
export { describeWithService, type Service } from "./Services.ts";
export { sendOddRequests, sendRaw } from "./rawSockets.ts";
