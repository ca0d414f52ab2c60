/**
 * The JSON lines driver: one append-only file per stream.
 *
 * ```ts
 * import { SinkJsonl } from "@game-data/stream-follower/jsonl";
 *
 * const path = SinkJsonl.pathOf("pages", { source: "stashes", realm: "pc" });
 * if (!path.endsWith("stashes-pc.jsonl")) throw new Error("one file a stream");
 * ```
 */
export * as SinkJsonl from "./sink.ts";
