/** The in-memory sink, for tests and trials. */
export * as SinkMemory from "./sink.ts";
