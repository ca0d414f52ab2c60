/** The JSON lines driver: one append-only file per stream. */
export * as SinkJsonl from "./sink.ts";
