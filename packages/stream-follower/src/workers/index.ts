/** Page decoding in worker threads. */
export * as DecodeWorker from "./DecodeWorker.ts";
