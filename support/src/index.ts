/**
 * Helpers for the tests of several packages: tests that need a real service, free ports, arguments of
 * Chromium, compressed bombs, raw requests, and measurements of CPU.
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
