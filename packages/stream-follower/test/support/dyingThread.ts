/**
 * A decoding thread that can be told to fail: the word in a body says how. Without such a word it
 * is the real one.
 */
import { parentPort } from "node:worker_threads";
import type { DecodeJob } from "../../src/workers/messages.ts";
import { inflateNow } from "../../src/core/inflateNow.ts";

parentPort?.on("message", ({ wire, encoding, maxPageBytes }: DecodeJob) => {
  const raw = inflateNow(wire, encoding, maxPageBytes);
  const text = raw instanceof Uint8Array ? Buffer.from(raw).toString() : "";
  if (text.includes("the thread leaves")) setTimeout(() => process.exit(0), 20);
  if (text.includes("the thread exits")) process.exit(3);
  if (text.includes("the thread throws")) {
    // The real listener runs after this one; a thread that threw would not have answered.
    if (parentPort !== null) parentPort.postMessage = () => undefined;
    throw new Error("a defect");
  }
  if (text.includes("the thread hangs")) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
});
await import("../../src/workers/worker.ts");
