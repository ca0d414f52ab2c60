/** A decoding thread that ends with code 9 where it instantiates the WebAssembly scanner. */
const api = {
  Module: function end() {
    process.exit(9);
  },
};
Object.assign(globalThis, { WebAssembly: api });
await import("../../src/workers/worker.ts");
